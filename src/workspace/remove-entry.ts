import { closeSync, lstatSync, openSync, readFileSync, rmdirSync, unlinkSync } from 'node:fs';
import { BY_DESCRIPTOR, DIRECTORY_FLAGS } from './descriptor.ts';
import { errorCode, fileFailure, pathFailure } from './failures.ts';
import { readEntries } from './list-directory.ts';
import type { OpenRoot } from './root-table.ts';
import { assertInside } from './root-table.ts';
import { nameIn } from './segments.ts';
import { syncDirectory } from './temp-file.ts';
import type { Grant, ResolvedPath } from './types.ts';
import type { WriteState } from './write-file.ts';
import { guardWrite, requireGrant } from './write-guard.ts';
import { openWritePlace } from './write-place.ts';

/** What a check of a whole tree needs: every entry is guarded under each name it has or will have. */
interface TreeCheck {
  readonly state: WriteState;
  readonly path: ResolvedPath;
  readonly grant: Grant;
  readonly root: OpenRoot;
}

/**
 * Removes a file, a link (never its target) or an empty folder; with `recursive` a folder and all below it, without
 * crossing a link or a mount. A tree that holds a protected or secret name is refused before anything is removed.
 */
export async function removeEntry(
  state: WriteState,
  path: ResolvedPath,
  grant: Grant,
  recursive: boolean,
): Promise<void> {
  requireGrant(grant);
  const place = openWritePlace(state, path, grant, { makeParents: false, followLast: false });
  const { walk, before, target } = place;
  try {
    if (before === null) throw pathFailure('not_found', path.logical, 'does not exist');
    if (!before.isDirectory()) {
      unlinkSync(target);
    } else {
      if (recursive) {
        const check = { state, path, grant, root: walk.root };
        await checkTree(check, target, walk.segments);
        await emptyFolder(check, target, walk.segments);
      }
      rmdirSync(target);
    }
    await syncDirectory(walk.directory);
  } catch (error) {
    throw fileFailure(error, path.logical);
  } finally {
    walk.close();
  }
}

interface Folder {
  readonly fd: number;
  readonly at: string;
  readonly mount: string;
}

function openFolderAt(target: string | Buffer): Folder {
  const fd = openSync(target, DIRECTORY_FLAGS);
  const at = BY_DESCRIPTOR ? `/proc/self/fd/${fd}` : target.toString();
  return { fd, at, mount: mountOf(fd) };
}

/** Differs between mounts, also between two mounts of one device. */
function mountOf(fd: number): string {
  if (!BY_DESCRIPTOR) return '';
  return /mnt_id:\s*(\d+)/.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1] ?? '';
}

/** Throws ToolFailure `path_denied` when anything in the tree may not be written in the grant's name. */
export async function checkTree(
  check: TreeCheck,
  target: string | Buffer,
  segments: readonly string[],
): Promise<void> {
  const folder = openFolderAt(target);
  try {
    const { entries } = await readEntries(folder.at, check.state.limits.searchEntries, undefined);
    for (const entry of entries) {
      const below = [...segments, entry.segment];
      guardWrite(check.path, check.root, below, check.grant, check.state.secretAllowed);
      const isDirectory =
        lstatSync(nameIn(folder.at, entry.segment), { throwIfNoEntry: false })?.isDirectory() ??
        false;
      if (isDirectory) await checkTree(check, nameIn(folder.at, entry.segment), below);
    }
  } finally {
    closeSync(folder.fd);
  }
}

async function emptyFolder(
  check: TreeCheck,
  target: string | Buffer,
  segments: readonly string[],
  mount?: string,
): Promise<void> {
  const folder = openFolderAt(target);
  try {
    if (mount !== undefined && folder.mount !== mount) {
      throw pathFailure(
        'path_denied',
        check.path.logical,
        'holds a mount point; it was not removed',
      );
    }
    assertInside(folder.fd, check.root, segments, check.path.logical);
    const { entries } = await readEntries(folder.at, check.state.limits.searchEntries, undefined);
    for (const entry of entries) {
      const below = [...segments, entry.segment];
      guardWrite(check.path, check.root, below, check.grant, check.state.secretAllowed);
      await removeOne(check, nameIn(folder.at, entry.segment), below, folder.mount);
    }
  } finally {
    closeSync(folder.fd);
  }
}

async function removeOne(
  check: TreeCheck,
  target: string | Buffer,
  segments: readonly string[],
  mount: string,
): Promise<void> {
  try {
    unlinkSync(target);
  } catch (error) {
    if (!['EISDIR', 'EPERM'].includes(errorCode(error))) throw error;
    await emptyFolder(check, target, segments, mount);
    rmdirSync(target);
  }
}
