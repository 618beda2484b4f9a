import { isToolFailure } from '../errors.ts';
import { listDirectory } from './list-directory.ts';
import { createNaming } from './logical-name.ts';
import type { SecretException } from './name-guard.ts';
import { PendingWrites } from './pending-writes.ts';
import { readRange, readWhole } from './read-file.ts';
import { removeEntry } from './remove-entry.ts';
import { makeFolder, renameEntry } from './rename-entry.ts';
import { RootTable } from './root-table.ts';
import { realPathOf, statEntry } from './stat-entry.ts';
import { walkTree } from './tree-walk.ts';
import type { FileAccess, FileLimits, ResolvedPath, Root } from './types.ts';
import { appendFile, type WriteState, writeAtomic } from './write-file.ts';

export { cleanTempFiles } from './pending-writes.ts';

export interface FileAccessOptions {
  readonly roots: readonly Root[];
  readonly limits: FileLimits;
  /** The runtime's own home: closed to tools where it lies below a root. */
  readonly home?: string;
  /** Folder for notes about temporary files, which `cleanTempFiles` reads at the next start. Absent: no notes. */
  readonly pendingFolder?: string;
  /** True for the real path of a secret-named file that a rule of the user's own configuration lets tools use. */
  readonly secretAllowed?: SecretException;
}

/** File access with its root descriptors; `close` releases them at the end of the session. */
export type WorkspaceFiles = FileAccess & { close(): void };

/**
 * The one safe way to user files (safety.md 4). Paths are walked component by component through open directories;
 * links are resolved by this code and only into a root; what was opened is checked once more before use.
 */
export function createFileAccess(options: FileAccessOptions): WorkspaceFiles {
  const { limits } = options;
  const naming = createNaming(options.roots);
  const state: WriteState = {
    table: new RootTable(options.roots, options.home ?? null),
    secretAllowed: options.secretAllowed ?? (() => false),
    limits,
    pending: new PendingWrites(options.pendingFolder ?? null),
  };
  /** A root that was deleted and made again since: once more, with what stands there now. */
  const fresh = async <T>(path: ResolvedPath, run: () => T | Promise<T>): Promise<T> => {
    try {
      return await run();
    } catch (error) {
      const missing = isToolFailure(error) && error.kind === 'not_found';
      if (!missing || !state.table.dropDeleted(path)) throw error;
      return run();
    }
  };
  return {
    stat: (path, settings) =>
      fresh(path, () => statEntry(state, path, settings?.noFollow === true)),
    read: (path, settings) =>
      fresh(path, () =>
        readWhole(state, path, settings?.maxBytes ?? limits.readBytes, settings?.signal),
      ),
    readRange: (path, offset, length, signal) =>
      fresh(path, () => readRange(state, path, offset, Math.min(length, limits.readBytes), signal)),
    list: async (path, settings) =>
      listDirectory(
        state,
        path,
        Math.min(settings?.maxEntries ?? limits.listEntries, limits.listEntries),
        settings,
      ),
    walk: (path, settings) => walkTree(state, path, limits, naming.child, settings ?? {}),
    writeAtomic: (path, content, settings) =>
      fresh(path, () => writeAtomic(state, path, content, settings)),
    append: (path, content, settings) =>
      fresh(path, () => appendFile(state, path, content, settings)),
    mkdir: (path, grant) => fresh(path, () => makeFolder(state, path, grant)),
    remove: async (path, grant, settings) =>
      removeEntry(state, path, grant, settings?.recursive === true),
    rename: (from, to, grant) => fresh(to, () => renameEntry(state, from, to, grant)),
    realPath: (path) => fresh(path, () => realPathOf(state, path)),
    close: () => state.table.close(),
  };
}
