import { BY_DESCRIPTOR, closePlace, type OpenDirectory, pathOfDescriptor } from './descriptor.ts';

const MAX_FOLDERS = 32;

/** What the cache needs to know of the root a folder lies in. */
interface CachedRoot {
  readonly root: { readonly path: string };
  readonly kernelPath: string;
}

interface Kept {
  readonly directory: OpenDirectory;
  /** Where it must still lie to be used. */
  readonly expected: string;
}

/**
 * Folders that were reached by a whole walk without any link, kept open. One is used again only while the kernel says
 * that this very folder still lies where the walk found it; then a second walk would end in the same place. Users
 * must be done with it before they give up control, because a later call may close it.
 */
export class FolderCache {
  readonly #kept = new Map<string, Kept>();

  take(root: CachedRoot, segments: readonly string[]): OpenDirectory | null {
    const key = keyOf(root, segments);
    const kept = this.#kept.get(key);
    if (kept === undefined) return null;
    if (pathOfDescriptor(kept.directory.fd) === kept.expected) return kept.directory;
    this.#drop(key, kept);
    return null;
  }

  /** Takes over an open folder. False when it is not kept and the caller still has to close it. */
  keep(root: CachedRoot, segments: readonly string[], directory: OpenDirectory): boolean {
    const below = segments.join('/');
    const key = keyOf(root, segments);
    if (!BY_DESCRIPTOR || !below.isWellFormed() || this.#kept.has(key)) return false;
    const bytes = Buffer.from(below, 'utf8').toString('latin1');
    const expected = root.kernelPath === '/' ? `/${bytes}` : `${root.kernelPath}/${bytes}`;
    this.#kept.set(key, { directory, expected });
    if (this.#kept.size > MAX_FOLDERS) this.#dropOldest();
    return true;
  }

  close(): void {
    for (const [key, kept] of [...this.#kept]) this.#drop(key, kept);
  }

  #dropOldest(): void {
    for (const [key, kept] of this.#kept) {
      this.#drop(key, kept);
      return;
    }
  }

  #drop(key: string, kept: Kept): void {
    this.#kept.delete(key);
    closePlace(kept.directory);
  }
}

function keyOf(root: CachedRoot, segments: readonly string[]): string {
  return `${root.root.path}\0${segments.join('/')}`;
}
