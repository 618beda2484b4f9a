import { linkSync, lstatSync, mkdirSync, renameSync, unlinkSync } from 'node:fs';
import { errorCode, fileFailure, pathFailure } from './failures.ts';
import { readWhole } from './read-file.ts';
import { checkTree } from './remove-entry.ts';
import { assertInside } from './root-table.ts';
import { syncDirectory } from './temp-file.ts';
import type { Grant, ResolvedPath } from './types.ts';
import { sha256Of, type WriteState, writeAtomic } from './write-file.ts';
import { requireGrant } from './write-guard.ts';
import { openWritePlace, type WritePlace } from './write-place.ts';

/**
 * Gives an entry another name; nothing that exists is replaced (`already_exists`). Within a root the entry itself
 * moves; across roots a file is copied, verified and then deleted. Throws ToolFailure.
 */
export async function renameEntry(
  state: WriteState,
  from: ResolvedPath,
  to: ResolvedPath,
  grant: Grant,
): Promise<void> {
  requireGrant(grant);
  const options = { makeParents: false, followLast: false };
  const source = openWritePlace(state, from, grant, options);
  try {
    const target = openWritePlace(state, to, grant, options);
    try {
      await move(state, source, target, { from, to, grant });
    } finally {
      target.walk.close();
    }
  } catch (error) {
    throw fileFailure(error, from.logical);
  } finally {
    source.walk.close();
  }
}

interface Move {
  readonly from: ResolvedPath;
  readonly to: ResolvedPath;
  readonly grant: Grant;
}

async function move(
  state: WriteState,
  source: WritePlace,
  target: WritePlace,
  request: Move,
): Promise<void> {
  const { from, to, grant } = request;
  if (source.before === null) throw pathFailure('not_found', from.logical, 'does not exist');
  if (target.before !== null) throw pathFailure('already_exists', to.logical, 'already exists');
  const isDirectory = source.before.isDirectory();
  if (isDirectory) {
    await checkTree(
      { state, path: from, grant, root: source.walk.root },
      source.target,
      source.walk.segments,
    );
    await checkTree(
      { state, path: to, grant, root: target.walk.root },
      source.target,
      target.walk.segments,
    );
  }
  try {
    assertInside(
      target.walk.directory.fd,
      target.walk.root,
      target.walk.segments.slice(0, -1),
      to.logical,
    );
    if (source.before.isFile()) moveFile(source, target, to);
    else renameSync(source.target, target.target);
    await syncDirectory(target.walk.directory);
    await syncDirectory(source.walk.directory);
  } catch (error) {
    if (errorCode(error) !== 'EXDEV') throw error;
    if (!source.before.isFile()) {
      throw pathFailure(
        'wrong_type',
        from.logical,
        'lies on another volume; only files can be moved there',
      );
    }
    await copyAndDelete(state, source, request);
  }
}

/** By a second name and dropping the first, so that a file made meanwhile is not replaced. */
function moveFile(source: WritePlace, target: WritePlace, to: ResolvedPath): void {
  try {
    linkSync(source.target, target.target);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') throw pathFailure('already_exists', to.logical, 'already exists');
    if (code === 'EXDEV' || !['EPERM', 'ENOTSUP', 'EMLINK'].includes(code)) throw error;
    renameSync(source.target, target.target);
    return;
  }
  unlinkSync(source.target);
}

async function copyAndDelete(state: WriteState, source: WritePlace, request: Move): Promise<void> {
  const { from, to, grant } = request;
  const content = await readWhole(state, from, state.limits.writeBytes);
  await writeAtomic(state, to, content, { grant, createOnly: true });
  const copy = await readWhole(state, to, state.limits.writeBytes);
  if (sha256Of(copy) !== sha256Of(content)) {
    throw pathFailure(
      'tool_execution_error',
      to.logical,
      'differs from its source after copying; both were kept',
    );
  }
  unlinkSync(source.target);
  await syncDirectory(source.walk.directory);
}

/** Makes a folder and what is missing above it; an existing folder is fine. Throws ToolFailure. */
export async function makeFolder(
  state: WriteState,
  path: ResolvedPath,
  grant: Grant,
): Promise<void> {
  requireGrant(grant);
  if (path.segments.length === 0) return;
  const place = openWritePlace(state, path, grant, { makeParents: true, followLast: true });
  try {
    if (place.before?.isDirectory() === true) return;
    if (place.before !== null)
      throw pathFailure('already_exists', path.logical, 'exists and is not a directory');
    mkdirSync(place.target, 0o777);
    if (lstatSync(place.target, { throwIfNoEntry: false })?.isDirectory() !== true) {
      throw pathFailure('tool_execution_error', path.logical, 'was replaced while it was made');
    }
    await syncDirectory(place.walk.directory);
  } catch (error) {
    throw fileFailure(error, path.logical);
  } finally {
    place.walk.close();
  }
}
