import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolwrightError } from '../../errors.ts';
import type { PatchInfo } from '../../session/events.ts';
import { type GitPlace, runGit } from './git-runner.ts';
import { isOwnPath } from './own-files.ts';

export type Omitted = PatchInfo['omitted'][number];

export interface SnapshotOptions {
  readonly exclude: readonly string[];
  /** Paths from the top that never count, with all below them, asked when the files are listed. */
  readonly ownPaths: () => readonly string[];
  /** Size in bytes of a file by its path from the top, or null when it cannot be told. */
  readonly sizeOf: (path: Buffer) => Promise<number | null>;
  /** Inside a sandbox the repository's filters may run. */
  readonly filtersAllowed: boolean;
  readonly timeoutMs: number;
}

export interface Snapshot {
  readonly tree: string;
  readonly omitted: readonly Omitted[];
}

const LARGEST_FILE = 10 * 1024 * 1024;
const MOST_FILES = 5000;
const MOST_PRIVATE_FILES = 20_000;
const MOST_PRIVATE_BYTES = 500 * 1024 * 1024;
const MOST_LISTED = 200;

/**
 * Copies the repository's index and lists what differs from it. Nothing of the repository is written. The copy keeps
 * its time: by it git knows which files may have changed after they were added without a trace in their times.
 */
const LIST = `set -e
cd "$3"
if [ "$4" = copy ]; then
  if [ -f "$2" ]; then cp -p -- "$2" "$1/index"; else rm -f -- "$1/index"; fi
fi
git diff-files --name-only -z --no-renames --ignore-submodules=all -- "$5" > "$1/changed"
git ls-files -o -z --exclude-standard --exclude-from="$1/exclude" -- "$5" > "$1/untracked"
git ls-files -s -z -- "$5" > "$1/entries"`;

const WRITE = `set -e
cd "$2"
git update-index --add --remove --replace -z --stdin < "$1/paths"
git write-tree`;

/** The state of the workspace now as a tree, with new objects in our own store. Throws when git fails. */
export async function takeSnapshot(place: GitPlace, options: SnapshotOptions): Promise<Snapshot> {
  const { store, top } = place;
  const config = options.filtersAllowed ? [] : await withoutFilters(place, options.timeoutMs);
  await writeFile(join(store, 'exclude'), `${options.exclude.join('\n')}\n`, { mode: 0o600 });
  const { timeoutMs } = options;
  const copy = place.objects === null ? 'keep' : 'copy';
  const args = [store, join(place.gitDirectory, 'index'), top, copy, within(place)];
  check(await runGit(place, LIST, { args, config, timeoutMs }));
  const [changed, untracked, entries] = await Promise.all(
    ['changed', 'untracked', 'entries'].map(async (name) =>
      splitNul(await readFile(join(store, name))),
    ),
  );
  const ownPaths = options.ownPaths();
  const counts = (path: Buffer) => !isOwnPath(path.toString(), ownPaths);
  const chosen = await chooseUntracked(place, (untracked ?? []).filter(counts), options);
  const paths = [...(changed ?? []).filter(counts), ...chosen.paths];
  await writeFile(join(store, 'paths'), joinNul(paths), { mode: 0o600 });
  const written = check(await runGit(place, WRITE, { args: [store, top], config, timeoutMs }));
  const links = (entries ?? []).flatMap(nestedLink);
  return {
    tree: written.stdout.toString('utf8').trim(),
    omitted: [...links, ...chosen.omitted],
  };
}

/** The workspace as git sees it from the top: `.` or the sub-folder. */
export function within(place: GitPlace): string {
  return place.workspace === place.top ? '.' : place.workspace.slice(place.top.length + 1);
}

async function chooseUntracked(
  place: GitPlace,
  untracked: readonly Buffer[],
  options: SnapshotOptions,
): Promise<{ readonly paths: readonly Buffer[]; readonly omitted: readonly Omitted[] }> {
  const paths: Buffer[] = [];
  const omitted: Omitted[] = [];
  let bytes = 0;
  const most = place.objects === null ? MOST_PRIVATE_FILES : MOST_FILES;
  for (const path of untracked) {
    const name = path.toString();
    if (name.endsWith('/')) {
      omitted.push({ path: name.slice(0, -1), reason: 'nested_repository' });
      continue;
    }
    const size = paths.length < most ? ((await options.sizeOf(path)) ?? 0) : 0;
    const full = paths.length >= most || (place.objects === null && bytes > MOST_PRIVATE_BYTES);
    if (full) omitted.push({ path: name, reason: 'count' });
    else if (size > LARGEST_FILE) omitted.push({ path: name, reason: 'size' });
    else {
      bytes += size;
      paths.push(path);
    }
  }
  return { paths, omitted: omitted.slice(0, MOST_LISTED) };
}

/** An index entry of mode 160000 is a commit of another repository. */
function nestedLink(entry: Buffer): Omitted[] {
  if (!entry.subarray(0, 7).equals(Buffer.from('160000 '))) return [];
  const path = entry.subarray(entry.indexOf(0x09) + 1).toString();
  return [{ path, reason: 'nested_repository' }];
}

/** Settings that empty every filter the repository defines: without a sandbox none of its programs may run. */
async function withoutFilters(place: GitPlace, timeoutMs: number): Promise<readonly string[]> {
  const listed = await runGit(place, 'git config --list --name-only -z', { timeoutMs });
  const names = splitNul(listed.stdout).map((name) => name.toString());
  return [...new Set(names)].flatMap((name) => {
    const setting = /^filter\..+\.(clean|smudge|process|required)$/s.exec(name)?.[1];
    if (setting === undefined) return [];
    return [`${name}=${setting === 'required' ? 'false' : ''}`];
  });
}

function check<T extends { readonly code: number | null; readonly stderr: string }>(outcome: T): T {
  if (outcome.code === 0) return outcome;
  throw new ToolwrightError('snapshot_failed', outcome.stderr || 'git did not finish in time');
}

function splitNul(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0, start);
    const stop = end === -1 ? bytes.length : end;
    parts.push(bytes.subarray(start, stop));
    start = stop + 1;
  }
  return parts;
}

function joinNul(parts: readonly Buffer[]): Buffer {
  return Buffer.concat(parts.flatMap((part) => [part, Buffer.of(0)]));
}
