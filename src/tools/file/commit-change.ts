import { isToolFailure } from '../../errors.ts';
import { detectEncoding, type TextEncoding } from '../../workspace/encoding.ts';
import { eolOf } from '../../workspace/line-ends.ts';
import { showPath } from '../../workspace/show-path.ts';
import type { ResolvedPath } from '../../workspace/types.ts';
import { toUnits } from '../../workspace/units.ts';
import type { ToolContext, ToolOutput } from '../types.ts';
import { jsonWarning } from './json-warning.ts';
import { type FileInHand, markSeen, refuseStale, takeIfThere } from './seen-file.ts';
import { cutMiddle, unifiedDiff } from './unified-diff.ts';

/** A finished new content, to be put in place of the old one. */
export interface Change {
  readonly path: ResolvedPath;
  /** Null: the file is new. */
  readonly before: FileInHand | null;
  readonly after: Buffer;
  readonly action: string;
  readonly replaced?: number;
  readonly matched?: 'exact' | 'line-ends';
  /** Lines for the model after the diff. */
  readonly notes?: readonly string[];
}

/**
 * Stores the before-image, writes atomically against the hash that was read, and makes the result of tools.md 4.9.
 * Throws ToolFailure; a change in between is `stale_file` with what changed.
 */
export async function commitChange(ctx: ToolContext, change: Change): Promise<ToolOutput> {
  const { path, before, after } = change;
  if (before !== null) await ctx.session.storeBlob(before.content);
  const outcome = await write(ctx, change);
  const real = before?.real ?? (await ctx.files.realPath(path));
  await markSeen(ctx, { path, real, content: after, sha256: outcome.afterSha256 });
  const name = showPath(path.logical);
  const diff = await unifiedDiff(before?.content ?? null, after, name);
  const encoding = encodingOf(before?.content ?? after);
  const warning = jsonWarning(path.segments.at(-1) ?? '', after, encoding);
  const notes = [...(change.notes ?? []), ...(warning === null ? [] : [warning])];
  if (outcome.hardLinkSplit)
    notes.push('The file had other hard-linked names; they keep the old content.');
  if (outcome.ownerChanged === true) notes.push('The owner of the file could not be kept.');
  const shown = cutMiddle(diff.text);
  return {
    content: [`${name}: +${diff.added} −${diff.removed} lines`, shown, ...notes].join('\n'),
    metadata: {
      action: change.action,
      source: path.logical,
      path: path.logical,
      created: outcome.created,
      before_sha256: before?.sha256 ?? null,
      after_sha256: outcome.afterSha256,
      before_bytes: before?.content.length ?? null,
      after_bytes: after.length,
      replaced: change.replaced ?? 0,
      matched: change.matched ?? 'exact',
      encoding: encoding.name,
      eol: eolOf(toUnits(before?.content ?? after, encoding).text),
      diff: shown,
      ...(outcome.hardLinkSplit ? { hard_link_split: true } : {}),
      ...(outcome.ownerChanged === true ? { owner_changed: true } : {}),
    },
    filesChanged: [
      { path: path.logical, before: before?.sha256 ?? null, after: outcome.afterSha256 },
    ],
  };
}

async function write(ctx: ToolContext, change: Change) {
  try {
    return await ctx.files.writeAtomic(change.path, change.after, {
      grant: ctx.grant,
      expectedSha256: change.before?.sha256 ?? null,
      makeParents: change.before === null,
      signal: ctx.signal,
    });
  } catch (error) {
    if (isToolFailure(error) && error.kind === 'stale_file') await explainStale(ctx, change);
    throw error;
  }
}

/** Somebody changed the file between reading and renaming: shows what, as any stale file. */
async function explainStale(ctx: ToolContext, change: Change): Promise<void> {
  if (change.before === null) return;
  const { real, content, sha256 } = change.before;
  ctx.session.knowledge.record(real, sha256, content.length, 0n, 0n);
  ctx.session.knowledge.keep?.(real, content);
  const now = await takeIfThere(ctx, change.path);
  if (now !== null) await refuseStale(ctx, now);
}

function encodingOf(content: Buffer): TextEncoding {
  return detectEncoding(content) ?? { name: 'legacy', bomBytes: 0 };
}
