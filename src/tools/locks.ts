import { ToolFailure } from '../errors.ts';

export const LOCK_WAIT_MS = 30_000;

/** First come, first served locks by key. */
export interface Locks {
  /**
   * Takes all keys in sorted order, so that two callers never wait for each other. Resolves with the function that
   * gives them back. Throws ToolFailure `locked` after `waitMs`, or the signal's reason.
   */
  acquire(keys: readonly string[], signal: AbortSignal, waitMs?: number): Promise<() => void>;
}

export function createLocks(): Locks {
  const queues = new Map<string, Promise<void>>();
  return {
    async acquire(keys, signal, waitMs = LOCK_WAIT_MS) {
      const releases: (() => void)[] = [];
      const free = () => {
        for (const release of releases.splice(0)) release();
      };
      const expires = performance.now() + waitMs;
      try {
        for (const key of [...new Set(keys)].sort()) {
          releases.push(await take(queues, key, signal, expires));
        }
      } catch (error) {
        free();
        throw error;
      }
      return free;
    },
  };
}

async function take(
  queues: Map<string, Promise<void>>,
  key: string,
  signal: AbortSignal,
  expires: number,
): Promise<() => void> {
  const before = queues.get(key);
  const { promise, resolve } = Promise.withResolvers<void>();
  const mine = Promise.all([before, promise]).then(() => {
    if (queues.get(key) === mine) queues.delete(key);
  });
  queues.set(key, mine);
  if (before !== undefined) {
    try {
      await waitFor(before, key, signal, expires);
    } catch (error) {
      resolve();
      throw error;
    }
  }
  return resolve;
}

function waitFor(
  turn: Promise<void>,
  key: string,
  signal: AbortSignal,
  expires: number,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(
    () => reject(new ToolFailure('locked', `${key} is in use by another call for over 30 s`)),
    Math.max(0, expires - performance.now()),
  );
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  turn.then(resolve, reject);
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  });
}

/** Shared by every agent of the process: sub-agents write the same files. */
export const processLocks: Locks = createLocks();
