import { createInterface } from 'node:readline/promises';
import type { ConsoleStreams } from './types.ts';

/** One line typed by the person; null at end of input. Rejects with AbortError when the signal fires. */
export async function readLine(
  streams: ConsoleStreams,
  prompt: string,
  signal: AbortSignal,
): Promise<string | null> {
  const lines = createInterface({
    input: streams.stdin,
    output: streams.stderr,
    terminal: streams.stdin.isTTY,
  });
  const closed = new Promise<null>((resolve) => lines.once('close', () => resolve(null)));
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    return await Promise.race([lines.question(prompt, { signal }), closed]);
  } finally {
    lines.close();
  }
}

/** A message that a trailing backslash continues on the next line; null at end of input. */
export async function readMessage(
  streams: ConsoleStreams,
  prompt: string,
  signal: AbortSignal,
): Promise<string | null> {
  const parts: string[] = [];
  for (;;) {
    const line = await readLine(streams, parts.length === 0 ? prompt : '… ', signal);
    if (line === null) return parts.length === 0 ? null : parts.join('\n');
    if (!line.endsWith('\\')) return [...parts, line].join('\n');
    parts.push(line.slice(0, -1));
  }
}
