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

const TAKE = 'top=$1 from=$2 to=$3 file=$4; shift 4; ';
const CHANGED = `${TAKE}git -C "$top" diff-tree --numstat -z ${FLAGS} "$from" "$to" -- "$@"`;
const PATCH = `${TAKE}git -C "$top" diff-tree -p --binary --full-index --src-prefix=a/ --dst-prefix=b/ ${FLAGS} "$from" "$to" -- "$@" > "$file"`;

/** Two trees (or commits), and the paths from the top that do not count. */
export interface TreeRange {
  readonly from: string;
  readonly to: string;
  readonly ownPaths: readonly string[];
}

/** Files that differ between two trees, within the workspace. */
export async function changedFiles(
  place: GitPlace,
  range: TreeRange,
  timeoutMs: number,
): Promise<readonly ChangedFile[]> {
  const args = diffArguments(place, range);
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
  range: TreeRange,
  timeoutMs: number,
): Promise<Buffer> {
  const args = diffArguments(place, range);
  const outcome = await runGit(place, PATCH, { args, timeoutMs });
  if (outcome.code !== 0) throw new ToolwrightError('patch_failed', outcome.stderr);
  const file = diffFile(place);
  return (await stat(file)).size === 0 ? Buffer.alloc(0) : readFile(file);
}

function diffFile(place: GitPlace): string {
  return join(place.store, 'new.diff');
}

function diffArguments(place: GitPlace, { from, to, ownPaths }: TreeRange): string[] {
  const without = ownPaths.map((path) => `:(top,exclude,literal)${path}`);
  return [place.top, from, to, diffFile(place), within(place), ...without];
}
