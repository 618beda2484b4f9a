import { randomBytes } from 'node:crypto';
import {
  close,
  constants,
  fchmodSync,
  fchownSync,
  fdatasync,
  fsync,
  openSync,
  type Stats,
  unlinkSync,
  write as writeCallback,
  writeSync,
} from 'node:fs';
import { promisify } from 'node:util';
import type { OpenDirectory } from './descriptor.ts';
import { errorCode } from './failures.ts';

const writeAsync = promisify(writeCallback);
const fdatasyncAsync = promisify(fdatasync);
const fsyncAsync = promisify(fsync);
const closeAsync = promisify(close);

const SYNC_BYTES = 256 * 1024;
const CHUNK_BYTES = 4 * 1024 * 1024;

export const TEMP_NAME = /^\.tw-[0-9a-f]{16}$/;

export function newTempName(): string {
  return `.tw-${randomBytes(8).toString('hex')}`;
}

/** Never follows, never reuses: the name is new or the call fails. */
export function createTemp(path: string): number {
  const flags =
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  return openSync(path, flags, 0o600);
}

export async function writeAll(fd: number, content: Uint8Array): Promise<void> {
  let written = 0;
  while (written < content.length) {
    const size = Math.min(CHUNK_BYTES, content.length - written);
    written +=
      content.length <= SYNC_BYTES
        ? writeSync(fd, content, written, size)
        : (await writeAsync(fd, content, written, size)).bytesWritten;
  }
}

/** Permission bits of what it replaces (never setuid or setgid), or those any new file gets; owner kept if possible. */
export function takeOver(fd: number, before: Stats | null): { readonly ownerChanged: boolean } {
  if (before === null) {
    fchmodSync(fd, 0o666 & ~process.umask());
    return { ownerChanged: false };
  }
  const ownerChanged = !keepOwner(fd, before);
  fchmodSync(fd, before.mode & 0o1777);
  return { ownerChanged };
}

function keepOwner(fd: number, before: Stats): boolean {
  const uid = process.geteuid?.() ?? before.uid;
  const gid = process.getegid?.() ?? before.gid;
  if (before.uid === uid && before.gid === gid) return true;
  try {
    fchownSync(fd, before.uid, before.gid);
    return true;
  } catch {
    return before.uid === uid;
  }
}

export async function syncAndClose(fd: number): Promise<void> {
  try {
    await fdatasyncAsync(fd);
  } finally {
    await closeAsync(fd);
  }
}

export async function syncFile(fd: number): Promise<void> {
  await fdatasyncAsync(fd);
}

/** Makes a finished rename durable. Some file systems cannot sync a folder; that is no fault of the write. */
export async function syncDirectory(directory: OpenDirectory): Promise<void> {
  const fd = openSync(`${directory.at}/.`, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0));
  try {
    await fsyncAsync(fd);
  } catch (error) {
    if (errorCode(error) !== 'EINVAL' && errorCode(error) !== 'ENOTSUP') throw error;
  } finally {
    await closeAsync(fd);
  }
}

export function removeQuietly(path: string | Buffer): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (errorCode(error) === '') throw error;
  }
}
