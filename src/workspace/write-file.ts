import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  linkSync,
  openSync,
  read as readCallback,
  readSync,
  renameSync,
  unlinkSync,
} from 'node:fs';
import { promisify } from 'node:util';
import type { ToolFailure } from '../errors.ts';
import { READ_FLAGS } from './descriptor.ts';
import { checkSignal, errorCode, fileFailure, pathFailure } from './failures.ts';
import type { AccessState } from './open-file.ts';
import type { PendingWrites } from './pending-writes.ts';
import { readWhole } from './read-file.ts';
import { assertInside } from './root-table.ts';
import {
  createTemp,
  newTempName,
  removeQuietly,
  syncAndClose,
  syncDirectory,
  syncFile,
  takeOver,
  writeAll,
} from './temp-file.ts';
import type { FileLimits, ResolvedPath, WriteOptions, WriteOutcome } from './types.ts';
import { requireGrant } from './write-guard.ts';
import { openWritePlace, requireFileOrNothing, type WritePlace } from './write-place.ts';

const readAsync = promisify(readCallback);
const CHUNK_BYTES = 1024 * 1024;
const SYNC_BYTES = 256 * 1024;
/** Up to here an append rewrites the file atomically; above, it adds to the end in place. */
const APPEND_IN_PLACE_BYTES = 10 * 1024 * 1024;

export interface WriteState extends AccessState {
  readonly limits: FileLimits;
  readonly pending: PendingWrites;
}

export function sha256Of(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/**
 * Replaces or creates a file: temporary name in the same open folder, synced, then renamed (or linked, when nothing
 * may be replaced). At any moment the name holds the old content or the new. Throws ToolFailure.
 */
export async function writeAtomic(
  state: WriteState,
  path: ResolvedPath,
  content: Uint8Array,
  options: WriteOptions,
): Promise<WriteOutcome> {
  requireGrant(options.grant);
  checkSignal(options.signal);
  checkSize(state, path, content.length);
  const place = openWritePlace(state, path, options.grant, {
    makeParents: options.makeParents === true,
    followLast: true,
  });
  try {
    requireFileOrNothing(place, path.logical);
    checkCreation(place, path, options);
    return await replace(state, place, path, content, options);
  } catch (error) {
    throw fileFailure(error, path.logical);
  } finally {
    place.walk.close();
  }
}

function checkSize(state: WriteState, path: ResolvedPath, size: number): void {
  const limit = state.limits.writeBytes;
  if (size > limit) {
    throw pathFailure(
      'too_large',
      path.logical,
      `would have ${size} bytes; at most ${limit} are written`,
    );
  }
}

function checkCreation(place: WritePlace, path: ResolvedPath, options: WriteOptions): void {
  if (place.before === null) {
    if (typeof options.expectedSha256 === 'string') throw stale(path.logical, 'was deleted');
    return;
  }
  if (options.createOnly === true)
    throw pathFailure('already_exists', path.logical, 'already exists');
  if (options.expectedSha256 === null) throw stale(path.logical, 'was created by someone else');
}

function stale(logical: string, what: string): ToolFailure {
  return pathFailure('stale_file', logical, `${what} since it was last read`);
}

async function replace(
  state: WriteState,
  place: WritePlace,
  path: ResolvedPath,
  content: Uint8Array,
  options: WriteOptions,
): Promise<WriteOutcome> {
  const { walk, before } = place;
  const name = newTempName();
  const temp = `${walk.directory.at}/${name}`;
  const parent = walk.real.slice(0, Math.max(1, walk.real.lastIndexOf('/')));
  const dropNote = state.pending.note(`${parent}/${name}`, name);
  try {
    const fd = createTemp(temp);
    const owner = await fill(fd, content, place);
    checkSignal(options.signal);
    const beforeSha256 = await compare(state, place, path, options);
    assertInside(walk.directory.fd, walk.root, walk.segments.slice(0, -1), path.logical);
    if (before === null) putNew(temp, place, path, options);
    else renameSync(temp, place.target);
    await syncDirectory(walk.directory);
    return {
      created: before === null,
      beforeSha256,
      afterSha256: sha256Of(content),
      hardLinkSplit: before !== null && before.nlink > 1,
      ...(owner.ownerChanged ? { ownerChanged: true } : {}),
      bytes: content.length,
    };
  } catch (error) {
    removeQuietly(temp);
    throw error;
  } finally {
    dropNote();
  }
}

async function fill(
  fd: number,
  content: Uint8Array,
  place: WritePlace,
): Promise<{ readonly ownerChanged: boolean }> {
  let owner: { readonly ownerChanged: boolean };
  try {
    await writeAll(fd, content);
    owner = takeOver(fd, place.before);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  await syncAndClose(fd);
  return owner;
}

/** The hash of what the rename will replace; `stale_file` when it is not what the caller expects. */
async function compare(
  state: WriteState,
  place: WritePlace,
  path: ResolvedPath,
  options: WriteOptions,
): Promise<string | null> {
  if (place.before === null) return null;
  const expected = options.expectedSha256;
  if (expected === undefined && place.before.size > state.limits.readBytes) return null;
  const found = await hashOf(place.target);
  if (expected !== undefined && found !== expected) throw stale(path.logical, 'changed');
  return found;
}

async function hashOf(target: string | Buffer): Promise<string> {
  const fd = openSync(target, READ_FLAGS);
  try {
    const { size } = fstatSync(fd);
    const hash = createHash('sha256');
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size + 1));
    for (;;) {
      const got =
        size <= SYNC_BYTES
          ? readSync(fd, buffer)
          : (await readAsync(fd, buffer, 0, buffer.length, null)).bytesRead;
      if (got === 0) return hash.digest('hex');
      hash.update(buffer.subarray(0, got));
    }
  } finally {
    closeSync(fd);
  }
}

