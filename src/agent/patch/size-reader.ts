import { segmentOfBytes } from '../../workspace/segments.ts';
import type { FileAccess, Root } from '../../workspace/types.ts';

/** Sizes of files below a root, by absolute path in bytes; null for what cannot be looked at. Follows no link. */
export function sizeReader(
  files: Pick<FileAccess, 'stat'>,
  root: Root,
): (absolute: Buffer) => Promise<number | null> {
  const prefix = Buffer.byteLength(root.path) + 1;
  return async (absolute) => {
    try {
      const segments = splitPath(absolute.subarray(prefix));
      const path = [root.path, ...segments].join('/');
      const place = { root, segments, logical: path, absolute: path, intent: 'read' } as const;
      return (await files.stat(place, { noFollow: true })).size;
    } catch {
      return null;
    }
  };
}

function splitPath(path: Buffer): string[] {
  const segments: string[] = [];
  for (let start = 0; start <= path.length; ) {
    const slash = path.indexOf(0x2f, start);
    const end = slash === -1 ? path.length : slash;
    segments.push(segmentOfBytes(path.subarray(start, end)));
    start = end + 1;
  }
  return segments;
}
