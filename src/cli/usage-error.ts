import { ConfigError } from '../errors.ts';

/** A wrong command line. The message says what is wrong and how to give it right. */
export function usageError(message: string): ConfigError {
  return new ConfigError(message);
}

/** The one line of an error on stderr. */
export function errorLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return `toolwright: ${message.replace(/\s*\n\s*/g, ' ')}`;
}
