import { isToolFailure, ToolFailure } from '../../errors.ts';
import { isSecretName } from '../../workspace/protected-names.ts';
import { showPath } from '../../workspace/show-path.ts';
import { withNearest } from '../file/nearest-names.ts';
import { number, optionalText, pathOf, text } from '../file/parameters.ts';
import type { Tool, ToolContext, ToolOutput } from '../types.ts';
import { searchBuiltIn } from './built-in-grep.ts';
import { parseGlob } from './glob-pattern.ts';
import type { FileHits, GrepMode, GrepRequest, GrepResult } from './grep-types.ts';
import { IgnoreRules } from './ignore-rules.ts';
import { countLeftOut, type LeftOut, leftOutNote } from './left-out.ts';
import { findRipgrep } from './ripgrep-path.ts';
import { searchWithRipgrep } from './ripgrep-run.ts';
import { checkDialect } from './rust-pattern.ts';

/** One argument of a program holds at most 128 KiB. */
const MAX_PATTERN = 20_000;
const PROBE_BYTES = 8192;

type Args = Readonly<Record<string, unknown>>;

export const grepSearch: Tool = {
  name: 'grep_search',
  group: 'file',
  description:
    'Search file content by regular expression; lines come as `path:line: text`. Use to find code or text. Not for file names (glob_search) nor parsed data (python_exec). No look-around, no back-references. Binary, ignored and hidden files are skipped.',
  descriptionZh:
    '按正则表达式搜索文件内容，结果行为 `path:line: text`。用于查找代码或文本。不用于文件名（glob_search），也不用于解析数据（python_exec）。不支持环视和反向引用。跳过二进制、被忽略和隐藏的文件。',
  parameters: {
    type: 'object',
    properties: {
      pattern: { type: 'string' },
      path: { type: 'string', description: 'file or folder; default "."', 'x-path': 'read' },
      literal: { type: 'boolean', description: 'plain text, no expression' },
      ignore_case: { type: 'boolean' },
      include_ignored: { type: 'boolean', description: 'also ignored and hidden files' },
      glob: { type: 'string', description: 'only such files: `*.py`, `!*.min.js`' },
      mode: { type: 'string', enum: ['content', 'files', 'count'], description: 'default content' },
      context_lines: { type: 'integer', minimum: 0, maximum: 10, 'x-clamp': true },
      max_matches: {
        type: 'integer',
        minimum: 1,
        maximum: 500,
        'x-clamp': true,
        description: 'default 100',
      },
    },
    required: ['pattern'],
  },
  permission: 'read',
  runsIn: 'environment',
  parallelSafe: true,
  timeout: { default: 60, max: 60 },
  alternatives: ['glob_search', 'read_file'],
  keyAliases: {
    query: 'pattern',
    regex: 'pattern',
    include: 'glob',
    case_insensitive: 'ignore_case',
  },
  title: (args) => `grep ${showPath(text(args, 'pattern'))}`,
  check: (args) => {
    const pattern = text(args, 'pattern');
    if (pattern === '') throw new ToolFailure('invalid_arguments', 'the pattern is empty');
    if (pattern.length > MAX_PATTERN) {
      const message = `the pattern has more than ${MAX_PATTERN} characters`;
      throw new ToolFailure('invalid_arguments', message);
    }
    if (/[\n\0]/.test(pattern)) {
      throw new ToolFailure(
        'invalid_arguments',
        'the pattern holds a line break; a match lies within one line',
      );
    }
    if (args.literal !== true) checkDialect(pattern);
    const glob = optionalText(args, 'glob');
    if (glob !== undefined) parseGlob(glob.replace(/^!/, ''), { anyDepth: true });
  },
  run,
};

async function run(args: Args, ctx: ToolContext): Promise<ToolOutput> {
  const start = pathOf(ctx, args, 'read');
  return withNearest(ctx.files, ctx.resolver, start, async () => {
    const request = await requestOf(args, ctx);
    const [{ result, engine }, left] = await Promise.all([
      search(ctx, request),
      countLeftOut(ctx, request),
    ]);
    return describe(request, result, engine, left);
  });
}

