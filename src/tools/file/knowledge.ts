import type { FileKnowledge } from '../types.ts';

const KEPT_BYTES = 16 * 1024 * 1024;
const KEPT_FILE_BYTES = 1024 * 1024;

/**
 * What the tools of one session last saw of each file, by real path. Contents of small files are kept as well, the
 * latest first, up to 16 MiB together.
 */
export function createFileKnowledge(): FileKnowledge {
  const hashes = new Map<string, string>();
  const contents = new Map<string, Buffer>();
  let bytes = 0;
  const drop = (path: string): void => {
    bytes -= contents.get(path)?.length ?? 0;
    contents.delete(path);
  };
  return {
    seen: (path) => hashes.get(path),
    record: (path, sha256) => {
      if (hashes.get(path) !== sha256) drop(path);
      hashes.set(path, sha256);
    },
    forget: (path) => {
      hashes.delete(path);
      drop(path);
    },
    keep: (path, content) => {
      drop(path);
      if (content.length > KEPT_FILE_BYTES) return;
      contents.set(path, Buffer.from(content));
      bytes += content.length;
      for (const oldest of contents.keys()) {
        if (bytes <= KEPT_BYTES) break;
        drop(oldest);
      }
    },
    lastContent: (path) => contents.get(path),
  };
}
