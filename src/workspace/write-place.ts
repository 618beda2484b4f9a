import { lstatSync, mkdirSync, type Stats } from 'node:fs';
import { fileFailure, pathFailure } from './failures.ts';
import { type AccessState, typeOfMode, wrongType } from './open-file.ts';
import { PathWalk } from './path-walk.ts';
import { assertInside } from './root-table.ts';
import { checkNewName, nameIn } from './segments.ts';
import type { Grant, ResolvedPath } from './types.ts';
import { guardNewFolders, guardWrite } from './write-guard.ts';

/** A checked place for writing: an open parent, a name in it, and what stands there now. */
export interface WritePlace {
  readonly walk: PathWalk;
  readonly name: string;
  readonly before: Stats | null;
  /** Name of the entry for fs calls. */
  readonly target: string | Buffer;
}

/**
 * Walks to the place a write is about, links followed, guards checked before any effect. The caller closes
 * `walk`. Throws ToolFailure.
 */
export function openWritePlace(
  state: AccessState,
  path: ResolvedPath,
  grant: Grant,
  options: { readonly makeParents: boolean; readonly followLast: boolean },
): WritePlace {
  const walk = new PathWalk(state.table, path);
  try {
    const guard = (segments: readonly string[]): void =>
      guardWrite(path, walk.root, segments, grant, state.secretAllowed);
    if (!path.root.write) guard(path.segments);
    walkToLast(walk, options.makeParents, guard);
    let before = lookAt(walk);
    while (options.followLast && before?.isSymbolicLink() === true && walk.follow()) {
      walkToLast(walk, false, guard);
      before = lookAt(walk);
    }
    const name = walk.name;
    if (name === null) throw wrongType(path.logical, 'dir', 'file');
    guard(walk.segments);
    assertInside(walk.directory.fd, walk.root, walk.segments.slice(0, -1), path.logical);
    if (before === null && walk.followed) {
      throw pathFailure('not_found', path.logical, 'is a link to something that does not exist');
    }
    if (before === null) checkNewName(name);
    return { walk, name, before, target: nameIn(walk.directory.at, name) };
  } catch (error) {
    walk.close();
    throw fileFailure(error, path.logical);
  }
}

function walkToLast(
  walk: PathWalk,
  makeParents: boolean,
  guard: (segments: readonly string[]) => void,
): void {
  if (!makeParents) {
    walk.toLast();
    return;
  }
  walk.toLast((at, name) => {
    guardNewFolders(at, name, guard);
    assertInside(at.directory.fd, at.root, at.segments, at.path.logical);
    try {
      mkdirSync(nameIn(at.directory.at, name), 0o777);
    } catch (error) {
      throw fileFailure(error, at.path.logical);
    }
  });
}

function lookAt(walk: PathWalk): Stats | null {
  return lstatSync(walk.target, { throwIfNoEntry: false }) ?? null;
}

/** Throws ToolFailure `wrong_type` unless the place is free or holds a regular file. */
export function requireFileOrNothing(place: WritePlace, logical: string): void {
  if (place.before === null) return;
  const type = typeOfMode(place.before.mode);
  if (type !== 'file') throw wrongType(logical, type, 'file');
}
