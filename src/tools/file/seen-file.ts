import { isToolFailure, ToolFailure } from '../../errors.ts';
import { showPath } from '../../workspace/show-path.ts';
import type { FileStat, ResolvedPath } from '../../workspace/types.ts';
import { sha256Of } from '../../workspace/write-file.ts';
import type { ToolContext } from '../types.ts';
import { unifiedDiff } from './unified-diff.ts';

const STALE_DIFF_LINES = 200;

/** A file as a tool has it in hand: its content and what identifies it. */
export interface FileInHand {
  readonly path: ResolvedPath;
  /** Real absolute path, the key of what the session knows. */
  readonly real: string;
  readonly content: Buffer;
  readonly sha256: string;
}

/** Reads a file whole, without counting it as seen. Throws ToolFailure. */
export async function takeInHand(ctx: ToolContext, path: ResolvedPath): Promise<FileInHand> {
  const content = await ctx.files.read(path, { signal: ctx.signal });
  const real = await ctx.files.realPath(path);
  return { path, real, content, sha256: sha256Of(content) };
}

/** `takeInHand`, or null when there is no such file. */
export async function takeIfThere(
  ctx: ToolContext,
  path: ResolvedPath,
): Promise<FileInHand | null> {
  try {
    return await takeInHand(ctx, path);
  } catch (error) {
    if (isToolFailure(error) && error.kind === 'not_found') return null;
    throw error;
  }
}

/** What stands for the content of a file too large to hash on each look. */
export function statMark(stat: FileStat): string {
  return `stat:${stat.size}:${stat.mtimeNs}:${stat.ino}`;
}

/** Notes that the session has now seen this content. */
export async function markSeen(ctx: ToolContext, file: FileInHand): Promise<void> {
  const stat = await ctx.files.stat(file.path);
  const { knowledge } = ctx.session;
  knowledge.record(file.real, file.sha256, stat.size, stat.mtimeNs, stat.ino);
  knowledge.keep?.(file.real, file.content);
}

/**
 * Refuses work on a file that changed since a tool last saw it (`stale_file`); the change is shown and counts as
 * read, so the same call may be repeated. A file never seen passes.
 */
export async function refuseStale(ctx: ToolContext, file: FileInHand): Promise<void> {
  const { knowledge } = ctx.session;
  const known = knowledge.seen(file.real);
  if (known === undefined || known === file.sha256) return;
  const last = knowledge.lastContent?.(file.real);
  const name = showPath(file.path.logical);
  if (last === undefined) {
    throw new ToolFailure(
      'stale_file',
      `${name} changed since it was last read; read it again first`,
    );
  }
  const diff = await unifiedDiff(last, file.content, name);
  const lines = diff.text.split('\n');
  const more = lines.length - STALE_DIFF_LINES;
  const shown = lines.slice(0, STALE_DIFF_LINES).join('\n');
  await markSeen(ctx, file);
  throw new ToolFailure(
    'stale_file',
    `${name} changed since it was last read (+${diff.added} −${diff.removed} lines)`,
    {
      details: { path: file.path.logical },
      content: more > 0 ? `${shown}\n[${more} more lines of the change are not shown]` : shown,
    },
  );
}
