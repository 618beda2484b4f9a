import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeFolders, nearestFolder } from './make-folders.ts';

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tw-folders-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

describe('making folders', () => {
  it('makes what is missing and accepts what is there', async () => {
    const base = freshFolder();
    await Promise.all([makeFolders(join(base, 'a/b/c')), makeFolders(join(base, 'a/b/d'))]);
    await makeFolders(join(base, 'a/b/c'));
    expect(existsSync(join(base, 'a/b/c'))).toBe(true);
    expect(await nearestFolder(join(base, 'a/x/y'))).toBe(join(base, 'a'));
  });

  it.runIf(existsSync('/proc/self'))('fails at once where nobody can make folders', async () => {
    await expect(makeFolders('/proc/nowhere/deep')).rejects.toThrow(/ENOENT|EPERM|EACCES/);
  });
});
