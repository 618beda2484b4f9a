import { lstatSync } from 'node:fs';
import { fileFailure } from './failures.ts';
import { guardSecret } from './name-guard.ts';
import { type AccessState, typeOfMode } from './open-file.ts';
import { PathWalk } from './path-walk.ts';
import { assertInside } from './root-table.ts';
import type { FileStat, ResolvedPath } from './types.ts';

/** Throws ToolFailure: not_found, path_outside, path_denied. */
export function statEntry(state: AccessState, path: ResolvedPath, noFollow: boolean): FileStat {
  const walk = new PathWalk(state.table, path);
  try {
    walk.toLast();
    let found = look(walk);
    while (!noFollow && found?.isSymbolicLink() === true && walk.follow()) {
      walk.toLast();
      found = look(walk);
    }
    const parent = walk.name === null ? walk.segments : walk.segments.slice(0, -1);
    assertInside(walk.directory.fd, walk.root, parent, path.logical);
    const isDirectory = found?.isDirectory() === true;
    guardSecret(path, walk, isDirectory ? 'directory' : 'file', state.secretAllowed);
    if (found === undefined)
      throw fileFailure(Object.assign(new Error(), { code: 'ENOENT' }), path.logical);
    return {
      type: typeOfMode(Number(found.mode)),
      size: Number(found.size),
      mtimeNs: found.mtimeNs,
      mode: Number(found.mode),
      dev: found.dev,
      ino: found.ino,
      nlink: Number(found.nlink),
    };
  } catch (error) {
    throw fileFailure(error, path.logical);
  } finally {
    walk.close();
  }
}

function look(walk: PathWalk) {
  const target = walk.name === null ? `${walk.directory.at}/.` : walk.target;
  return lstatSync(target, { bigint: true, throwIfNoEntry: false });
}

/** The real absolute path; of something new, the real path of its nearest existing folder and the rest. */
export function realPathOf(state: AccessState, path: ResolvedPath): string {
  const walk = new PathWalk(state.table, path);
  try {
    walk.toLast();
    while (look(walk)?.isSymbolicLink() === true && walk.follow()) walk.toLast();
    return walk.real;
  } catch (error) {
    const missing = error instanceof Error && 'kind' in error && error.kind === 'not_found';
    if (!missing) throw fileFailure(error, path.logical);
    return walk.unreached;
  } finally {
    walk.close();
  }
}
