import type { FileAccess, Grant, ResolvedPath } from '../workspace/types.ts';

/**
 * The same file access, which tells of protected paths that a person approved for writing, so that they are not
 * taken for the work of a command afterwards.
 */
export function watchedFileAccess(
  files: FileAccess,
  approved: (paths: readonly string[]) => void,
): FileAccess {
  const told = async <T>(grant: Grant, work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } finally {
      if (grant.protectedPaths.length > 0) approved(grant.protectedPaths);
    }
  };
  return {
    stat: (path, options) => files.stat(path, options),
    read: (path, options) => files.read(path, options),
    readRange: (path, offset, length, signal) => files.readRange(path, offset, length, signal),
    list: (path, options) => files.list(path, options),
    walk: (path, options) => files.walk(path, options),
    realPath: (path: ResolvedPath) => files.realPath(path),
    writeAtomic: (path, content, options) =>
      told(options.grant, files.writeAtomic(path, content, options)),
    append: (path, content, options) => told(options.grant, files.append(path, content, options)),
    mkdir: (path, grant) => told(grant, files.mkdir(path, grant)),
    remove: (path, grant, options) => told(grant, files.remove(path, grant, options)),
    rename: (from, to, grant) => told(grant, files.rename(from, to, grant)),
  };
}
