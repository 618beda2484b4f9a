import { type ErrorKind, isToolwrightError, ToolFailure } from '../errors.ts';
import { showPath } from './show-path.ts';

const KINDS: Readonly<Record<string, readonly [ErrorKind, string]>> = {
  ENOENT: ['not_found', 'does not exist'],
  ENOTDIR: ['wrong_type', 'is not a directory'],
  EISDIR: ['wrong_type', 'is a directory'],
  ELOOP: ['wrong_type', 'is a link where none is followed'],
  ENXIO: ['wrong_type', 'is a socket or device, not a file'],
  ENODEV: ['wrong_type', 'is a device without driver, not a file'],
  EEXIST: ['already_exists', 'already exists'],
  ENOTEMPTY: ['already_exists', 'is a directory that is not empty'],
  ENAMETOOLONG: ['invalid_arguments', 'has a component that is too long for the file system'],
  EACCES: ['path_denied', 'is not permitted by the operating system (rights)'],
  EPERM: ['path_denied', 'is not permitted by the operating system'],
  EROFS: ['path_denied', 'lies on a read-only file system'],
  EBUSY: ['path_denied', 'is in use as a mount point'],
  ENOSPC: ['tool_execution_error', 'was not written: the disk is full; nothing was changed'],
  EDQUOT: [
    'tool_execution_error',
    'was not written: the disk quota is used up; nothing was changed',
  ],
  EMFILE: ['tool_execution_error', 'could not be opened: too many open files; try again'],
  ENFILE: ['tool_execution_error', 'could not be opened: too many open files; try again'],
};

export function errorCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

/** Turns an error of `node:fs` into the ToolFailure the file seam promises; ours pass through. */
export function fileFailure(error: unknown, logical: string): Error {
  if (isToolwrightError(error)) return error;
  const code = errorCode(error);
  const known = KINDS[code];
  if (known !== undefined) return pathFailure(known[0], logical, known[1]);
  const reason = code === '' ? String(error) : code;
  return pathFailure('tool_execution_error', logical, `failed: ${reason}`);
}

export function pathFailure(kind: ErrorKind, logical: string, what: string): ToolFailure {
  return new ToolFailure(kind, `${showPath(logical) || '.'} ${what}`, {
    details: { path: logical },
  });
}

export function checkSignal(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new ToolFailure('cancelled', 'stopped before it was done');
}
