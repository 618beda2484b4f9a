import { closePlace, type OpenDirectory, openPlace, readLink } from './descriptor.ts';
import { errorCode, fileFailure, pathFailure } from './failures.ts';
import { isHiddenName } from './protected-names.ts';
import { type OpenRoot, outside, type RootTable } from './root-table.ts';
import { nameIn, segmentOfBytes } from './segments.ts';
import { showPath } from './show-path.ts';
import type { ResolvedPath } from './types.ts';

const MAX_LINKS = 40;
/** Components opened for one path: bounds what chains of links with many `..` can cost. */
const MAX_STEPS = 4000;

/** Called when a middle folder is missing: makes it and returns, or throws. */
export type MakeFolder = (walk: PathWalk, name: string) => void;

/**
 * One path followed component by component through open directories, links resolved by us, never by the kernel.
 * After `toLast` the object itself is `name` in `directory`; `segments` are the real components from `root`, the
 * name included. `name` is null when the path is the root. Close it after use.
 */
export class PathWalk {
  readonly path: ResolvedPath;
  root: OpenRoot;
  directory: OpenDirectory;
  name: string | null = null;
  /** A link was followed as the last component. */
  followed = false;
  readonly #table: RootTable;
  #done: string[] = [];
  #pending: string[];
  #links = 0;
  #owned = true;
  #steps = 0;
  #stoppedAt: string | null = null;

  constructor(table: RootTable, path: ResolvedPath) {
    this.#table = table;
    this.path = path;
    this.root = table.get(path);
    this.directory = this.root.directory;
    this.#pending = path.segments.toReversed();
  }

  get segments(): readonly string[] {
    return this.name === null ? this.#done : [...this.#done, this.name];
  }

  /** A link was followed, so the real components may differ from the written ones. */
  get redirected(): boolean {
    return this.#links > 0;
  }

  /** Components still to come; for the folders a write has to make. */
  get remaining(): readonly string[] {
    return this.#pending.toReversed();
  }

  /** After a failed `toLast`: the real path as far as it went, and the names it did not reach. */
  get unreached(): string {
    const names = this.#stoppedAt === null ? [] : [this.#stoppedAt];
    return [this.real, ...names, ...this.remaining.filter((name) => name !== '..')].join('/');
  }

  get real(): string {
    const below = this.segments.join('/');
    if (below === '') return this.root.real;
    return this.root.real === '/' ? `/${below}` : `${this.root.real}/${below}`;
  }

  /** What fs calls take for the last component. */
  get target(): string | Buffer {
    return this.name === null ? this.directory.at : nameIn(this.directory.at, this.name);
  }

  /** Opens every folder above the last component. Throws ToolFailure. */
  toLast(makeFolder?: MakeFolder): this {
    this.name = null;
    while (this.#pending.length > 0) {
      const name = this.#pending.pop() ?? '';
      this.#countStep();
      if (name === '..') {
        this.#climb();
        continue;
      }
      if (isHiddenName(name, this.root.fold)) throw this.#denied();
      if (this.#pending.length === 0) {
        this.name = name;
        this.#checkClosed();
        return this;
      }
      this.#enter(name, makeFolder);
    }
    this.#checkClosed();
    return this;
  }

  /** The last component turned out to be a link: goes on to what it names. False when it is no link. */
  follow(): boolean {
    if (this.name === null) return false;
    const name = this.name;
    const target = this.#readLink(name);
    if (target === null) return false;
    this.followed = true;
    this.name = null;
    this.#redirect(target);
    return true;
  }

