import { Worker } from 'node:worker_threads';
import type { ScriptPattern } from './rust-pattern.ts';

/** A line the worker found, match or context. */
export interface WorkerLine {
  readonly line: number;
  readonly text: string;
  /** Position of the first match; -1 for a line of context. */
  readonly at: number;
}

export interface WorkerResult {
  readonly lines: readonly WorkerLine[];
  readonly count: number;
}

/**
 * The worker's program. Each message is a list of texts; a line matches on its own, without its break. With `max` lines
 * found in a text it goes on to the next.
 */
const PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const pattern = new RegExp(workerData.source, workerData.flags);
parentPort.on('message', ({ texts, context, max, keep }) => {
  parentPort.postMessage(texts.map((text) => search(text, context, max, keep)));
});
function search(text, context, max, keep) {
  const all = text.split('\\n');
  if (all[all.length - 1] === '') all.pop();
  const lines = [];
  let count = 0, shown = 0, after = 0;
  for (let i = 0; i < all.length; i += 1) {
    const line = all[i].endsWith('\\r') ? all[i].slice(0, -1) : all[i];
    const found = count < max ? pattern.exec(line) : null;
    if (found !== null) {
      count += 1;
      if (keep) {
        for (let j = Math.max(shown, i - context); j < i; j += 1) lines.push({ line: j + 1, text: all[j], at: -1 });
        lines.push({ line: i + 1, text: line, at: found.index });
        shown = i + 1;
        after = context;
      }
    } else if (after > 0) {
      lines.push({ line: i + 1, text: line, at: -1 });
      shown = i + 1;
      after -= 1;
    } else if (count >= max) break;
  }
  return { lines, count };
}
`;

/** Runs an expression apart from everything else, so that one that never ends can be stopped. */
export class MatchWorker {
  readonly #worker: Worker;

  constructor(pattern: ScriptPattern) {
    this.#worker = new Worker(PROGRAM, { eval: true, workerData: pattern });
    this.#worker.unref();
  }

  /** One result for each text. Null when the time ran out: the worker is gone then. */
  search(
    texts: readonly string[],
    options: { readonly context: number; readonly max: number; readonly keep: boolean },
    milliseconds: number,
  ): Promise<readonly WorkerResult[] | null> {
    return new Promise((resolve, reject) => {
      const worker = this.#worker;
      const settle = (run: () => void): void => {
        clearTimeout(timer);
        worker.off('message', onMessage).off('error', onError);
        worker.unref();
        run();
      };
      const onMessage = (results: readonly WorkerResult[]): void => settle(() => resolve(results));
      const onError = (error: unknown): void => settle(() => reject(error));
      const timer = setTimeout(() => {
        settle(() => resolve(null));
        void this.close();
      }, milliseconds);
      worker.on('message', onMessage).on('error', onError);
      worker.ref();
      worker.postMessage({ texts, ...options });
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}
