import {
  closeSync,
  type Dir,
  type Dirent,
  lstatSync,
  opendirSync,
  openSync,
  type PathLike,
} from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { BY_DESCRIPTOR, DIRECTORY_FLAGS } from './descriptor.ts';
import { checkSignal, fileFailure } from './failures.ts';
import { guardSecret } from './name-guard.ts';
import { type AccessState, typeOfMode, wrongType } from './open-file.ts';
import { PathWalk } from './path-walk.ts';
import { isHiddenName } from './protected-names.ts';
import { assertInside, type OpenRoot } from './root-table.ts';
import { nameIn, segmentOfBytes } from './segments.ts';
import type { DirEntry, FileType, ResolvedPath } from './types.ts';

/** After so many entries other work gets its turn and a cancel is seen. */
const TURN = 512;

export interface OpenFolder {
  readonly fd: number;
  /** Directory name for fs calls below it. */
  readonly at: string;
  readonly root: OpenRoot;
  readonly segments: readonly string[];
}

/** Opens a directory for reading its entries; the caller closes `fd`. Throws ToolFailure. */
export function openFolder(state: AccessState, path: ResolvedPath): OpenFolder {
  state.table.dropDeleted(path);
  const walk = new PathWalk(state.table, path);
  try {
    const fd = openDirectory(walk, path);
    try {
      assertInside(fd, walk.root, walk.segments, path.logical);
      guardSecret(path, walk, 'directory', state.secretAllowed);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    const at = BY_DESCRIPTOR ? `/proc/self/fd/${fd}` : walk.real;
    return { fd, at, root: walk.root, segments: walk.segments };
  } finally {
    walk.close();
  }
}

function openDirectory(walk: PathWalk, path: ResolvedPath): number {
  if (path.segments.length === 0) return openSync(`${walk.directory.at}/.`, DIRECTORY_FLAGS);
  walk.toLast();
  for (;;) {
    const found = lstatSync(walk.target, { throwIfNoEntry: false });
    if (found?.isSymbolicLink() === true && walk.follow()) {
      walk.toLast();
      if (walk.name === null) return openSync(`${walk.directory.at}/.`, DIRECTORY_FLAGS);
      continue;
    }
    if (found !== undefined && !found.isDirectory()) {
      throw wrongType(path.logical, typeOfMode(found.mode), 'directory');
    }
    try {
      return openSync(walk.target, DIRECTORY_FLAGS);
    } catch (error) {
      throw fileFailure(error, path.logical);
    }
  }
}

export interface RawEntry {
  readonly segment: string;
  readonly type: FileType;
}

/** Names and types of a directory in bounded turns. Stops after `max` entries and says whether there were more. */
export async function readEntries(
  at: string,
  max: number,
  signal: AbortSignal | undefined,
): Promise<{ readonly entries: RawEntry[]; readonly more: boolean }> {
  const directory = openStream(at);
  const entries: RawEntry[] = [];
  try {
    for (;;) {
      const entry = directory.readSync() as Dirent<Buffer> | Dirent<string> | null;
      if (entry === null) return { entries, more: false };
      if (entries.length >= max) return { entries, more: true };
      const bytes = typeof entry.name === 'string' ? Buffer.from(entry.name) : entry.name;
      entries.push({ segment: segmentOfBytes(bytes), type: typeOfEntry(entry) });
      if (entries.length % TURN === 0) {
        await nextTurn();
        checkSignal(signal);
      }
    }
  } finally {
    directory.closeSync();
  }
}

/** Node reads names as bytes when asked so, though its types do not say it. */
function openStream(at: string): Dir {
  const open = opendirSync as (
    path: PathLike,
    options: { encoding: string; bufferSize: number },
  ) => Dir;
  return open(at, { encoding: 'buffer', bufferSize: 256 });
}

function typeOfEntry(entry: Dirent<Buffer> | Dirent<string>): FileType {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'dir';
  if (entry.isSymbolicLink()) return 'link';
  if (entry.isFIFO()) return 'fifo';
  if (entry.isSocket()) return 'socket';
  if (entry.isCharacterDevice()) return 'char';
  return entry.isBlockDevice() ? 'block' : 'unknown';
}

/** Entries with sizes and times, by name. Links are entries of their own. Throws ToolFailure. */
export async function listDirectory(
  state: AccessState,
  path: ResolvedPath,
  max: number,
  options: { readonly signal?: AbortSignal; readonly onPartial?: (reason: string) => void } = {},
): Promise<DirEntry[]> {
  checkSignal(options.signal);
  const folder = openFolder(state, path);
  try {
    const { entries, more } = await readEntries(folder.at, max, options.signal);
    if (more) options.onPartial?.(`only the first ${max} entries were read`);
    const result: DirEntry[] = [];
    for (const entry of entries) {
      if (isHiddenName(entry.segment, folder.root.fold)) continue;
      const described = describe(folder.at, entry);
      if (described !== null) result.push(described);
      if (result.length % TURN === 0) {
        await nextTurn();
        checkSignal(options.signal);
      }
    }
    return result.sort((a, b) => compareNames(a.segment, b.segment));
  } catch (error) {
    throw fileFailure(error, path.logical);
  } finally {
    closeSync(folder.fd);
  }
}

function describe(at: string, entry: RawEntry): DirEntry | null {
  const path = nameIn(at, entry.segment);
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (found === undefined) return null;
  return {
    name: entry.segment.toWellFormed(),
    ...(typeof path === 'string' ? {} : { nameBytes: path.subarray(Buffer.byteLength(at) + 1) }),
    segment: entry.segment,
    type: typeOfMode(Number(found.mode)),
    size: Number(found.size),
    mtimeNs: found.mtimeNs,
  };
}

/** One total order of names, the same on every machine. */
export function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
