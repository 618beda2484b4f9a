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
 * The worker's program. Each message is a whole text; a line matches on its own, without its break. With `max` lines
 * found it stops looking.
 */
const PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const pattern = new RegExp(workerData.source, workerData.flags);
parentPort.on('message', ({ text, context, max, keep }) => {
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
  parentPort.postMessage({ lines, count });
});
`;

/** Runs an expression apart from everything else, so that one that never ends can be stopped. */
export class MatchWorker {
  readonly #worker: Worker;

  constructor(pattern: ScriptPattern) {
    this.#worker = new Worker(PROGRAM, { eval: true, workerData: pattern });
    this.#worker.unref();
  }

  /** Null when the time ran out: the worker is gone then. */
  search(
    text: string,
    options: { readonly context: number; readonly max: number; readonly keep: boolean },
    milliseconds: number,
  ): Promise<WorkerResult | null> {
    return new Promise((resolve, reject) => {
      const finish = (run: () => void): void => {
        clearTimeout(timer);
        this.#worker.removeAllListeners();
        this.#worker.unref();
        run();
      };
      const timer = setTimeout(() => {
        void this.close();
        finish(() => resolve(null));
      }, milliseconds);
      this.#worker.ref();
      this.#worker.once('message', (result: WorkerResult) => finish(() => resolve(result)));
      this.#worker.once('error', (error) => finish(() => reject(error)));
      this.#worker.postMessage({ text, ...options });
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}