  /**
   * `toLast` that may use a folder kept open by an earlier walk. For callers that are done with the folder before
   * they give up control.
   */
  toLastKept(): this {
    const parent = this.path.segments.slice(0, -1);
    const kept = parent.length > 1 ? this.#table.folders.take(this.root, parent) : null;
    if (kept !== null) {
      this.directory = kept;
      this.#owned = false;
      this.#done = parent;
      this.#pending = this.#pending.slice(0, 1);
      return this.toLast();
    }
    this.toLast();
    const keeps = parent.length > 1 && !this.redirected && this.#done.length === parent.length;
    if (keeps && this.#table.folders.keep(this.root, parent, this.directory)) this.#owned = false;
    return this;
  }

  close(): void {
    if (this.#owned && this.directory !== this.root.directory) closePlace(this.directory);
    this.#owned = true;
    this.directory = this.root.directory;
  }

  #enter(name: string, makeFolder: MakeFolder | undefined): void {
    try {
      this.#move(name);
    } catch (error) {
      this.#stoppedAt = name;
      const code = errorCode(error);
      if (code === 'ENOTDIR' || code === 'ELOOP') {
        const target = this.#readLink(name);
        if (target === null) {
          throw pathFailure(
            'wrong_type',
            this.path.logical,
            `goes through "${showPath(name)}", which is not a directory`,
          );
        }
        this.#redirect(target);
      } else if (code === 'ENOENT' && makeFolder !== undefined) {
        if (this.#readLink(name, true) !== null) throw fileFailure(error, this.path.logical);
        makeFolder(this, name);
        this.#move(name);
      } else {
        throw fileFailure(error, this.path.logical);
      }
    }
  }

  #move(name: string): void {
    const next = openPlace(nameIn(this.directory.at, name), `${this.directory.at}/${name}`);
    this.close();
    this.directory = next;
    this.#done.push(name);
  }

  #readLink(name: string, missingIsNull = false): Buffer | null {
    try {
      return readLink(this.directory, name);
    } catch (error) {
      if (missingIsNull && errorCode(error) === 'ENOENT') return null;
      throw fileFailure(error, this.path.logical);
    }
  }

  #redirect(target: Buffer): void {
    this.#links += 1;
    if (this.#links > MAX_LINKS) {
      throw pathFailure(
        'path_outside',
        this.path.logical,
        `goes through more than ${MAX_LINKS} links`,
      );
    }
    const text = segmentOfBytes(target);
    if (text.startsWith('/')) this.#jump(text);
    else this.#push(text.split('/'));
  }

  #jump(absolute: string): void {
    const found = this.#table.locate(absolute);
    if (found === null) throw outside(this.path.logical);
    this.#restart(found.root, []);
    this.#push(found.rest);
  }

  #push(parts: readonly string[]): void {
    for (const part of parts.toReversed()) {
      if (part !== '' && part !== '.') this.#pending.push(part);
    }
  }

  /** `..` of a link: the parent by our own record of the way, walked again from the root. */
  #climb(): void {
    if (this.#done.length > 0) {
      this.#restart(this.root, this.#done.slice(0, -1));
      return;
    }
    let above = this.root.real.slice(0, this.root.real.lastIndexOf('/'));
    while (this.#pending.at(-1) === '..') {
      this.#pending.pop();
      above = above.slice(0, Math.max(0, above.lastIndexOf('/')));
    }
    const rest = this.#pending.toReversed();
    this.#pending = [];
    this.#jump(`${above}/${rest.join('/')}`);
  }

  #restart(root: OpenRoot, segments: readonly string[]): void {
    this.close();
    this.root = root;
    this.directory = root.directory;
    this.#done = [];
    this.#push(segments);
  }

  #countStep(): void {
    this.#steps += 1;
    if (this.#steps > MAX_STEPS) {
      throw pathFailure('path_outside', this.path.logical, 'goes through links that never end');
    }
  }

  /** The runtime's own folder may lie below the workspace; its roots are opened as themselves. */
  #checkClosed(): void {
    const closed = this.root.closed;
    if (closed === null) return;
    const segments = this.segments;
    if (closed.every((name, at) => segments[at] === name)) throw this.#denied();
  }

  #denied(): Error {
    return pathFailure('path_denied', this.path.logical, "belongs to the runtime's own records");
  }
}
