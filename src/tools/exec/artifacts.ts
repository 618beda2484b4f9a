import { createHash } from 'node:crypto';
import { isToolFailure } from '../../errors.ts';
import type { ResolvedPath, Root, WalkEntry } from '../../workspace/types.ts';
import type { ToolContext } from '../types.ts';

const MAX_ENTRIES = 20_000;
const MAX_HASHED = 64 * 1024 * 1024;
const CHUNK = 1024 * 1024;
const MAX_ROWS = 50;
const MANY_NEW = 200;
const LEFT_OUT = new Set(['.python_exec', '.home', '.venv', 'tmp', 'worktrees']);

/** The files of output/ and scratchpad/ at one moment, by logical name. */
export interface FolderState {
  readonly files: ReadonlyMap<string, WalkEntry>;
  readonly partial: boolean;
}

export interface Artifact {
  readonly path: string;
  readonly change: 'created' | 'changed' | 'deleted';
  readonly bytes: number;
  /** Null for a deleted file and one too large to hash. */
  readonly sha256: string | null;
}

function rootPath(root: Root): ResolvedPath {
  const { path, logicalPrefix } = root;
  return { root, segments: [], logical: logicalPrefix, absolute: path, intent: 'list' };
}

/** Looks at every file that counts as a result; links are neither listed nor followed. */
export async function scanArtifacts(ctx: ToolContext): Promise<FolderState> {
  const files = new Map<string, WalkEntry>();
  let partial = false;
  for (const root of ctx.resolver.roots) {
    if (root.kind !== 'output' && root.kind !== 'scratchpad') continue;
    const entries = ctx.files.walk(rootPath(root), {
      maxEntries: MAX_ENTRIES,
      enter: (path) => path.segments.length !== 1 || !LEFT_OUT.has(path.segments[0] ?? ''),
      onPartial: () => {
        partial = true;
      },
    });
    for await (const entry of entries) {
      if (entry.type === 'file') files.set(entry.path.logical, entry);
    }
  }
  return { files, partial };
}

/** What differs between two looks, with hashes of what is there now, sorted by name. */
export async function compareArtifacts(
  before: FolderState,
  after: FolderState,
  ctx: ToolContext,
): Promise<Artifact[]> {
  const changes: Artifact[] = [];
  for (const [path, now] of after.files) {
    const old = before.files.get(path);
    if (old !== undefined && old.size === now.size && old.mtimeNs === now.mtimeNs) continue;
    changes.push({
      path,
      change: old === undefined ? 'created' : 'changed',
      bytes: now.size,
      sha256: changes.length < MAX_ROWS ? await hashOf(now, ctx) : null,
    });
  }
  for (const [path, old] of before.files) {
    if (after.files.has(path) || after.partial) continue;
    changes.push({ path, change: 'deleted', bytes: old.size, sha256: null });
  }
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function hashOf(entry: WalkEntry, ctx: ToolContext): Promise<string | null> {
  if (entry.size > MAX_HASHED) return null;
  const hash = createHash('sha256');
  const path = { ...entry.path, intent: 'read' as const };
  try {
    for (let offset = 0; offset < MAX_HASHED; ) {
      const bytes = await ctx.files.readRange(path, offset, CHUNK);
      if (bytes.length === 0) break;
      hash.update(bytes);
      offset += bytes.length;
    }
    return hash.digest('hex');
  } catch (error) {
    if (isToolFailure(error)) return null;
    throw error;
  }
}

/** The list as the model reads it: at most 50 rows, the rest counted. */
export function artifactLines(artifacts: readonly Artifact[], partial: boolean): string[] {
  const lines = artifacts.slice(0, MAX_ROWS).map(({ path, change, bytes, sha256 }) => {
    const hash = sha256 === null ? '' : ` sha256 ${sha256.slice(0, 12)}`;
    return change === 'deleted' ? `deleted ${path}` : `${change} ${path} ${bytes} bytes${hash}`;
  });
  if (lines.length > 0) lines.unshift('[files]');
  if (artifacts.length > MAX_ROWS) lines.push(`and ${artifacts.length - MAX_ROWS} more`);
  const created = artifacts.filter(({ change }) => change === 'created').length;
  if (created > MANY_NEW) lines.push(`warning: ${created} new files in one call`);
  if (partial) lines.push(`only the first ${MAX_ENTRIES} entries were looked at`);
  return lines;
}
