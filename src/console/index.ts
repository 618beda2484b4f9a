import { createSimpleConsole } from './simple-console.ts';
import type { CLIConsole, ConsoleOptions } from './types.ts';

/** The console asked for. Without a terminal (or with TERM=dumb) a rich one would be wrong: it is the simple one then. */
export async function createConsole(options: ConsoleOptions): Promise<CLIConsole> {
  const terminal = options.stderr.isTTY === true && options.stdin.isTTY === true;
  if (options.type === 'simple' || !terminal || options.env.TERM === 'dumb') {
    return createSimpleConsole(options);
  }
  const { createRichConsole } = await import('./rich/rich-console.tsx');
  return createRichConsole(options);
}
