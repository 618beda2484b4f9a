import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync } from 'node:fs';
import { errorCode } from './failures.ts';
import { nameIn } from './segments.ts';

/** Linux only, not among Node's constants: a descriptor that names a place and gives no access to content. */
const O_PATH = 0o10000000;

/** By descriptor on Linux; elsewhere by path with a check afterwards, which is weaker against racing swaps. */
export const BY_DESCRIPTOR = process.platform === 'linux';

export const READ_FLAGS =
  constants.O_RDONLY |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0) |
  (constants.O_NOCTTY ?? 0);
export const DIRECTORY_FLAGS = READ_FLAGS | (constants.O_DIRECTORY ?? 0);
const PLACE_FLAGS = O_PATH | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);

/** An open directory. `at` is its name for fs calls: below `/proc/self/fd` it is immune to renames and swaps. */
export interface OpenDirectory {
  readonly fd: number;
  readonly at: string;
}

export function openPlace(path: string | Buffer, portablePath: string): OpenDirectory {
  if (!BY_DESCRIPTOR) return openPortable(path, portablePath);
  const fd = openSync(path, PLACE_FLAGS);
  return { fd, at: `/proc/self/fd/${fd}` };
}

function openPortable(path: string | Buffer, portablePath: string): OpenDirectory {
  const found = lstatSync(path);
  if (!found.isDirectory()) {
    throw Object.assign(new Error('not a directory'), { code: 'ENOTDIR' });
  }
  return { fd: -1, at: portablePath };
}

export function closePlace(place: OpenDirectory): void {
  if (place.fd >= 0) closeSync(place.fd);
}

/** The link's target as raw bytes, or null when the name is no link. */
export function readLink(directory: OpenDirectory, name: string): Buffer | null {
  try {
    return readlinkSync(nameIn(directory.at, name), { encoding: 'buffer' });
  } catch (error) {
    if (errorCode(error) === 'EINVAL' || errorCode(error) === 'UNKNOWN') return null;
    throw error;
  }
}

/** Where an open descriptor lies now, links resolved by the kernel. */
export function pathOfDescriptor(fd: number): string {
  return readlinkSync(`/proc/self/fd/${fd}`, { encoding: 'latin1' });
}

/** Component-wise: equal, or below. Both in the same encoding, without a trailing slash. */
export function isBelow(path: string, root: string): boolean {
  if (root === '/') return path.startsWith('/');
  return path.startsWith(root) && (path.length === root.length || path[root.length] === '/');
}

/**
 * The weaker check of platforms without `/proc`: no component from the root down is a link now, and the last one
 * is the object that was opened.
 */
export function isSameObject(fd: number, rootReal: string, segments: readonly string[]): boolean {
  let path = rootReal;
  for (const segment of segments) {
    path = `${path}/${segment}`;
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined || found.isSymbolicLink()) return false;
  }
  const opened = fstatSync(fd, { bigint: true });
  const named = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return named !== undefined && named.ino === opened.ino && named.dev === opened.dev;
}
