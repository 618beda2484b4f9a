import { close, closeSync, read as readCallback, readSync } from 'node:fs';
import { promisify } from 'node:util';
import { checkSignal, fileFailure, pathFailure } from './failures.ts';
import { type AccessState, openFile } from './open-file.ts';
import type { ResolvedPath } from './types.ts';

const readAsync = promisify(readCallback);
const closeAsync = promisify(close);

/** Below this, reading at once is faster than a trip through the thread pool. */
const SYNC_BYTES = 256 * 1024;
const CHUNK_BYTES = 4 * 1024 * 1024;

export async function readWhole(
  state: AccessState,
  path: ResolvedPath,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<Buffer> {
  checkSignal(signal);
  const { fd, stats } = openFile(state, path);
  if (stats.size > maxBytes) {
    closeSync(fd);
    throw tooLarge(path.logical, stats.size, maxBytes);
  }
  if (stats.size <= SYNC_BYTES) {
    const small = readSmall(fd, stats.size, path.logical);
    if (small !== null) return small;
  }
  try {
    return await readUpTo(fd, stats.size, maxBytes, path.logical, signal);
  } catch (error) {
    throw fileFailure(error, path.logical);
  } finally {
    await closeAsync(fd);
  }
}

/** The whole file and `fd` closed, or null with `fd` open and untouched when it holds more than its size said. */
function readSmall(fd: number, size: number, logical: string): Buffer | null {
  const buffer = Buffer.allocUnsafe(size + 1);
  let length = 0;
  try {
    while (length <= size) {
      const got = readSync(fd, buffer, length, size + 1 - length, length);
      if (got === 0 || (got === size && size > 0)) {
        length += got;
        closeSync(fd);
        return buffer.subarray(0, length);
      }
      length += got;
    }
    return null;
  } catch (error) {
    closeSync(fd);
    throw fileFailure(error, logical);
  }
}

async function readUpTo(
  fd: number,
  size: number,
  maxBytes: number,
  logical: string,
  signal: AbortSignal | undefined,
): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for (;;) {
    checkSignal(signal);
    const expected = size + 1 - length;
    const chunk = Buffer.allocUnsafe(Math.max(65_536, Math.min(CHUNK_BYTES, expected)));
    const { bytesRead } = await readAsync(fd, chunk, 0, chunk.length, length);
    if (bytesRead === 0) return parts.length === 1 ? (parts[0] ?? chunk) : Buffer.concat(parts);
    length += bytesRead;
    if (length > maxBytes) throw tooLarge(logical, length, maxBytes);
    parts.push(chunk.subarray(0, bytesRead));
  }
}

export async function readRange(
  state: AccessState,
  path: ResolvedPath,
  offset: number,
  length: number,
  signal?: AbortSignal,
): Promise<Buffer> {
  checkSignal(signal);
  const { fd } = openFile(state, path);
  try {
    const buffer = Buffer.allocUnsafe(length);
    let filled = 0;
    while (filled < length) {
      checkSignal(signal);
      const wanted = Math.min(CHUNK_BYTES, length - filled);
      const got =
        length <= SYNC_BYTES
          ? readSync(fd, buffer, filled, wanted, offset + filled)
          : (await readAsync(fd, buffer, filled, wanted, offset + filled)).bytesRead;
      if (got === 0) break;
      filled += got;
    }
    return buffer.subarray(0, filled);
  } catch (error) {
    throw fileFailure(error, path.logical);
  } finally {
    closeSync(fd);
  }
}

export function tooLarge(logical: string, found: number, limit: number): Error {
  return pathFailure(
    'too_large',
    logical,
    `has at least ${found} bytes; at most ${limit} are read at once`,
  );
}
