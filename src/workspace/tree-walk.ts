import { closeSync, lstatSync, openSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { BY_DESCRIPTOR, DIRECTORY_FLAGS } from './descriptor.ts';
import { checkSignal, errorCode, fileFailure } from './failures.ts';
import { compareNames, openFolder, type RawEntry, readEntries } from './list-directory.ts';
import { type AccessState, typeOfMode } from './open-file.ts';
import { isHiddenName } from './protected-names.ts';
import { nameIn } from './segments.ts';
import type { FileLimits, ResolvedPath, WalkEntry, WalkOptions } from './types.ts';

export type ChildOf = (parent: ResolvedPath, segment: string) => ResolvedPath;

interface Level {
  readonly fd: number;
  readonly at: string;
  readonly path: ResolvedPath;
  readonly entries: readonly RawEntry[];
  next: number;
}

interface Budget {
  readonly maxEntries: number;
  readonly maxDepth: number;
  readonly endsAt: number;
  seen: number;
}

/**
 * Depth first, names sorted within each folder, links listed and never followed, every folder opened through its
 * parent. A folder that cannot be read is left out and told through `onPartial`; so is every cap that was reached.
 */
export async function* walkTree(
  state: AccessState,
  path: ResolvedPath,
  limits: FileLimits,
  childOf: ChildOf,
  options: WalkOptions,
): AsyncGenerator<WalkEntry> {
  const budget: Budget = {
    maxEntries: options.maxEntries ?? limits.searchEntries,
    maxDepth: options.maxDepth ?? limits.depth,
    endsAt: performance.now() + (options.maxSeconds ?? limits.searchSeconds) * 1000,
    seen: 0,
  };
  checkSignal(options.signal);
  const folder = openFolder(state, path);
  const { fold, closed } = folder.root;
  const closedBelow = closed === null ? null : closedPath(closed, folder.segments, path);
  const levels: Level[] = [];
  try {
    await enter(levels, folder.fd, folder.at, path, budget, options);
    for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
      const entry = level.entries[level.next];
      level.next += 1;
      if (entry === undefined) {
        levels.pop();
        closeSync(level.fd);
        continue;
      }
      if (isHiddenName(entry.segment, fold)) continue;
      if (!(await goesOn(budget, options))) return;
      const child = childOf(level.path, entry.segment);
      if (child.absolute === closedBelow) continue;
      const found = lookAt(level.at, entry, child, options.stat !== false);
      if (found === null) continue;
      yield found;
      if (found.type !== 'dir' || options.enter?.(child) === false) continue;
      if (levels.length >= budget.maxDepth) {
        options.onPartial?.(`folders deeper than ${budget.maxDepth} levels were left out`);
        continue;
      }
      await descend(levels, level, entry, child, budget, options);
    }
  } catch (error) {
    throw fileFailure(error, path.logical);
  } finally {
    for (const level of levels) closeSync(level.fd);
  }
}

/** The runtime's own home as this walk would name it, or null when the walk cannot meet it. */
function closedPath(
  closed: readonly string[],
  start: readonly string[],
  path: ResolvedPath,
): string | null {
  if (!start.every((name, at) => closed[at] === name)) return null;
  const below = closed.slice(start.length).join('/');
  return path.absolute === '/' ? `/${below}` : `${path.absolute}/${below}`;
}

async function goesOn(budget: Budget, options: WalkOptions): Promise<boolean> {
  budget.seen += 1;
  if (budget.seen > budget.maxEntries) {
    options.onPartial?.(`stopped after ${budget.maxEntries} entries`);
    return false;
  }
  if (budget.seen % 256 !== 0) return true;
  await nextTurn();
  checkSignal(options.signal);
  if (performance.now() < budget.endsAt) return true;
  options.onPartial?.('stopped because the time for a search was used up');
  return false;
}

async function descend(
  levels: Level[],
  level: Level,
  entry: RawEntry,
  child: ResolvedPath,
  budget: Budget,
  options: WalkOptions,
): Promise<void> {
  try {
    const fd = openSync(nameIn(level.at, entry.segment), DIRECTORY_FLAGS);
    const at = BY_DESCRIPTOR ? `/proc/self/fd/${fd}` : `${level.at}/${entry.segment}`;
    await enter(levels, fd, at, child, budget, options);
  } catch (error) {
    if (errorCode(error) === '') throw error;
    options.onPartial?.(`${child.logical} could not be read (${errorCode(error)})`);
  }
}

async function enter(
  levels: Level[],
  fd: number,
  at: string,
  path: ResolvedPath,
  budget: Budget,
  options: WalkOptions,
): Promise<void> {
  try {
    const max = Math.max(0, budget.maxEntries - budget.seen) + 1;
    const { entries } = await readEntries(at, max, options.signal);
    entries.sort((a, b) => compareNames(a.segment, b.segment));
    options.onFolder?.(
      path,
      entries.map((entry) => entry.segment),
    );
    levels.push({ fd, at, path, entries, next: 0 });
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function lookAt(at: string, entry: RawEntry, path: ResolvedPath, stat: boolean): WalkEntry | null {
  if (!stat && entry.type !== 'unknown') return { path, type: entry.type, size: 0, mtimeNs: 0n };
  const found = lstatSync(nameIn(at, entry.segment), { bigint: true, throwIfNoEntry: false });
  if (found === undefined) return null;
  return {
    path,
    type: typeOfMode(Number(found.mode)),
    size: Number(found.size),
    mtimeNs: found.mtimeNs,
  };
}
