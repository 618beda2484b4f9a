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
  type GrepRow,
  MAX_FILE_BYTES,
} from './grep-types.ts';
import { MatchWorker, type WorkerLine } from './match-worker.ts';
import { SEARCH_SECONDS } from './ripgrep-run.ts';
import { toScriptPattern } from './rust-pattern.ts';
import { searchTree } from './search-tree.ts';

const EXPRESSION_MS = 5000;
const PIECE_BYTES = 16 * 1024 * 1024;
const LINE_FEED = 10;

const SMALL_BYTES = 256 * 1024;
const BATCH_FILES = 64;

/** The same search without ripgrep: the safe walk, and the expression in a worker. Throws ToolFailure. */
export async function searchBuiltIn(ctx: ToolContext, request: GrepRequest): Promise<GrepResult> {
  const worker = new MatchWorker(toScriptPattern(request.pattern, request));
  const partial: string[] = [];
  const hits: FileHits[] = [];
  try {
    for await (const found of searchAll(ctx, request, worker, partial)) {
      if (found.count > 0) hits.push(found);
    }
  } finally {
    await worker.close();
  }
  hits.sort((a, b) => compareNames(a.path.logical, b.path.logical));
  const atLeast = request.mode === 'content' && hits.some((hit) => hit.count > request.max);
  return { hits, partial, atLeast };
}

interface Text {
  readonly path: ResolvedPath;
  readonly text: string;
}

/** Small files go to the worker many at a time, large ones in pieces. */
async function* searchAll(
  ctx: ToolContext,
  request: GrepRequest,
  worker: MatchWorker,
  partial: string[],
): AsyncGenerator<FileHits> {
  const endsAt = performance.now() + SEARCH_SECONDS * 1000;
  let batch: Text[] = [];
  for await (const { path, size } of candidates(ctx, request, partial)) {
    if (performance.now() > endsAt) {
      partial.push(`stopped after ${SEARCH_SECONDS} seconds`);
      break;
    }
    if (size > SMALL_BYTES) {
      const found = await searchLarge(ctx, request, path, worker);
      if (found === 'slow') {
        partial.push(TOO_SLOW);
        return;
      }
      if (found !== null) yield found;
      continue;
    }
    const text = await smallText(ctx, request, path);
    if (text !== null) batch.push({ path, text });
    if (batch.length < BATCH_FILES) continue;
    const found = await searchBatch(request, batch, worker);
    batch = [];
    if (found === null) {
      partial.push(TOO_SLOW);
      return;
    }
    yield* found;
  }
  const rest = await searchBatch(request, batch, worker);
  if (rest === null) partial.push(TOO_SLOW);
  else yield* rest;
}

const TOO_SLOW = `the expression took more than ${EXPRESSION_MS / 1000} seconds`;

interface Candidate {
  readonly path: ResolvedPath;
  readonly size: number;
}

async function* candidates(
  ctx: ToolContext,
  request: GrepRequest,
  partial: string[],
): AsyncGenerator<Candidate> {
  if (request.isFile) {
    const { size } = await ctx.files.stat(request.start);
    yield { path: request.start, size };
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
    if (entry.type === 'file' && entry.size <= MAX_FILE_BYTES && glob(below)) yield entry;
  }
}

function globTest(request: GrepRequest): (below: readonly string[]) => boolean {
  if (request.glob === null) return () => true;
  const negated = request.glob.startsWith('!');
  const pattern: GlobPattern = parseGlob(negated ? request.glob.slice(1) : request.glob, {
    anyDepth: true,
  });
  return (below) => {
    const above = below.some((_, at) => at > 0 && pattern.matches(below.slice(0, at)));
    return (above || pattern.matches(below)) !== negated;
  };
}

function searchOptions(request: GrepRequest) {
  const max = { content: request.max + 1, files: 1, count: Number.MAX_SAFE_INTEGER }[request.mode];
  const keep = request.mode === 'content';
  return { context: keep ? request.context : 0, max, keep };
}

async function searchBatch(
  request: GrepRequest,
  batch: readonly Text[],
  worker: MatchWorker,
): Promise<readonly FileHits[] | null> {
  if (batch.length === 0) return [];
  const texts = batch.map(({ text }) => text);
  const results = await worker.search(texts, searchOptions(request), EXPRESSION_MS);
  if (results === null) return null;
  return batch.map(({ path }, index) => {
    const found = results[index];
    return { path, rows: rowsOf(found?.lines ?? [], 0), count: found?.count ?? 0 };
  });
}

function rowsOf(lines: readonly WorkerLine[], linesBefore: number): FileHits['rows'] {
  return lines.map((one) => ({
    line: linesBefore + one.line,
    text: aroundMatch(one.text, Math.max(0, one.at)),
    isMatch: one.at >= 0,
    check: null,
  }));
}

/** Null when the file is binary or, in a tree, cannot be read. */
async function smallText(
  ctx: ToolContext,
  request: GrepRequest,
  path: ResolvedPath,
): Promise<string | null> {
  try {
    return textOf(await ctx.files.read(path, { signal: ctx.signal }));
  } catch (error) {
    if (request.isFile || !isToolFailure(error) || error.kind === 'cancelled') throw error;
    return null;
  }
}

function textOf(bytes: Buffer): string | null {
  const encoding = detectEncoding(bytes);
  if (encoding?.name.startsWith('utf-16') === true)
    return decodeForView(bytes.subarray(2), encoding);
  if (bytes.includes(0)) return null;
  return bytes.toString('utf8', encoding?.bomBytes ?? 0);
}

/** A large file in pieces of whole lines. Large UTF-16 files count as binary. */
async function searchLarge(
  ctx: ToolContext,
  request: GrepRequest,
  path: ResolvedPath,
  worker: MatchWorker,
): Promise<FileHits | 'slow' | null> {
  const options = searchOptions(request);
  const rows: GrepRow[] = [];
  let count = 0;
  let linesBefore = 0;
  try {
    for await (const piece of wholeLines(ctx, path)) {
      if (piece.includes(0)) return null;
      const text = piece.toString('utf8');
      const results = await worker.search(
        [text],
        { ...options, max: options.max - count },
        EXPRESSION_MS,
      );
      if (results === null) return 'slow';
      count += results[0]?.count ?? 0;
      rows.push(...rowsOf(results[0]?.lines ?? [], linesBefore));
      if (count >= options.max) break;
      linesBefore += countLineFeeds(text);
    }
  } catch (error) {
    if (request.isFile || !isToolFailure(error) || error.kind === 'cancelled') throw error;
    return null;
  }
  return { path, rows, count };
}

async function* wholeLines(ctx: ToolContext, path: ResolvedPath): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for (let offset = 0; ; ) {
    const piece = await ctx.files.readRange(path, offset, PIECE_BYTES, ctx.signal);
    offset += piece.length;
    const atEnd = piece.length < PIECE_BYTES;
    const bytes = Buffer.concat([rest, piece]);
    const cut = atEnd ? bytes.length : bytes.lastIndexOf(LINE_FEED) + 1;
    if (cut > 0) yield bytes.subarray(0, cut);
    if (atEnd) return;
    rest = bytes.subarray(cut);
  }
}

function countLineFeeds(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
