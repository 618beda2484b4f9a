import { spawn } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { SessionLockedError } from '../errors.ts';
import { acquireLock, lockHolder } from './lock.ts';
import { freshPaths, removeHomes } from './testing/session-fixture.ts';
import type { SessionPaths } from './types.ts';

afterAll(removeHomes);

async function rewriteLock(paths: SessionPaths, epoch: number, changes: object): Promise<void> {
  const file = join(paths.state, `lock.${epoch}`);
  const record = JSON.parse(await readFile(file, 'utf8'));
  await writeFile(file, JSON.stringify({ ...record, ...changes }));
}

describe('the session lock', () => {
  it('refuses a second holder, naming pid and host (R10)', async () => {
    const paths = await freshPaths();
    const lock = await acquireLock(paths);
    const refusal = await acquireLock(paths).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(SessionLockedError);
    expect(String(refusal)).toContain(`process ${process.pid} on host `);
    expect(await lockHolder(paths)).toMatchObject({ pid: process.pid });
    await lock.release();
    expect(await lockHolder(paths)).toBeNull();
  });

  it('counts up with each holder and keeps the highest file', async () => {
    const paths = await freshPaths();
    for (const epoch of [1, 2, 3]) {
      const lock = await acquireLock(paths);
      expect(lock.epoch).toBe(epoch);
      await lock.release();
      await lock.release();
    }
    expect((await readdir(paths.state)).filter((name) => name.startsWith('lock.'))).toEqual([
      'lock.3',
    ]);
  });

  it.each([
    ['a pid that is gone', { pid: 2 ** 22 - 3 }],
    ['a pid that was given to another process', { start_time: '1' }],
    ['an earlier boot', { boot_id: 'another' }],
  ])('takes over from %s; the old holder sees it', async (_name, changes) => {
    const paths = await freshPaths();
    const old = await acquireLock(paths);
    await rewriteLock(paths, 1, changes);
    expect(old.holds()).toBe(true);
    const taker = await acquireLock(paths);
    expect(taker.epoch).toBe(2);
    expect(old.holds()).toBe(false);
    await old.release();
    expect(taker.holds()).toBe(true);
    await taker.release();
  });

  it('does not judge a holder on another host, and says what to do', async () => {
    const paths = await freshPaths();
    await acquireLock(paths);
    await rewriteLock(paths, 1, { host: 'elsewhere', pid: 2 ** 22 - 3 });
    await expect(acquireLock(paths)).rejects.toThrow(/on host elsewhere.*"state" to "released"/);
  });

  it('takes over from a killed process within 2 s', async () => {
    const paths = await freshPaths();
    const child = spawn(process.execPath, [
      '-e',
      `import(${JSON.stringify(join(import.meta.dirname, 'lock.ts'))}).then(async ({ acquireLock }) => {
        await acquireLock(${JSON.stringify(paths)});
        console.log('held');
        setInterval(() => {}, 1000);
      })`,
    ]);
    await new Promise((resolve) => child.stdout.once('data', resolve));
    await expect(acquireLock(paths)).rejects.toThrow(`process ${child.pid} `);
    child.kill('SIGKILL');
    const started = performance.now();
    for (;;) {
      const taken = await acquireLock(paths).catch(() => null);
      if (taken !== null) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(performance.now() - started).toBeLessThan(2000);
  });

  it('gives one of many takers the session', async () => {
    const paths = await freshPaths();
    const results = await Promise.allSettled(Array.from({ length: 16 }, () => acquireLock(paths)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});
