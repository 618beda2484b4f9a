import type { FileKnowledge } from '../../tools/types.ts';

/** What tools of one session saw of files, by resolved path. */
export function createFileKnowledge(): FileKnowledge {
  const seen = new Map<string, string>();
  return {
    seen: (path) => seen.get(path),
    record: (path, sha256) => {
      seen.set(path, sha256);
    },
    forget: (path) => {
      seen.delete(path);
    },
  };
}
