/** Where the messages of a chat come from: the console on a terminal, else the lines of standard input. */
import { createInterface } from 'node:readline';
import type { CLIConsole } from '../../console/types.ts';
import type { Io } from '../io.ts';

export interface MessageSource {
  /** The next message; null at the end of input or when the signal fired. */
  next(signal: AbortSignal): Promise<string | null>;
  close(): void;
}

export function messageSource(io: Io, console: CLIConsole): MessageSource {
  if (io.stdin.isTTY !== true) return lineSource(io);
  return {
    next: (signal) =>
      console.getTaskInput(signal).catch((error: unknown) => {
        if (signal.aborted) return null;
        throw error;
      }),
    close: () => undefined,
  };
}

/** A trailing backslash continues a message on the next line. */
function lineSource(io: Io): MessageSource {
  const reader = createInterface({ input: io.stdin });
  const lines = reader[Symbol.asyncIterator]();
  const line = async (signal: AbortSignal): Promise<string | null> => {
    if (signal.aborted) return null;
    const aborted = new Promise<null>((resolve) => {
      signal.addEventListener('abort', () => resolve(null), { once: true });
    });
    const next = lines.next().then((result) => (result.done === true ? null : result.value));
    return Promise.race([next, aborted]);
  };
  return {
    async next(signal) {
      const parts: string[] = [];
      for (;;) {
        const text = await line(signal);
        if (text === null) return parts.length === 0 ? null : parts.join('\n');
        if (!text.endsWith('\\')) return [...parts, text].join('\n');
        parts.push(text.slice(0, -1));
      }
    },
    close: () => reader.close(),
  };
}
