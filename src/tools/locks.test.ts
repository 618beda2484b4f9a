import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLocks } from './locks.ts';

const never = new AbortController().signal;
const tick = () => new Promise((resolve) => setImmediate(resolve));

describe('locks', () => {
  it('serves one holder of a key at a time, in order, without deadlock over shared keys', async () => {
    const keys = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(fc.array(keys, { maxLength: 8 }), async (wanted) => {
        const locks = createLocks();
        const held = new Set<string>();
        await Promise.all(
          wanted.map(async (list) => {
            const release = await locks.acquire(list, never);
            for (const key of new Set(list)) {
              expect(held.has(key)).toBe(false);
              held.add(key);
            }
            await tick();
            for (const key of list) held.delete(key);
            release();
          }),
        );
      }),
      { numRuns: 30 },
    );
  });

  it('gives up with locked, and leaves nothing behind', async () => {
    const locks = createLocks();
    const release = await locks.acquire(['b'], never);
    await expect(locks.acquire(['a', 'b'], never, 10)).rejects.toMatchObject({ kind: 'locked' });
    const other = await locks.acquire(['a'], never, 10);
    release();
    (await locks.acquire(['b'], never, 10))();
    other();
  });

  it('stops waiting when the run is cancelled', async () => {
    const locks = createLocks();
    const release = await locks.acquire(['a'], never);
    const stop = new AbortController();
    const waiting = locks.acquire(['a'], stop.signal);
    stop.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
    release();
    (await locks.acquire(['a'], never, 10))();
  });
});
