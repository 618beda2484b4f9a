import type { Ignore } from 'ignore';
import { isToolFailure } from '../../errors.ts';
import type { FileAccess, PathResolver, ResolvedPath } from '../../workspace/types.ts';

/** Strongest first, as ripgrep ranks them; within one kind the nearest folder wins. */
const IGNORE_FILES = ['.rgignore', '.ignore', '.gitignore'] as const;
const MAX_BYTES = 1024 * 1024;

type Kind = (typeof IGNORE_FILES)[number];

interface Rules {
  /** Components of the folder the rules stand in. */
  readonly base: readonly string[];
  readonly test: Ignore;
}

/** The ignore rules that hold in one folder: its own and those of the folders above, up to the root. */
export interface FolderRules {
  readonly byKind: ReadonlyMap<Kind, readonly Rules[]>;
}

/**
 * Reads .gitignore, .ignore and .rgignore on the way down a tree. Files beyond 1 MiB or that cannot be read hold
 * no rules.
 */
export class IgnoreRules {
  readonly #files: FileAccess;
  readonly #resolver: PathResolver;
  readonly #known = new Map<string, FolderRules>();
  readonly #present = new Map<string, readonly string[]>();

  constructor(files: FileAccess, resolver: PathResolver) {
    this.#files = files;
    this.#resolver = resolver;
  }

  /** Tells which names a folder has, so that ignore files it does not have are not looked for. */
  note(folder: ResolvedPath, names: readonly string[]): void {
    const present = IGNORE_FILES.filter((kind) => names.includes(kind));
    this.#present.set(folder.absolute, present);
  }

  /** Rules for the entries of a folder. Asking for the parents first makes this cheap. */
  async forFolder(folder: ResolvedPath): Promise<FolderRules> {
    const known = this.#known.get(folder.absolute);
    if (known !== undefined) return known;
    const above =
      folder.segments.length === 0 ? null : await this.forFolder(parentOf(this.#resolver, folder));
    const byKind = new Map<Kind, readonly Rules[]>();
    for (const kind of IGNORE_FILES) {
      const inherited = above?.byKind.get(kind) ?? [];
      const own = await this.#read(folder, kind);
      byKind.set(kind, own === null ? inherited : [own, ...inherited]);
    }
    const rules = { byKind };
    this.#known.set(folder.absolute, rules);
    return rules;
  }

  /** Whether rules leave out a path, itself or with a folder above it, from `root` down. */
  async ignoresDeep(path: ResolvedPath): Promise<boolean> {
    let folder = this.#resolver.resolve(path.root.path, 'read');
    for (const [index, name] of path.segments.entries()) {
      const rules = await this.forFolder(folder);
      const below = path.segments.slice(0, index + 1);
      const isFolder = index < path.segments.length - 1;
      if (ignores(rules, below, isFolder)) return true;
      if (isFolder) folder = this.#resolver.child(folder, name);
    }
    return false;
  }

  /** The ignore files above a folder with their text, root first: what a search that starts there must be told. */
  async above(
    folder: ResolvedPath,
  ): Promise<readonly { readonly base: readonly string[]; readonly text: string }[]> {
    const found: { base: readonly string[]; text: string }[] = [];
    let at = folder;
    while (at.segments.length > 0) {
      at = parentOf(this.#resolver, at);
      for (const kind of IGNORE_FILES) {
        const text = await this.#textOf(at, kind);
        if (text !== null) found.unshift({ base: at.segments, text });
      }
    }
    return found;
  }

  async #read(folder: ResolvedPath, kind: Kind): Promise<Rules | null> {
    const text = await this.#textOf(folder, kind);
    if (text === null) return null;
    const { default: ignore } = await import('ignore');
    const test = ignore({ ignorecase: false, allowRelativePaths: true }).add(text);
    return { base: folder.segments, test };
  }

  async #textOf(folder: ResolvedPath, kind: Kind): Promise<string | null> {
    if (this.#present.get(folder.absolute)?.includes(kind) === false) return null;
    try {
      const path = this.#resolver.child(folder, kind);
      return (await this.#files.read(path, { maxBytes: MAX_BYTES })).toString('utf8');
    } catch (error) {
      if (isToolFailure(error)) return null;
      throw error;
    }
  }
}

function parentOf(resolver: PathResolver, path: ResolvedPath): ResolvedPath {
  const root = resolver.resolve(path.root.path, 'read');
  return path.segments.slice(0, -1).reduce((at, name) => resolver.child(at, name), root);
}

/** Whether the rules of the folder an entry lies in leave it out. `segments` start at the root. */
export function ignores(
  rules: FolderRules,
  segments: readonly string[],
  isFolder: boolean,
): boolean {
  for (const kind of IGNORE_FILES) {
    for (const { base, test } of rules.byKind.get(kind) ?? []) {
      const relative = segments.slice(base.length).join('/');
      const verdict = test.test(isFolder ? `${relative}/` : relative);
      if (verdict.ignored) return true;
      if (verdict.unignored) return false;
    }
  }
  return false;
}

export function isHiddenEntry(name: string): boolean {
  return name.startsWith('.');
}
