import { fstatSync, realpathSync, statfsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { ToolFailure } from '../errors.ts';
import {
  BY_DESCRIPTOR,
  closePlace,
  isBelow,
  isSameObject,
  type OpenDirectory,
  openPlace,
  pathOfDescriptor,
} from './descriptor.ts';
import { errorCode, fileFailure, pathFailure } from './failures.ts';
import { FolderCache } from './folder-cache.ts';
import type { ResolvedPath, Root } from './types.ts';

/** A root held open for the session. */
export interface OpenRoot {
  readonly root: Root;
  readonly directory: OpenDirectory;
  /** Its own path with links resolved, at the time it was opened. */
  readonly real: string;
  /** `real` as the kernel spells it in `/proc/self/fd`, bytes as latin1. */
  readonly kernelPath: string;
  readonly fold: boolean;
  /** Components of the runtime's own home below this root: closed to tools. Null when it lies elsewhere. */
  readonly closed: readonly string[] | null;
}

const CASE_INSENSITIVE_VOLUMES: ReadonlySet<number> = new Set([
  0x4d44, 0x2011bab0, 0x5346544e, 0x7366746e, 0xff534d42, 0xfe534d42, 0x482b, 0x5346414f,
]);

/** The roots of one session. Each is opened once, through its own real path, and kept; nothing adds one later. */
export class RootTable {
  readonly #open = new Map<string, OpenRoot>();
  readonly folders = new FolderCache();
  readonly #roots: readonly Root[];
  readonly #home: string | null;

  constructor(roots: readonly Root[], home: string | null) {
    this.#roots = roots;
    this.#home = home === null ? null : (realOrNull(home) ?? home);
    for (const root of roots) this.#tryOpen(root);
  }

  /** Throws ToolFailure `path_outside` for a root of another session, `not_found` when its folder is missing. */
  get(path: ResolvedPath): OpenRoot {
    const opened = this.#open.get(path.root.path);
    if (opened !== undefined) return opened;
    const root = this.#roots.find((known) => known.path === path.root.path);
    if (root === undefined)
      throw pathFailure('path_outside', path.logical, 'is under no root of this session');
    try {
      return this.#openRoot(root);
    } catch (error) {
      throw fileFailure(error, root.logicalPrefix || root.path);
    }
  }

  /** Lets go of a root whose folder was deleted, so that the next use opens what stands there now. */
  dropDeleted(path: ResolvedPath): boolean {
    const opened = this.#open.get(path.root.path);
    if (opened === undefined || !isDeleted(opened)) return false;
    // Its descriptor stays open: a write in flight may still name its place by it.
    this.#open.delete(opened.root.path);
    this.folders.close();
    return true;
  }

  /** The innermost root an absolute path lies in, with the components below it; null when in none. */
  locate(absolute: string): { readonly root: OpenRoot; readonly rest: readonly string[] } | null {
    let best: { root: OpenRoot; prefix: string } | null = null;
    for (const root of this.#open.values()) {
      for (const prefix of [root.real, root.root.path]) {
        if (isBelow(absolute, prefix) && prefix.length >= (best?.prefix.length ?? 0)) {
          best = { root, prefix };
        }
      }
    }
    if (best === null) return null;
    const rest = absolute.slice(best.prefix.length).split('/');
    return { root: best.root, rest: rest.filter((part) => part !== '' && part !== '.') };
  }

  close(): void {
    this.folders.close();
    for (const opened of this.#open.values()) closePlace(opened.directory);
    this.#open.clear();
  }

  #tryOpen(root: Root): void {
    try {
      this.#openRoot(root);
    } catch (error) {
      if (errorCode(error) === '') throw error;
    }
  }

  #openRoot(root: Root): OpenRoot {
    const real =
      realOrNull(root.path) ?? join(realpathSync(dirname(root.path)), basename(root.path));
    const directory = openPlace(real, real);
    const kernelPath = BY_DESCRIPTOR ? pathOfDescriptor(directory.fd) : real;
    const home = this.#home;
    const closed =
      home !== null && home !== real && isBelow(home, real)
        ? home.slice(real === '/' ? 1 : real.length + 1).split('/')
        : null;
    const opened = { root, directory, real, kernelPath, fold: foldsCase(real), closed };
    this.#open.set(root.path, opened);
    return opened;
  }
}

function realOrNull(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

/** A root somebody deleted and made again is opened anew; its parents are the session's own. */
function isDeleted(opened: OpenRoot): boolean {
  return opened.directory.fd >= 0 && fstatSync(opened.directory.fd).nlink === 0;
}

function foldsCase(real: string): boolean {
  if (process.platform === 'darwin' || process.platform === 'win32') return true;
  try {
    return CASE_INSENSITIVE_VOLUMES.has(statfsSync(real).type);
  } catch {
    return false;
  }
}

/** The last defence: what was opened must lie under the root at this moment. Throws ToolFailure `path_outside`. */
export function assertInside(
  fd: number,
  root: OpenRoot,
  segments: readonly string[],
  logical: string,
): void {
  const inside = BY_DESCRIPTOR
    ? liesUnder(fd, root)
    : fd < 0 || isSameObject(fd, root.real, segments);
  if (!inside) throw outside(logical);
}

function liesUnder(fd: number, root: OpenRoot): boolean {
  const path = pathOfDescriptor(fd);
  return isBelow(path, root.kernelPath) || isBelow(path, pathOfDescriptor(root.directory.fd));
}

export function outside(logical: string): ToolFailure {
  return pathFailure('path_outside', logical, 'leads outside the allowed folders');
}
