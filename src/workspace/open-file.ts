import { closeSync, constants, fstatSync, openSync, type Stats } from 'node:fs';
import { READ_FLAGS } from './descriptor.ts';
import { errorCode, fileFailure, pathFailure } from './failures.ts';
import { guardSecret, type SecretException } from './name-guard.ts';
import { PathWalk } from './path-walk.ts';
import { isSecretName } from './protected-names.ts';
import { assertInside, type RootTable } from './root-table.ts';
import type { FileType, ResolvedPath } from './types.ts';

export interface OpenFile {
  readonly fd: number;
  readonly stats: Stats;
}

/** What the file operations share. */
export interface AccessState {
  readonly table: RootTable;
  readonly secretAllowed: SecretException;
}

export function typeOfMode(mode: number): FileType {
  switch (mode & constants.S_IFMT) {
    case constants.S_IFREG:
      return 'file';
    case constants.S_IFDIR:
      return 'dir';
    case constants.S_IFLNK:
      return 'link';
    case constants.S_IFIFO:
      return 'fifo';
    case constants.S_IFSOCK:
      return 'socket';
    case constants.S_IFCHR:
      return 'char';
    case constants.S_IFBLK:
      return 'block';
    default:
      return 'unknown';
  }
}

const TYPE_WORDS: Readonly<Record<FileType, string>> = {
  file: 'a file',
  dir: 'a directory',
  link: 'a link',
  fifo: 'a named pipe',
  socket: 'a socket',
  char: 'a device',
  block: 'a device',
  unknown: 'of unknown type',
};

export function wrongType(logical: string, found: FileType, wanted: 'file' | 'directory'): Error {
  return pathFailure('wrong_type', logical, `is ${TYPE_WORDS[found]}, not a ${wanted}`);
}

/**
 * Opens a regular file for reading without ever blocking or following a link by name. The caller closes `fd`.
 * Throws ToolFailure: not_found, wrong_type, path_outside, path_denied.
 */
export function openFile(state: AccessState, path: ResolvedPath): OpenFile {
  const walk = new PathWalk(state.table, path);
  try {
    const fd = openLast(walk, READ_FLAGS);
    try {
      const stats = fstatSync(fd);
      const type = typeOfMode(stats.mode);
      if (type !== 'file') throw wrongType(path.logical, type, 'file');
      assertInside(fd, walk.root, walk.segments, path.logical);
      guardSecret(path, walk, 'file', state.secretAllowed);
      return { fd, stats };
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  } catch (error) {
    throw hideSecret(state, path, walk, error);
  } finally {
    walk.close();
  }
}

/** Opens the last component of a fresh walk, following links among the roots. The caller closes the descriptor. */
export function openLast(walk: PathWalk, flags: number): number {
  walk.toLastKept();
  for (;;) {
    try {
      return openSync(walk.target, flags);
    } catch (error) {
      const code = errorCode(error);
      const maybeLink = code === 'ELOOP' || code === 'ENOTDIR' || code === 'EMLINK';
      if (!maybeLink || !walk.follow()) throw fileFailure(error, walk.path.logical);
      walk.toLast();
    }
  }
}

/** Whether a secret-named file exists is nobody's business either. */
function hideSecret(
  state: AccessState,
  path: ResolvedPath,
  walk: PathWalk,
  error: unknown,
): unknown {
  if (isSecretName(path.segments, { fold: walk.root.fold }) && !state.secretAllowed(walk.real)) {
    const type = error instanceof Error && 'kind' in error ? error.kind : '';
    if (type === 'not_found') guardSecret(path, walk, 'file', state.secretAllowed);
  }
  return error;
}
