import type { Child } from '../../environment/types.ts';
import { ToolFailure } from '../../errors.ts';
import type { ToolContext } from '../types.ts';
import { type FileHits, type GrepRequest, type GrepResult, MAX_FILE_BYTES } from './grep-types.ts';
import { HitCollector } from './hit-collector.ts';
import { IgnoreRules } from './ignore-rules.ts';
import { escapeGlob, rebaseIgnore, SECRET_IGNORE } from './ignore-text.ts';
import { keptHits } from './kept-hits.ts';
import { createRecordReader } from './ripgrep-records.ts';

export const SEARCH_SECONDS = 30;
/** Gives ripgrep a pipe it can open by name as its ignore file; what we hand a child may be a socket. */
const PIPED = 'cat | "$0" "$@"';
const STDERR_BYTES = 16 * 1024;

/**
 * Searches with ripgrep in the environment. Reads all matches when they are few; when they flood, a second, ordered
 * run stops after the first ones, so that the result does not depend on timing. Throws ToolFailure.
 */
export async function searchWithRipgrep(
  ctx: ToolContext,
  program: string,
  request: GrepRequest,
): Promise<GrepResult> {
  const rules = new IgnoreRules(ctx.files, ctx.resolver);
  const above = request.isFile || request.includeIgnored ? [] : await rules.above(request.place);
  const stdin = Buffer.from(`${SECRET_IGNORE}\n${rebaseIgnore(above)}\n`);
  const first = await runOnce(ctx, program, request, stdin, false);
  const found = first.flooded ? await runOnce(ctx, program, request, stdin, true) : first;
  const hits: FileHits[] = await keptHits(ctx, rules, request, found.hits);
  return { hits, partial: found.partial, atLeast: found.atLeast };
}

interface RunResult extends GrepResult {
  readonly flooded: boolean;
}

async function runOnce(
  ctx: ToolContext,
  program: string,
  request: GrepRequest,
  stdin: Buffer,
  ordered: boolean,
): Promise<RunResult> {
  const child = await ctx.spawn({
    argv: ['sh', '-c', PIPED, program, ...argumentsOf(request, ordered)],
    cwd: request.place.root.path,
    stdin: { bytes: stdin },
    profile: 'command',
    readOnly: true,
    readBinds: [program],
    limits: { timeoutMs: SEARCH_SECONDS * 1000 },
  });
  const collector = new HitCollector(request, ctx.resolver);
  const enough = (): boolean => (ordered ? collector.rows > request.max : collector.flooded);
  const [stopped, stderr] = await Promise.all([
    drain(child, request, collector, enough),
    textOf(child.stderr),
  ]);
  const exit = await child.exited;
  if (!stopped && exit.ended_by === 'cancel')
    throw new ToolFailure('cancelled', 'the search was stopped');
  if (!stopped && exit.code === 2 && collector.rows === 0) throw refused(stderr);
  const partial: string[] = [];
  if (exit.ended_by === 'timeout') partial.push(`stopped after ${SEARCH_SECONDS} seconds`);
  else if (!stopped && exit.ended_by !== 'exit')
    partial.push(`ripgrep was ended (${exit.ended_by})`);
  return {
    hits: collector.hits(),
    partial,
    atLeast: stopped || collector.capped,
    flooded: stopped && !ordered,
  };
}

/** Feeds the output to the collector; ends the program early when there is enough. */
async function drain(
  child: Child,
  request: GrepRequest,
  collector: HitCollector,
  enough: () => boolean,
): Promise<boolean> {
  const reader = createRecordReader(request.mode, collector);
  let stopped = false;
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    if (stopped) continue;
    reader.push(chunk);
    if (enough()) {
      stopped = true;
      void child.kill('cancel');
    }
  }
  if (!stopped) reader.end();
  return stopped;
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    if (length < STDERR_BYTES) parts.push(chunk);
    length += chunk.length;
  }
  return Buffer.concat(parts).toString('utf8').slice(0, STDERR_BYTES);
}

function refused(stderr: string): ToolFailure {
  const reason = stderr.replace(/^rg: /, '').trim();
  const kind = /regex parse error|glob|regex could not be compiled|size limit/i.test(reason)
    ? 'invalid_arguments'
    : 'tool_execution_error';
  return new ToolFailure(
    kind,
    `ripgrep refused the search: ${reason.slice(0, 1000) || 'no reason given'}`,
  );
}

function argumentsOf(request: GrepRequest, ordered: boolean): readonly string[] {
  const below = request.place.segments;
  const output = {
    content: ['--json', '--max-count', String(request.max + 1)],
    files: ['--files-with-matches', '--null'],
    count: ['--count', '--null'],
  }[request.mode];
  return [
    '--no-config',
    '--no-messages',
    '--no-require-git',
    '--no-ignore-global',
    '--no-ignore-exclude',
    '--no-ignore-parent',
    '--with-filename',
    '--color=never',
    '--crlf',
    ...output,
    ...(ordered ? ['--sort=path'] : []),
    ...(request.context > 0 && request.mode === 'content'
      ? ['--context', String(request.context)]
      : []),
    ...(request.ignoreCase ? ['--ignore-case'] : []),
    ...(request.literal ? ['--fixed-strings'] : []),
    ...(request.includeHidden ? ['--hidden'] : []),
    ...(request.includeIgnored ? ['--no-ignore'] : []),
    '--ignore-file',
    '/dev/stdin',
    ...(request.isFile
      ? []
      : ['--max-filesize', String(MAX_FILE_BYTES), ...globArguments(request)]),
    '--regexp',
    request.pattern,
    '--',
    `./${below.join('/')}`,
  ];
}

/** The glob as ripgrep reads it from the root; one with a slash is meant from the searched folder. */
function globArguments(request: GrepRequest): readonly string[] {
  const { glob } = request;
  if (glob === null) return ['--glob', '!.git'];
  const negated = glob.startsWith('!');
  const bare = negated ? glob.slice(1) : glob;
  const folder = request.place.segments.map(escapeGlob).join('/');
  const rooted = bare.includes('/')
    ? `/${folder === '' ? '' : `${folder}/`}${bare.replace(/^\.?\//, '')}`
    : bare;
  return ['--glob', `${negated ? '!' : ''}${rooted}`, '--glob', '!.git'];
}
