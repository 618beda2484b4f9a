import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findRepository } from '../../environment/git-directory.ts';
import type { ExecutionEnvironment } from '../../environment/types.ts';
import { type GitPlace, runGit } from './git-runner.ts';

const TIMEOUT_MS = 20_000;

/**
 * Where the snapshots of a workspace are taken: its repository, or a private one below `store` (also when the task
 * began with that and a repository was made since). Null when git does not work here.
 */
export async function locateRepository(
  environment: ExecutionEnvironment,
  workspace: string,
  store: string,
  kind: 'any' | 'private' = 'any',
): Promise<GitPlace | null> {
  await mkdir(join(store, 'objects'), { recursive: true, mode: 0o700 });
  const found = kind === 'private' ? null : findRepository(workspace);
  const top = found?.top ?? workspace;
  const base = { environment, workspace, top, store };
  if (found === null) return privateRepository(base);
  const plain = join(top, '.git');
  if (found.gitDirectory === plain)
    return { ...base, gitDirectory: plain, objects: join(plain, 'objects') };
  return linkedRepository({ ...base, gitDirectory: found.gitDirectory });
}

type Base = Omit<GitPlace, 'gitDirectory' | 'objects'>;

async function privateRepository(base: Base): Promise<GitPlace | null> {
  const place = { ...base, gitDirectory: join(base.store, 'repository'), objects: null };
  const made = await runGit(place, 'git init -q --template=', { timeoutMs: TIMEOUT_MS }).catch(
    () => null,
  );
  return made?.code === 0 ? place : null;
}

/** A linked worktree or a submodule: git itself says which directory belongs to this working tree. */
async function linkedRepository(
  base: Base & { readonly gitDirectory: string },
): Promise<GitPlace | null> {
  const place = { ...base, objects: null };
  const asked = await runGit(
    place,
    'unset GIT_DIR GIT_OBJECT_DIRECTORY; git -C "$1" rev-parse --absolute-git-dir --path-format=absolute --git-path objects',
    { args: [base.top], timeoutMs: TIMEOUT_MS },
  ).catch(() => null);
  const [gitDirectory, objects] = asked?.stdout.toString('utf8').split('\n') ?? [];
  if (asked?.code !== 0 || gitDirectory === undefined || objects === undefined) return null;
  return { ...place, gitDirectory, objects };
}
