import type { ConsoleStreams } from './types.ts';

const DEAF_MS = 300;
const CTRL_C = '\u0003';

/**
 * Waits for one of `keys`. What was typed before is thrown away and keys in the first 300 ms are ignored, so that
 * typing ahead never answers a question. Rejects with AbortError when the signal fires; Ctrl-C raises SIGINT.
 */
export function readKey(
  streams: ConsoleStreams,
  keys: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  const { stdin } = streams;
  const opened = performance.now();
  return new Promise((resolve, reject) => {
    const finish = () => {
      stdin.off('data', onData);
      signal.removeEventListener('abort', onAbort);
      stdin.setRawMode(false);
      stdin.pause();
    };
    const onAbort = () => {
      finish();
      reject(signal.reason);
    };
    const onData = (chunk: Buffer | string) => {
      const typed = String(chunk);
      if (typed.includes(CTRL_C)) {
        process.kill(process.pid, 'SIGINT');
        return;
      }
      if (performance.now() - opened < DEAF_MS) return;
      const key = typed.toLowerCase();
      if (!keys.includes(key)) return;
      finish();
      resolve(key);
    };
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    stdin.setRawMode(true);
    stdin.resume();
    while (stdin.read() !== null) {
      // Input typed before the question appeared is discarded.
    }
    stdin.on('data', onData);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