/** Links the finished file to its name, so that nothing somebody just made there is replaced. */
function putNew(temp: string, place: WritePlace, path: ResolvedPath, options: WriteOptions): void {
  try {
    linkSync(temp, place.target);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') {
      if (options.createOnly === true)
        throw pathFailure('already_exists', path.logical, 'already exists');
      throw stale(path.logical, 'was created by someone else');
    }
    const unlinkable = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK'].includes(errorCode(error));
    if (!unlinkable) throw error;
    renameSync(temp, place.target);
    return;
  }
  unlinkSync(temp);
}

/** Adds to the end; a missing file is created. Small files are rewritten atomically. Throws ToolFailure. */
export async function appendFile(
  state: WriteState,
  path: ResolvedPath,
  content: Uint8Array,
  options: WriteOptions,
): Promise<WriteOutcome> {
  requireGrant(options.grant);
  checkSignal(options.signal);
  const place = openWritePlace(state, path, options.grant, {
    makeParents: options.makeParents === true,
    followLast: true,
  });
  try {
    requireFileOrNothing(place, path.logical);
    if (
      place.before !== null &&
      place.before.size > APPEND_IN_PLACE_BYTES &&
      place.before.nlink === 1
    ) {
      return await appendInPlace(place, path, content);
    }
  } catch (error) {
    throw fileFailure(error, path.logical);
  } finally {
    place.walk.close();
  }
  if (place.before === null)
    return writeAtomic(state, path, content, { ...options, expectedSha256: null });
  const old = await readWhole(state, path, state.limits.writeBytes, options.signal);
  const expected = sha256Of(old);
  if (typeof options.expectedSha256 === 'string' && options.expectedSha256 !== expected) {
    throw stale(path.logical, 'changed');
  }
  return writeAtomic(state, path, Buffer.concat([old, content]), {
    ...options,
    expectedSha256: expected,
  });
}

async function appendInPlace(
  place: WritePlace,
  path: ResolvedPath,
  content: Uint8Array,
): Promise<WriteOutcome> {
  const flags =
    constants.O_WRONLY |
    constants.O_APPEND |
    (constants.O_NOFOLLOW ?? 0) |
    (constants.O_NONBLOCK ?? 0);
  const fd = openSync(place.target, flags);
  try {
    const found = fstatSync(fd);
    if (!found.isFile()) throw pathFailure('wrong_type', path.logical, 'is not a file');
    assertInside(fd, place.walk.root, place.walk.segments, path.logical);
    try {
      await writeAll(fd, content);
    } catch (error) {
      ftruncateSync(fd, found.size);
      throw error;
    }
    await syncFile(fd);
  } finally {
    closeSync(fd);
  }
  return {
    created: false,
    beforeSha256: null,
    afterSha256: await hashOf(place.target),
    hardLinkSplit: false,
    bytes: content.length,
  };
}
