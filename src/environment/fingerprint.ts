import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
} from 'node:fs';
import { join } from 'node:path';

const MAX_FILE = 1024 * 1024;
const MAX_ENTRIES = 500;

/** What stands at a path, enough to see a change and to put it back. */
export type Saved =
  | { readonly type: 'absent' }
  | { readonly type: 'link'; readonly target: string }
  | {
      readonly type: 'file';
      readonly stamp: string;
      readonly mode: number;
      /** Null for a file too large to keep. */
      readonly content: Buffer | null;
    }
  | { readonly type: 'dir'; readonly entries: ReadonlyMap<string, Saved> }
  | { readonly type: 'other' };

export const ABSENT: Saved = { type: 'absent' };

/**
 * Reads the state of a path. A file whose inode, size and times are those of `before` is taken as unchanged without
 * reading it; the change time cannot be set by a command.
 */
export function save(
  path: string,
  before: Saved = ABSENT,
  budget = { entries: MAX_ENTRIES },
): Saved {
  try {
    const stat = lstatSync(path, { bigint: true });
    if (stat.isSymbolicLink()) return { type: 'link', target: readlinkSync(path) };
    if (stat.isDirectory()) return saveFolder(path, before, budget);
    if (!stat.isFile()) return { type: 'other' };
    const stamp = `${stat.dev}:${stat.ino}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}`;
    if (before.type === 'file' && before.stamp === stamp) return before;
    const content = stat.size > MAX_FILE ? null : readPlain(path);
    return { type: 'file', stamp, mode: Number(stat.mode & 0o777n), content };
  } catch {
    return ABSENT;
  }
}

function saveFolder(path: string, before: Saved, budget: { entries: number }): Saved {
  const entries = new Map<string, Saved>();
  for (const name of readdirSync(path).sort()) {
    if (budget.entries-- <= 0) break;
    const old = before.type === 'dir' ? before.entries.get(name) : undefined;
    entries.set(name, save(join(path, name), old, budget));
  }
  return { type: 'dir', entries };
}

function readPlain(path: string): Buffer {
  const descriptor = openSync(
    path,
    constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
  );
  try {
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** True when two states are the same in type, link target and content. */
export function isSame(a: Saved, b: Saved): boolean {
  if (a === b) return true;
  if (a.type === 'link' && b.type === 'link') return a.target === b.target;
  if (a.type === 'file' && b.type === 'file') return sameFile(a, b);
  if (a.type === 'dir' && b.type === 'dir') {
    if (a.entries.size !== b.entries.size) return false;
    return [...a.entries].every(([name, saved]) => isSame(saved, b.entries.get(name) ?? ABSENT));
  }
  return a.type === b.type;
}

function sameFile(a: Saved & { type: 'file' }, b: Saved & { type: 'file' }): boolean {
  if (a.stamp === b.stamp) return true;
  if (a.content === null || b.content === null) return false;
  return a.mode === b.mode && a.content.equals(b.content);
}
