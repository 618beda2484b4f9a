import { chmod, mkdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { newCallId, newSessionId } from './ids.ts';
import { createSessionFolders, sessionPaths, validSessionId } from './paths.ts';
import { freshHome, freshPaths, removeHomes } from './testing/session-fixture.ts';

afterAll(removeHomes);

describe('session names', () => {
  it.each(['a', 'my-task_2.0', newSessionId(), 'x'.repeat(64)])('accepts %s', (id) => {
    expect(validSessionId(id)).toBe(true);
  });
  it.each(['', '.', '..', '-x', 'a/b', 'a\\b', 'a\0', 'a\n', 'ü', 'x'.repeat(65), '.session'])(
    'refuses %j',
    (id) => {
      expect(validSessionId(id)).toBe(false);
      expect(() => sessionPaths('/tmp/home', id)).toThrow(/is not a session name/);
    },
  );
  it('gives ids that sort in the order they were made', () => {
    const ids = Array.from({ length: 2000 }, newCallId);
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('session folders', () => {
  it('are private from the start', async () => {
    const paths = await freshPaths();
    for (const folder of [paths.root, paths.input, paths.state, paths.blobs, paths.toolOutput]) {
      expect((await stat(folder)).mode & 0o777).toBe(0o700);
    }
  });

  it('reports and closes a world-readable home', async () => {
    const home = await freshHome();
    const paths = sessionPaths(home, 'open');
    await createSessionFolders(paths);
    await writeFile(paths.events, '');
    await writeFile(join(home, 'config.yaml'), 'x: 1');
    await chmod(home, 0o755);
    await chmod(paths.events, 0o644);
    await chmod(join(home, 'config.yaml'), 0o644);
    const { fixed } = await createSessionFolders(paths);
    expect(fixed.sort()).toEqual([home, join(home, 'config.yaml'), paths.events].sort());
    expect((await stat(home)).mode & 0o777).toBe(0o700);
    expect((await stat(paths.events)).mode & 0o777).toBe(0o600);
    expect((await createSessionFolders(paths)).fixed).toEqual([]);
  });

  it('refuses a part that is a link', async () => {
    const paths = await freshPaths('linked');
    const elsewhere = join(await freshHome(), 'elsewhere');
    await mkdir(elsewhere);
    await rm(paths.scratchpad, { recursive: true });
    await symlink(elsewhere, paths.scratchpad);
    await expect(createSessionFolders(paths)).rejects.toThrow(/must be a folder/);
  });
});
