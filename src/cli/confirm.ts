import { createInterface } from 'node:readline/promises';
import type { Io } from './io.ts';

/** A yes-or-no question on the terminal. Only `y` or `yes` is a yes; end of input is a no. */
export async function confirm(io: Io, question: string): Promise<boolean> {
  const lines = createInterface({ input: io.stdin, output: io.stderr });
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  try {
    const answer = await Promise.race([lines.question(`${question} [y/N] `), closed]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
}
