import { lstatSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Names that run or configure something, at the root of a workspace (safety.md section 4). */
export const PROTECTED_ROOT_NAMES = [
  '.mcp.json',
  '.envrc',
  '.vscode',
  '.idea',
  '.claude',
  '.codex',
  '.gemini',
  '.cursor',
  '.toolwright',
  'toolwright.yaml',
  'trae_config.yaml',
  'trae_config.json',
] as const;

/** The same in a git directory. */
export const PROTECTED_GIT_NAMES = [
  'config',
  'config.worktree',
  'hooks',
  'info/attributes',
] as const;

export type NameState = 'absent' | 'file' | 'dir' | 'link' | 'other';

export function stateOf(path: string): NameState {
  try {
    const stat = lstatSync(path);
    if (stat.isSymbolicLink()) return 'link';
    if (stat.isDirectory()) return 'dir';
    return stat.isFile() ? 'file' : 'other';
  } catch {
    return 'absent';
  }
}

/** Git directories inside one: the own, those of submodules and of linked worktrees. */
export function gitDirectoriesIn(gitDirectory: string): string[] {
  const nested = ['modules', 'worktrees'].flatMap((kind) => {
    try {
      return readdirSync(join(gitDirectory, kind)).map((name) => join(gitDirectory, kind, name));
    } catch {
      return [];
    }
  });
  return [gitDirectory, ...nested];
}

/** Every protected path of a workspace and its git directory, existing or not. */
export function protectedPaths(workspace: string, gitDirectory: string | null): string[] {
  const paths = PROTECTED_ROOT_NAMES.map((name) => join(workspace, name));
  const pointer = join(workspace, '.git');
  if (['file', 'link'].includes(stateOf(pointer))) paths.push(pointer);
  if (gitDirectory === null) return paths;
  const inGit = gitDirectoriesIn(gitDirectory).flatMap((folder) =>
    PROTECTED_GIT_NAMES.map((name) => join(folder, name)),
  );
  return [...paths, ...inGit];
}

/** Folders strictly between `top` and `path`, outermost first. */
function foldersBetween(top: string, path: string): string[] {
  const result: string[] = [];
  for (let folder = dirname(path); folder !== top && folder.length > top.length; ) {
    result.unshift(folder);
    folder = dirname(folder);
  }
  return result;
}

/**
 * Arguments that make existing protected paths unwritable. Each folder above one is bound onto itself first, because
 * a mount point cannot be renamed: otherwise `mv .git x; mkdir .git` would defeat the read-only binds.
 */
export function protectedArguments(
  workspace: string,
  gitDirectory: string | null,
  paths: readonly string[],
): string[] {
  const pinned = new Set<string>();
  const fixed: string[] = [];
  for (const path of paths) {
    const state = stateOf(path);
    if (state !== 'file' && state !== 'dir') continue;
    const inWorkspace = path.startsWith(`${workspace}/`);
    const top = inWorkspace || gitDirectory === null ? workspace : dirname(gitDirectory);
    for (const folder of foldersBetween(top, path)) {
      if (stateOf(folder) === 'dir') pinned.add(folder);
    }
    fixed.push(path);
  }
  return [
    ...[...pinned].flatMap((folder) => ['--bind', folder, folder]),
    ...fixed.flatMap((path) => ['--ro-bind', path, path]),
  ];
}
