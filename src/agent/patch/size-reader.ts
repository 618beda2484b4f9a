import { segmentOfBytes } from '../../workspace/segments.ts';
import type { Root } from '../../workspace/types.ts';
import { createFileAccess } from '../../workspace/workspace-fs.ts';

const LIMITS = {
  readBytes: 0,
  writeBytes: 0,
  listEntries: 0,
  depth: 256,
  searchEntries: 0,
  searchSeconds: 0,
};

/** Sizes of files below a folder, by absolute path in bytes; null for what cannot be looked at. Follows no link. */
export function sizeReader(folder: string): (absolute: Buffer) => Promise<number | null> {
  const root: Root = { kind: 'extra', path: folder, write: false, logicalPrefix: folder };
  const files = createFileAccess({ roots: [root], limits: LIMITS });
  const prefix = Buffer.byteLength(folder) + 1;
  return async (absolute) => {
    try {
      const segments = splitPath(absolute.subarray(prefix));
      const path = [folder, ...segments].join('/');
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
