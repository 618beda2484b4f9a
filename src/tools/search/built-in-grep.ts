import { isToolFailure } from '../../errors.ts';
import { decodeForView, detectEncoding } from '../../workspace/encoding.ts';
import { compareNames } from '../../workspace/list-directory.ts';
import type { ResolvedPath } from '../../workspace/types.ts';
import type { ToolContext } from '../types.ts';
import { type GlobPattern, parseGlob } from './glob-pattern.ts';
import {
  aroundMatch,
  type FileHits,
  type GrepRequest,
  type GrepResult,
  MAX_FILE_BYTES,
} from './grep-types.ts';
import { MatchWorker } from './match-worker.ts';
import { SEARCH_SECONDS } from './ripgrep-run.ts';
import { toScriptPattern } from './rust-pattern.ts';
import { searchTree } from './search-tree.ts';

const EXPRESSION_MS = 5000;
const PIECE_BYTES = 16 * 1024 * 1024;
const LINE_FEED = 10;

/** The same search without ripgrep: the safe walk, and the expression in a worker. Throws ToolFailure. */
export async function searchBuiltIn(ctx: ToolContext, request: GrepRequest): Promise<GrepResult> {
  const worker = new MatchWorker(toScriptPattern(request.pattern, request));
  const partial: string[] = [];
  const hits: FileHits[] = [];
  const endsAt = performance.now() + SEARCH_SECONDS * 1000;
  let atLeast = false;
  try {
    for await (const path of candidates(ctx, request, partial)) {
      if (performance.now() > endsAt) {
        partial.push(`stopped after ${SEARCH_SECONDS} seconds`);
        break;
      }
      const found = await searchFile(ctx, request, path, worker);
      if (found === 'slow') {
        partial.push(
          `the expression took more than ${EXPRESSION_MS / 1000} seconds on ${path.logical}`,
        );
        break;
      }
      if (found === null || found.count === 0) continue;
      if (request.mode === 'content' && found.count > request.max) atLeast = true;
      hits.push(found);
    }
  } finally {
    await worker.close();
  }
  hits.sort((a, b) => compareNames(a.path.logical, b.path.logical));
  return { hits, partial, atLeast };
}

async function* candidates(
  ctx: ToolContext,
  request: GrepRequest,
  partial: string[],
): AsyncGenerator<ResolvedPath> {
  if (request.isFile) {
    yield request.start;
    return;
  }
  const glob = globTest(request);
  const tree = searchTree(ctx.files, ctx.resolver, request.start, {
    includeIgnored: request.includeIgnored,
    includeHidden: request.includeHidden,
    stat: true,
    signal: ctx.signal,
    onPartial: (reason) => partial.push(reason),
    onSecret: () => {},
  });
  for await (const entry of tree) {
    const below = entry.path.segments.slice(request.start.segments.length);
    if (entry.type === 'file' && entry.size <= MAX_FILE_BYTES && glob(below)) yield entry.path;
  }
}

function globTest(request: GrepRequest): (below: readonly string[]) => boolean {
  if (request.glob === null) return () => true;
  const negated = request.glob.startsWith('!');
  const pattern: GlobPattern = parseGlob(negated ? request.glob.slice(1) : request.glob, {
    anyDepth: true,
  });
  return (below) => {
    const matches =
      pattern.matches(below) ||
      below.some((_, at) => at > 0 && pattern.matches(below.slice(0, at)));
    return matches !== negated;
  };
}

async function searchFile(
  ctx: ToolContext,
  request: GrepRequest,
  path: ResolvedPath,
  worker: MatchWorker,
): Promise<FileHits | 'slow' | null> {
  const options = {
    context: request.mode === 'content' ? request.context : 0,
    max:
      request.mode === 'content'
        ? request.max + 1
        : request.mode === 'files'
          ? 1
          : Number.MAX_SAFE_INTEGER,
    keep: request.mode === 'content',
  };
  const rows: FileHits['rows'][number][] = [];
  let count = 0;
  let linesBefore = 0;
  for await (const text of pieces(ctx, request, path)) {
    if (text === null) return null;
    const found = await worker.search(
      text,
      { ...options, max: options.max - count },
      EXPRESSION_MS,
    );
    if (found === null) return 'slow';
    count += found.count;
    for (const one of found.lines) {
      rows.push({
        line: linesBefore + one.line,
        text: aroundMatch(one.text, Math.max(0, one.at)),
        isMatch: one.at >= 0,
        check: null,
      });
    }
    if (count >= options.max) break;
    linesBefore += countLineFeeds(text);
  }
  return { path, rows, count };
}

/** The text of a file in pieces of whole lines; null when it is binary or cannot be read. */
async function* pieces(
  ctx: ToolContext,
  request: GrepRequest,
  path: ResolvedPath,
): AsyncGenerator<string | null> {
  let rest = Buffer.alloc(0);
  try {
    for (let offset = 0; ; ) {
      const piece = await ctx.files.readRange(path, offset, PIECE_BYTES, ctx.signal);
      const isFirst = offset === 0;
      offset += piece.length;
      const atEnd = piece.length < PIECE_BYTES;
      const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
      const encoding = detectEncoding(bytes, false);
      const wide = isFirst && atEnd && encoding?.name.startsWith('utf-16') === true;
      if (wide && encoding !== null) {
        yield decodeForView(bytes.subarray(2), encoding);
        return;
      }
      if (bytes.includes(0)) {
        yield null;
        return;
      }
      const cut = atEnd ? bytes.length : bytes.lastIndexOf(LINE_FEED) + 1;
      const body = bytes.subarray(isFirst && encoding?.bomBytes === 3 ? 3 : 0, cut);
      if (body.length > 0) yield body.toString('utf8');
      rest = Buffer.from(bytes.subarray(cut));
      if (atEnd) return;
    }
  } catch (error) {
    const skips = isToolFailure(error) && error.kind !== 'cancelled' && !request.isFile;
    if (!skips) throw error;
    yield null;
  }
}

function countLineFeeds(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
