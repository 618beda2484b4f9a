import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { isInside } from './inside.ts';

/** The repository a workspace belongs to. */
export interface Repository {
  /** Top of the working tree. */
  readonly top: string;
  /** The directory with objects, configuration and hooks. */
  readonly gitDirectory: string;
}

function kindOf(path: string): 'file' | 'dir' | null {
  try {
    const stat = lstatSync(path);
    if (stat.isDirectory()) return 'dir';
    return stat.isFile() ? 'file' : null;
  } catch {
    return null;
  }
}

function firstLine(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').split('\n')[0]?.trim() ?? null;
  } catch {
    return null;
  }
}

/** The git directory behind a `.git` file, only when that directory points back to this working tree. */
function behindGitFile(top: string): string | null {
  const target = firstLine(join(top, '.git'))?.match(/^gitdir: (.+)$/)?.[1];
  if (target === undefined) return null;
  const own = resolve(top, target);
  const back = firstLine(join(own, 'gitdir'));
  if (back !== null && resolve(own, back) === join(top, '.git')) {
    const common = firstLine(join(own, 'commondir'));
    return common === null ? own : resolve(own, common);
  }
  return worktreeSetting(own) === top ? own : null;
}

/** `core.worktree` of a submodule's git directory, as an absolute path. */
function worktreeSetting(gitDirectory: string): string | null {
  try {
    const text = readFileSync(join(gitDirectory, 'config'), 'utf8');
    const value = /^\s*worktree\s*=\s*(.+?)\s*$/m.exec(text)?.[1];
    return value === undefined ? null : resolve(gitDirectory, value);
  } catch {
    return null;
  }
}

/**
 * Finds the repository of a folder, upwards. A repository whose top holds the user's home is none for us: showing
 * it would show the home.
 */
export function findRepository(workspace: string): Repository | null {
  for (let top = workspace; ; top = dirname(top)) {
    const kind = kindOf(join(top, '.git'));
    if (kind !== null) {
      if (top !== workspace && isInside(top, homedir())) return null;
      const gitDirectory = kind === 'dir' ? join(top, '.git') : behindGitFile(top);
      return gitDirectory === null ? null : { top, gitDirectory: realOrSame(gitDirectory) };
    }
    if (top === dirname(top)) return null;
  }
}

function realOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
