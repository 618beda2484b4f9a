import { isToolFailure } from '../../errors.ts';
import { decodeForView, detectEncoding } from '../../workspace/encoding.ts';
import type { ToolContext } from '../types.ts';
import type { FileHits, GrepRequest, GrepRow } from './grep-types.ts';
import { type IgnoreRules, isHiddenEntry } from './ignore-rules.ts';

/**
 * What of a search program's hits may be shown. A glob makes ripgrep look at ignored and hidden files too: those are
 * dropped. Without a sandbox each shown line must also stand in the file as the safe file access reads it, so that a
 * folder swapped for a link during the search leads nowhere.
 */
export async function keptHits(
  ctx: ToolContext,
  rules: IgnoreRules,
  request: GrepRequest,
  hits: readonly FileHits[],
): Promise<FileHits[]> {
  const kept: FileHits[] = [];
  let rows = 0;
  for (const hit of hits) {
    if (!(await isWanted(rules, request, hit))) continue;
    const needsCheck = ctx.session.sandbox === 'none' && rows < request.max;
    const checked = needsCheck ? await confirmed(ctx, hit) : hit;
    if (checked === null) continue;
    rows += checked.count;
    kept.push(checked);
  }
  return kept;
}

async function isWanted(rules: IgnoreRules, request: GrepRequest, hit: FileHits): Promise<boolean> {
  if (request.isFile || request.glob === null) return true;
  const below = hit.path.segments.slice(request.start.segments.length);
  if (!request.includeHidden && below.some(isHiddenEntry)) return false;
  return request.includeIgnored || !(await rules.ignoresDeep(hit.path));
}

async function confirmed(ctx: ToolContext, hit: FileHits): Promise<FileHits | null> {
  try {
    const first = hit.rows[0];
    if (first === undefined) {
      await ctx.files.readRange(hit.path, 0, 1, ctx.signal);
      return hit;
    }
    for (const row of hit.rows) if (!(await stands(ctx, hit, row))) return null;
    return hit;
  } catch (error) {
    if (isToolFailure(error) && error.kind !== 'cancelled') return null;
    throw error;
  }
}

async function stands(ctx: ToolContext, hit: FileHits, row: GrepRow): Promise<boolean> {
  if (row.check === null) return true;
  const { offset, bytes } = row.check;
  const inside = await ctx.files.readRange(hit.path, offset, bytes.length, ctx.signal);
  if (inside.equals(bytes)) return true;
  const marks = await ctx.files.readRange(hit.path, 0, 3, ctx.signal);
  const hasMark = marks[0] === 0xff || marks[0] === 0xfe || marks[0] === 0xef;
  if (!hasMark) return false;
  const whole = await ctx.files.read(hit.path, { signal: ctx.signal });
  const encoding = detectEncoding(whole);
  return (
    encoding !== null && decodeForView(whole, encoding).includes(bytes.toString('utf8').trimEnd())
  );
}
