import { basename, join, relative, sep } from 'node:path';
import { findNestedProtected } from './find-protected.ts';
import { isSame, type Saved, save } from './fingerprint.ts';
import type { Repository } from './git-directory.ts';
import { isInside } from './inside.ts';
import { isHarmlessConfiguration, isHarmlessRepository } from './new-repository.ts';
import { withPinnedFolder } from './pinned-folder.ts';
import {
  gitDirectoriesIn,
  PROTECTED_GIT_NAMES,
  protectedPaths,
  stateOf,
} from './protected-mounts.ts';
import { moveToQuarantine, restore } from './quarantine.ts';

export interface ProtectedWatchOptions {
  readonly workspace: string;
  /** Folder that takes what commands must not have made. */
  readonly quarantine: string;
  readonly repository: Repository | null;
}

/**
 * Protected names that no read-only mount covers: absent ones, links, and those deeper in the tree. Their state is
 * recorded at the start and compared after commands; what changed without approval is moved away and put back.
 */
export class ProtectedWatch {
  readonly #options: ProtectedWatchOptions;
  readonly #states = new Map<string, Saved>();
  readonly #approved = new Set<string>();
  /** Watched paths whose folder a command took away. */
  readonly #gone = new Set<string>();
  #gitKnown: boolean;
  #nested: Promise<void> = Promise.resolve();

  constructor(options: ProtectedWatchOptions) {
    this.#options = options;
    this.#gitKnown = stateOf(join(options.workspace, '.git')) !== 'absent';
  }

  /** Records the names at the top; those deeper are recorded until `settled`. */
  start(): void {
    const { workspace, repository } = this.#options;
    for (const path of protectedPaths(workspace, repository?.gitDirectory ?? null)) {
      const state = stateOf(path);
      if (state !== 'file' && state !== 'dir') this.#states.set(path, save(path));
    }
    this.#nested = findNestedProtected(workspace).then((found) => {
      for (const segments of found) {
        const path = join(workspace, ...segments);
        this.#states.set(path, save(path));
      }
    });
  }

  settled(): Promise<void> {
    return this.#nested;
  }

  /** Paths a person allowed to be written just now: their new state is the right one. */
  approve(paths: readonly string[]): void {
    for (const path of paths) {
      const watched = [...this.#states.keys()].filter(
        (each) => isInside(each, path) || isInside(path, each),
      );
      for (const each of watched) this.#states.set(each, save(each));
      this.#approved.add(path);
    }
  }

  /** Names, relative to the workspace, of what was moved to quarantine. */
  async check(): Promise<readonly string[]> {
    await this.#nested;
    const moved = [...this.#checkNewRepository(), ...this.#checkStates()];
    return moved.map((path) => relative(this.#options.workspace, path));
  }

  #checkNewRepository(): string[] {
    if (this.#gitKnown) return [];
    const git = join(this.#options.workspace, '.git');
    const state = stateOf(git);
    if (state === 'absent') return [];
    if (this.#approved.has(git) || (state === 'dir' && isHarmlessRepository(git))) {
      this.#gitKnown = true;
      for (const folder of gitDirectoriesIn(git)) {
        for (const name of PROTECTED_GIT_NAMES) {
          const path = join(folder, name);
          this.#states.set(path, save(path));
        }
      }
      return [];
    }
    moveToQuarantine(this.#options.quarantine, git);
    return [git];
  }

  #checkStates(): string[] {
    return [...this.#states].flatMap(([path, before]) => {
      const moved = this.#inParent(path, (current) => this.#checkOne(path, current, before));
      // A parent that is gone took the name with it, which starts nothing; both may come back as they were.
      if (moved === null) this.#gone.add(path);
      return moved === true ? [path] : [];
    });
  }

  #checkOne(path: string, current: string, before: Saved): boolean {
    const now = save(current, before);
    const gone = this.#gone.has(path);
    if (gone && now.type === 'absent') return false;
    if (isSame(before, now) || isHarmlessChange(path, now)) {
      this.#gone.delete(path);
      this.#states.set(path, now);
      return false;
    }
    if (now.type !== 'absent') moveToQuarantine(this.#options.quarantine, current);
    if (gone) return true;
    restore(current, before);
    this.#states.set(path, save(current));
    return true;
  }

  /** Calls `work` with a name of the path whose parent cannot be exchanged meanwhile. */
  #inParent<T>(path: string, work: (current: string) => T): T | null {
    const { workspace, repository } = this.#options;
    const top = isInside(workspace, path) ? workspace : (repository?.gitDirectory ?? workspace);
    const segments = relative(top, path).split(sep);
    const name = segments.pop() ?? '';
    return withPinnedFolder(top, segments, (folder) => work(join(folder, name)));
  }
}

/** `git config user.name …` in a repository whose configuration starts nothing leaves it so. */
function isHarmlessChange(path: string, now: Saved): boolean {
  if (basename(path) !== 'config' || now.type !== 'file' || now.content === null) return false;
  return isHarmlessConfiguration(now.content.toString('utf8'));
}
