/**
 * 1 MiB kept free for the end of a run on a full disk (safety.md section 13).
 */
import { randomBytes } from 'node:crypto';
import { stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from './fs-error.ts';
import type { SessionPaths } from './types.ts';

const RESERVE_BYTES = 1024 * 1024;

function reserveFile(paths: SessionPaths): string {
  return join(paths.state, 'reserve');
}

/** Makes the reserve when it is missing. Without space for it the session runs without one. */
export async function keepReserve(paths: SessionPaths): Promise<void> {
  const file = reserveFile(paths);
  try {
    if ((await stat(file)).size === RESERVE_BYTES) return;
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') return;
  }
  // Random bytes, so that a compressing file system really keeps the space.
  await writeFile(file, randomBytes(RESERVE_BYTES), { mode: 0o600 }).catch(() =>
    unlink(file).catch(() => undefined),
  );
}

/** Gives the space back to the disk; false when there was none. */
export async function freeReserve(paths: SessionPaths): Promise<boolean> {
  try {
    await unlink(reserveFile(paths));
    return true;
  } catch {
    return false;
  }
}
