import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findRepository } from './git-directory.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'tw-git-')));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const folder = (...names: string[]) => {
  const path = join(root, ...names);
  mkdirSync(path, { recursive: true });
  return path;
};

describe('findRepository', () => {
  it('finds the repository of a folder above', () => {
    folder('repo', '.git');
    const inner = folder('repo', 'packages', 'one');
    const top = join(root, 'repo');
    expect(findRepository(inner)).toEqual({ top, gitDirectory: join(top, '.git') });
  });

  it('finds none where there is none, and none behind a link', () => {
    expect(findRepository(folder('plain'))).toBeNull();
    symlinkSync(folder('elsewhere'), join(folder('linked'), '.git'));
    expect(findRepository(join(root, 'linked'))).toBeNull();
  });

  it('follows a linked worktree that points back, to the common directory', () => {
    const git = folder('main', '.git', 'worktrees', 'w');
    const tree = folder('tree');
    writeFileSync(join(tree, '.git'), `gitdir: ${git}\n`);
    writeFileSync(join(git, 'gitdir'), `${tree}/.git\n`);
    writeFileSync(join(git, 'commondir'), '../..\n');
    expect(findRepository(tree)).toEqual({ top: tree, gitDirectory: join(root, 'main', '.git') });
  });

  it('does not follow a git file to a directory that points elsewhere', () => {
    const git = folder('other', '.git', 'worktrees', 'w');
    writeFileSync(join(git, 'gitdir'), `${root}/other-tree/.git\n`);
    writeFileSync(join(git, 'commondir'), '../..\n');
    const tree = folder('tree');
    writeFileSync(join(tree, '.git'), `gitdir: ${git}\n`);
    expect(findRepository(tree)).toBeNull();
  });

  it('follows a submodule whose git directory names this working tree', () => {
    const git = folder('super', '.git', 'modules', 'sub');
    const tree = folder('super', 'sub');
    writeFileSync(join(tree, '.git'), 'gitdir: ../.git/modules/sub\n');
    writeFileSync(join(git, 'config'), '[core]\n\tworktree = ../../../sub\n');
    expect(findRepository(tree)).toEqual({ top: tree, gitDirectory: git });
  });
});