async function requestOf(args: Args, ctx: ToolContext): Promise<GrepRequest> {
  const start = pathOf(ctx, args, 'read');
  const { type } = await ctx.files.stat(start);
  const isFile = type !== 'dir';
  if (isFile) await refuseBinary(ctx, start);
  const real = await ctx.files.realPath(start);
  const place = ctx.resolver.resolve(real, 'read');
  if (isSecretName(place.segments, { directory: !isFile })) {
    throw new ToolFailure('path_denied', `${showPath(start.logical)} has the name of a secret`);
  }
  const includeHidden = args.include_ignored === true;
  const insideIgnored =
    !includeHidden && (await new IgnoreRules(ctx.files, ctx.resolver).ignoresDeep(place));
  return {
    start,
    place,
    isFile,
    pattern: text(args, 'pattern'),
    literal: args.literal === true,
    ignoreCase: args.ignore_case === true,
    includeHidden,
    includeIgnored: includeHidden || insideIgnored,
    glob: optionalText(args, 'glob') ?? null,
    mode: text(args, 'mode', 'content') as GrepMode,
    context: number(args, 'context_lines', 0),
    max: number(args, 'max_matches', 100),
  };
}

/** A file named by itself is searched or refused, never passed over. */
async function refuseBinary(ctx: ToolContext, start: GrepRequest['start']): Promise<void> {
  const head = await ctx.files.readRange(start, 0, PROBE_BYTES, ctx.signal);
  const wide = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
  if (wide || !head.includes(0)) return;
  throw new ToolFailure('unsupported_format', `${showPath(start.logical)} is a binary file`);
}

async function search(
  ctx: ToolContext,
  request: GrepRequest,
): Promise<{ readonly result: GrepResult; readonly engine: 'ripgrep' | 'built-in' }> {
  const builtIn = async () =>
    ({ result: await searchBuiltIn(ctx, request), engine: 'built-in' }) as const;
  const wanted = ctx.session.settings['search.engine'] !== 'built-in';
  // Stored results lie where no command may look.
  const program = wanted && request.place.root.kind !== 'tool-output' ? await findRipgrep() : null;
  if (program === null) return builtIn();
  try {
    return { result: await searchWithRipgrep(ctx, program, request), engine: 'ripgrep' };
  } catch (error) {
    if (isToolFailure(error) && error.kind === 'unavailable') return builtIn();
    throw error;
  }
}

function describe(
  request: GrepRequest,
  result: GrepResult,
  engine: string,
  left: LeftOut,
): ToolOutput {
  const { hits } = result;
  const matches = hits.reduce((total, hit) => total + hit.count, 0);
  const { lines, shown } =
    request.mode === 'content' ? contentLines(request, hits) : fileLines(request, hits);
  const total = request.mode === 'content' ? matches : hits.length;
  const unit = request.mode === 'content' ? 'matching lines' : 'files';
  const atLeast = result.atLeast ? 'at least ' : '';
  const content = [
    ...(lines.length === 0 ? ['(no matches)'] : lines),
    ...(total > shown
      ? [`[${shown} of ${atLeast}${total} ${unit} shown; narrow the search or raise max_matches]`]
      : []),
    ...leftOutNote(left),
    ...(result.partial.length > 0 ? [`[partial: ${result.partial.join('; ')}]`] : []),
  ];
  return {
    content: content.join('\n'),
    metadata: {
      action: 'grep',
      source: request.start.logical,
      matches,
      files: hits.length,
      partial: result.partial.length > 0,
      engine,
      skipped: left,
    },
  };
}

interface Shown {
  readonly lines: readonly string[];
  readonly shown: number;
}

/** `path:line: text`, context as `path-line- text`, groups that do not touch parted by `--`. */
function contentLines(request: GrepRequest, hits: readonly FileHits[]): Shown {
  const lines: string[] = [];
  let shown = 0;
  for (const hit of hits) {
    const name = showPath(hit.path.logical);
    let previous = -1;
    for (const row of trimmed(hit, request.max - shown, request.context)) {
      if (request.context > 0 && lines.length > 0 && row.line !== previous + 1) lines.push('--');
      const mark = row.isMatch ? ':' : '-';
      lines.push(`${name}${mark}${row.line}${mark} ${row.text}`);
      previous = row.line;
      if (row.isMatch) shown += 1;
    }
    if (shown >= request.max) break;
  }
  return { lines, shown };
}

/** The rows of the first matches of a file with their own context. */
function trimmed(hit: FileHits, room: number, context: number): FileHits['rows'] {
  if (hit.count <= room) return hit.rows;
  const matches = hit.rows.filter((row) => row.isMatch);
  const last = matches[room - 1];
  const next = matches[room];
  if (last === undefined) return [];
  return hit.rows.filter(
    (row) =>
      row.line <= last.line ||
      (row.line <= last.line + context && row.line < (next?.line ?? Infinity)),
  );
}

function fileLines(request: GrepRequest, hits: readonly FileHits[]): Shown {
  const shown = hits.slice(0, request.max);
  const lines = shown.map((hit) =>
    request.mode === 'count'
      ? `${showPath(hit.path.logical)}: ${hit.count}`
      : showPath(hit.path.logical),
  );
  return { lines, shown: shown.length };
}
