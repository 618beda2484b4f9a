/**
 * What is done to a log before it is written to again: a damaged tail is cut off and kept beside it; a log damaged in
 * the middle is left exactly as it is.
 */
import { type FileHandle, open, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from './fs-atomic.ts';
import { errorCode } from './fs-error.ts';
import { type LogRead, readEvents } from './read-log.ts';
import type { SessionPaths } from './types.ts';

export function compactTime(date: Date): string {
  return date.toISOString().replaceAll(/[-:]/g, '');
}

async function openNew(path: string): Promise<FileHandle> {
  for (let number = 0; ; number += 1) {
    try {
      return await open(number === 0 ? path : `${path}-${number}`, 'wx', 0o600);
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
}

async function readTail(file: string, offset: number, length: number): Promise<Buffer> {
  const handle = await open(file, 'r');
  try {
    const bytes = Buffer.alloc(length);
    const { bytesRead } = await handle.read(bytes, 0, length, offset);
    return bytes.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Moves everything from `offset` on into a new file `<kept>` (numbered on a collision), synced before it is cut. */
export async function cutTail(
  file: string,
  offset: number,
  length: number,
  kept: string,
): Promise<void> {
  const tail = await readTail(file, offset, length);
  const copy = await openNew(kept);
  try {
    await copy.writeFile(tail);
    await copy.datasync();
  } finally {
    await copy.close();
  }
  await truncate(file, offset);
}

/** Reads the log and cuts a torn tail, kept as `events.torn-<time>`. */
export async function recoverLog(paths: SessionPaths, now: Date): Promise<LogRead> {
  const read = await readEvents(paths.events);
  if (read.readOnly === null && read.tailBytes > 0) {
    const kept = join(paths.state, `events.torn-${compactTime(now)}`);
    await cutTail(paths.events, read.goodBytes, read.tailBytes, kept);
    await syncFolder(paths.state);
  }
  return read;
}
