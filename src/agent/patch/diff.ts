import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolwrightError } from '../../errors.ts';
import { type GitPlace, runGit } from './git-runner.ts';
import { within } from './snapshot.ts';

export interface ChangedFile {
  readonly path: string;
  /** Zero for binary files. */
  readonly insertions: number;
  readonly deletions: number;
}

const FLAGS =
  '-r --no-renames --no-ext-diff --no-textconv --no-color --ignore-submodules=all --end-of-options';

const CHANGED = `git -C "$1" diff-tree --numstat -z ${FLAGS} "$2" "$3" -- "$4"`;
const PATCH = `git -C "$1" diff-tree -p --binary --full-index --src-prefix=a/ --dst-prefix=b/ ${FLAGS} "$2" "$3" -- "$4" > "$5"`;

/** Files that differ between two trees, within the workspace. */
export async function changedFiles(
  place: GitPlace,
  from: string,
  to: string,
  timeoutMs: number,
): Promise<readonly ChangedFile[]> {
  const args = [place.top, from, to, within(place)];
  const outcome = await runGit(place, CHANGED, { args, timeoutMs });
  if (outcome.code !== 0) throw new ToolwrightError('patch_failed', outcome.stderr);
  return outcome.stdout
    .toString('utf8')
    .split('\0')
    .filter((row) => row !== '')
    .map((row) => {
      const [insertions = '0', deletions = '0', ...path] = row.split('\t');
      return {
        path: path.join('\t'),
        insertions: Number(insertions) || 0,
        deletions: Number(deletions) || 0,
      };
    });
}

/** The patch between two trees, as bytes. */
export async function patchBytes(
  place: GitPlace,
  from: string,
  to: string,
  timeoutMs: number,
): Promise<Buffer> {
  const file = join(place.store, 'new.diff');
  const args = [place.top, from, to, within(place), file];
  const outcome = await runGit(place, PATCH, { args, timeoutMs });
  if (outcome.code !== 0) throw new ToolwrightError('patch_failed', outcome.stderr);
  return (await stat(file)).size === 0 ? Buffer.alloc(0) : readFile(file);
}
