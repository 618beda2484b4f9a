/**
 * One writer for a session (safety.md section 13). Each taker links a file `lock.<epoch>` with the next number; the
 * highest number holds. A holder that was taken for dead and wakes sees a higher file, or its own gone, and must not
 * write: `holds` is asked before each batch.
 */
import { statSync } from 'node:fs';
import { readdir, readFile, truncate, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError, SessionLockedError } from '../errors.ts';
import { createFileAtomic, writeFileAtomic } from './fs-atomic.ts';
import { errorCode, errorMessage } from './fs-error.ts';
import { isAlive, ownIdentity, type ProcessIdentity } from './process-identity.ts';
import type { SessionPaths } from './types.ts';

export interface SessionLock {
  /** Grows by one with each holder; stands in every log line. */
  readonly epoch: number;
  /** False once another process has taken over; cheap (two stat calls). */
  holds(): boolean;
  /** Idempotent. The file stays, marked as released, so that epochs never repeat. */
  release(): Promise<void>;
}

interface LockRecord extends ProcessIdentity {
  readonly epoch: number;
  readonly state: 'held' | 'released';
}

const LOCK_NAME = /^lock\.([1-9][0-9]{0,14})$/;

function lockFile(paths: SessionPaths, epoch: number): string {
  return join(paths.state, `lock.${epoch}`);
}

async function epochsIn(paths: SessionPaths): Promise<number[]> {
  const names = await readdir(paths.state);
  const epochs = names.flatMap((name) => {
    const digits = LOCK_NAME.exec(name)?.[1];
    return digits === undefined ? [] : [Number(digits)];
  });
  return epochs.sort((a, b) => b - a);
}

/** Null when the file is gone or holds no record: then nobody can be asked, and the next number is taken. */
async function readRecord(file: string): Promise<LockRecord | null> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw new ConfigError(`the lock ${file} cannot be read: ${errorMessage(error)}`, { file });
  }
  try {
    const record: Partial<LockRecord> | null = JSON.parse(text);
    if (typeof record?.pid !== 'number' || typeof record.host !== 'string') return null;
    return {
      pid: record.pid,
      host: record.host,
      start_time: record.start_time ?? null,
      boot_id: record.boot_id ?? null,
      epoch: record.epoch ?? 0,
      state: record.state === 'released' ? 'released' : 'held',
    };
  } catch {
    return null;
  }
}

function refuseIfHeld(record: LockRecord, own: ProcessIdentity, file: string): void {
  if (record.state === 'released') return;
  const facts = { pid: record.pid, host: record.host, file };
  if (record.host !== own.host) {
    throw new SessionLockedError(
      `the session is in use by process ${record.pid} on host ${record.host}: end it there, or, if that host is gone for good, set "state" to "released" in ${file}`,
      facts,
    );
  }
  if (isAlive(record, own)) {
    throw new SessionLockedError(
      `the session is in use by process ${record.pid} on host ${record.host}: end it first, or start another session`,
      facts,
    );
  }
}

async function removeLower(paths: SessionPaths, epoch: number): Promise<void> {
  const lower = (await epochsIn(paths)).filter((other) => other < epoch);
  await Promise.all(lower.map((other) => unlink(lockFile(paths, other)).catch(() => undefined)));
}

/** Links the next number; null when another taker was faster and everything must be looked at again. */
async function tryTake(paths: SessionPaths, own: ProcessIdentity): Promise<number | null> {
  const highest = (await epochsIn(paths))[0] ?? 0;
  if (highest > 0) {
    const record = await readRecord(lockFile(paths, highest));
    if (record !== null) refuseIfHeld(record, own, lockFile(paths, highest));
  }
  const epoch = highest + 1;
  const record: LockRecord = { ...own, epoch, state: 'held' };
  const file = lockFile(paths, epoch);
  // Not synced: after a power loss the boot id tells that the holder is gone; the log syncs the folder, and so the number.
  const made = await createFileAtomic(file, `${JSON.stringify(record)}\n`, { sync: false });
  if (!made) return null;
  // A taker that slept between looking and linking may have linked a number that was used and removed meanwhile.
  if ((await epochsIn(paths))[0] === epoch) return epoch;
  await unlink(file).catch(() => undefined);
  return null;
}

async function takeNumber(paths: SessionPaths, own: ProcessIdentity): Promise<number> {
  try {
    for (;;) {
      const epoch = await tryTake(paths, own);
      if (epoch !== null) return epoch;
    }
  } catch (error) {
    if (error instanceof ConfigError || error instanceof SessionLockedError) throw error;
    throw new ConfigError(
      `the session in ${paths.root} cannot be locked for writing: ${errorMessage(error)}`,
      { path: paths.state, code: errorCode(error) },
    );
  }
}

/** Is there such a file right now? */
function exists(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined;
}

/**
 * Takes the session for this process. Throws SessionLockedError naming pid and host when a live process (or one on
 * another host) holds it, ConfigError when the folder cannot be written.
 */
export async function acquireLock(paths: SessionPaths): Promise<SessionLock> {
  const own = ownIdentity();
  const epoch = await takeNumber(paths, own);
  await removeLower(paths, epoch);
  const file = lockFile(paths, epoch);
  const next = lockFile(paths, epoch + 1);
  let released = false;
  const holds = (): boolean => !released && exists(file) && !exists(next);
  return {
    epoch,
    holds,
    async release() {
      if (!holds()) return;
      released = true;
      const record: LockRecord = { ...own, epoch, state: 'released' };
      const text = `${JSON.stringify(record)}\n`;
      const written = writeFileAtomic(file, text, { mode: 0o600, sync: false });
      // On a full disk: an empty record holds nothing either, and needs no space.
      await written.catch(() => truncate(file, 0));
    },
  };
}

/** Who holds the session now: null when nobody does or the holder is dead. Changes nothing. */
export async function lockHolder(
  paths: SessionPaths,
): Promise<{ readonly pid: number; readonly host: string } | null> {
  const highest = (await epochsIn(paths))[0];
  if (highest === undefined) return null;
  const record = await readRecord(lockFile(paths, highest));
  if (record === null || record.state === 'released') return null;
  const own = ownIdentity();
  if (record.host === own.host && !isAlive(record, own)) return null;
  return { pid: record.pid, host: record.host };
}
