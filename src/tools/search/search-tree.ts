import { isSecretName } from '../../workspace/protected-names.ts';
import type { FileAccess, PathResolver, ResolvedPath, WalkEntry } from '../../workspace/types.ts';
import { type FolderRules, IgnoreRules, ignores, isHiddenEntry } from './ignore-rules.ts';

export interface TreeOptions {
  readonly includeIgnored: boolean;
  readonly includeHidden: boolean;
  readonly stat: boolean;
  readonly signal: AbortSignal;
  readonly maxEntries?: number;
  readonly onPartial: (reason: string) => void;
  /** Called for files left out because of a secret name. */
  readonly onSecret: (path: ResolvedPath) => void;
}

/**
 * The files and links of a tree that a search looks at: no `.git`, no ignored and hidden entries unless wanted, no
 * secret names, links never followed. Sorted by folder.
 */
export async function* searchTree(
  files: FileAccess,
  resolver: PathResolver,
  start: ResolvedPath,
  options: TreeOptions,
): AsyncGenerator<WalkEntry> {
  const rules = new IgnoreRules(files, resolver);
  const byFolder = new Map<string, FolderRules>();
  const rulesOf = async (folder: ResolvedPath): Promise<FolderRules> => {
    const known = byFolder.get(folder.absolute);
    if (known !== undefined) return known;
    const read = await rules.forFolder(folder);
    byFolder.set(folder.absolute, read);
    return read;
  };
  const entered = new Set<string>();
  const walk = files.walk(start, {
    signal: options.signal,
    stat: options.stat,
    enter: (path) => entered.has(path.absolute),
    onPartial: options.onPartial,
    onFolder: (folder, names) => rules.note(folder, names),
    ...(options.maxEntries === undefined ? {} : { maxEntries: options.maxEntries }),
  });
  const parents: ResolvedPath[] = [start];
  for await (const entry of walk) {
    const { path } = entry;
    while ((parents.at(-1)?.segments.length ?? 0) >= path.segments.length) parents.pop();
    const parent = parents.at(-1) ?? start;
    const name = path.segments.at(-1) ?? '';
    const isFolder = entry.type === 'dir';
    if (name === '.git' || (isHiddenEntry(name) && !options.includeHidden)) continue;
    if (!options.includeIgnored && ignores(await rulesOf(parent), path.segments, isFolder))
      continue;
    if (isSecretName(path.segments, { directory: isFolder })) {
      options.onSecret(path);
      continue;
    }
    if (isFolder) {
      entered.add(path.absolute);
      parents.push(path);
    } else {
      yield entry;
    }
  }
}
