import { spawn } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createFileAtomic, writeFileAtomic } from './fs-atomic.ts';
import { whenDescriptorsAllow } from './fs-error.ts';
import { readEvents } from './read-log.ts';
import { freshHome, freshPaths, openSession, removeHomes } from './testing/session-fixture.ts';

afterAll(removeHomes);

describe('atomic files', () => {
  it('keep the mode of the file they replace and leave nothing beside it', async () => {
    const file = join(await freshHome(), 'a');
    await writeFileAtomic(file, 'one');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await chmod(file, 0o640);
    await writeFileAtomic(file, 'two');
    expect((await stat(file)).mode & 0o777).toBe(0o640);
    expect(await readFile(file, 'utf8')).toBe('two');
    expect(await createFileAtomic(file, 'three')).toBe(false);
    expect(await readdir(join(file, '..'))).toEqual(['a']);
  });

  it('leave nothing behind when they cannot take their name', async () => {
    const folder = await freshHome();
    await mkdir(join(folder, 'taken'));
    await writeFile(join(folder, 'taken', 'x'), '');
    await expect(writeFileAtomic(join(folder, 'taken'), 'x')).rejects.toThrow();
    expect(await readdir(folder)).toEqual(['taken']);
  });

  it('hold the old or the new content, whole, when the writer is killed (R05)', async () => {
    const file = join(await freshHome(), 'a');
    const script = `
      import { writeFileAtomic } from ${JSON.stringify(join(import.meta.dirname, 'fs-atomic.ts'))};
      for (let n = 0; ; n += 1) {
        await writeFileAtomic(process.argv[1], String(n % 10).repeat(300_000));
        if (n === 0) console.log('written');
      }`;
    for (const milliseconds of [0, 17, 45]) {
      const child = spawn(process.execPath, ['--input-type=module', '-e', script, file]);
      await new Promise((resolve) => child.stdout.once('data', resolve));
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
      child.kill('SIGKILL');
      await new Promise((resolve) => child.once('close', resolve));
      expect(await readFile(file, 'utf8')).toMatch(/^(\d)\1{299999}$/);
    }
  });
});

describe('out of file descriptors (R09)', () => {
  it('an operation waits and then succeeds; another error comes at once', async () => {
    let calls = 0;
    const busy = async () => {
      calls += 1;
      if (calls < 4) throw Object.assign(new Error('EMFILE'), { code: 'EMFILE' });
      return 'done';
    };
    expect(await whenDescriptorsAllow(busy)).toBe('done');
    const broken = Object.assign(new Error('EIO'), { code: 'EIO' });
    await expect(whenDescriptorsAllow(() => Promise.reject(broken))).rejects.toBe(broken);
  });
});

describe('a jumping clock (R08)', () => {
  it('changes nothing about order and recovery', async () => {
    const paths = await freshPaths();
    const day = 24 * 3600 * 1000;
    for (const offset of [0, day, -day]) {
      const now = () => new Date(Date.UTC(2025, 5, 1) + offset);
      const session = await openSession(paths, { now });
      session.log.append({ run_id: null }, 'warning', { code: 'x', message: `${offset}` });
      await session.close();
    }
    const { events, damage } = await readEvents(paths.events);
    expect(damage).toEqual([]);
    expect(events).toMatchObject([
      { seq: 1, message: '0', ts: '2025-06-01T00:00:00.000Z' },
      { seq: 2, message: `${day}` },
      { seq: 3, message: `${-day}` },
    ]);
  });
});
