import { ToolFailure } from '../../errors.ts';
import { isSecretName } from '../../workspace/protected-names.ts';
import { showPath } from '../../workspace/show-path.ts';
import type { ResolvedPath } from '../../workspace/types.ts';
import { LineCollector } from '../file/line-collector.ts';
import { markRead, openText } from '../file/text-source.ts';
import { isHiddenEntry } from '../search/ignore-rules.ts';
import type { ToolContext, ToolOutput } from '../types.ts';

const VIEW_CHARS = 16_000;
const FOLDER_ENTRIES = 1000;

export async function view(
  ctx: ToolContext,
  path: ResolvedPath,
  range: unknown,
): Promise<ToolOutput> {
  const { type } = await ctx.files.stat(path);
  if (type !== 'dir') return viewFile(ctx, path, range);
  if (range !== undefined) {
    throw new ToolFailure(
      'invalid_arguments',
      `view_range does not go with a folder (${showPath(path.logical)})`,
    );
  }
  return viewFolder(ctx, path);
}

/** Two levels, hidden entries left out, in trae-agent's order of `find`: each folder before what is in it. */
async function viewFolder(ctx: ToolContext, path: ResolvedPath): Promise<ToolOutput> {
  const lines: string[] = [];
  const reasons: string[] = [];
  const walk = ctx.files.walk(path, {
    maxDepth: 2,
    stat: false,
    signal: ctx.signal,
    enter: (folder) => !isHiddenEntry(folder.segments.at(-1) ?? ''),
    onPartial: (reason) => {
      if (!reason.includes('deeper than')) reasons.push(reason);
    },
  });
  let more = 0;
  for await (const entry of walk) {
    const name = entry.path.segments.at(-1) ?? '';
    if (
      isHiddenEntry(name) ||
      isSecretName(entry.path.segments, { directory: entry.type === 'dir' })
    )
      continue;
    if (lines.length >= FOLDER_ENTRIES) more += 1;
    else lines.push(`${showPath(entry.path.logical)}${entry.type === 'dir' ? '/' : ''}`);
  }
  if (lines.length === 0) lines.push('(empty directory)');
  if (more > 0) lines.push(`[${more} more entries not listed]`);
  for (const reason of reasons) lines.push(`[partial: ${reason}]`);
  return {
    content: `Files and folders up to 2 levels deep in ${showPath(path.logical)}, hidden ones left out:\n${lines.join('\n')}`,
    metadata: { action: 'view', source: path.logical, path: path.logical, entries: lines.length },
  };
}

async function viewFile(ctx: ToolContext, path: ResolvedPath, range: unknown): Promise<ToolOutput> {
  const source = await openText(ctx, path, undefined);
  const [first, last] = rangeOf(range);
  const collector = new LineCollector({
    start: first,
    end: last === -1 ? Number.MAX_SAFE_INTEGER : last,
    maxChars: VIEW_CHARS,
    maxLineChars: VIEW_CHARS,
  });
  for await (const piece of source.pieces()) collector.push(piece);
  collector.end();
  const total = collector.totalLines;
  checkRange(range, first, last, total, path.logical);
  await markRead(ctx, path, source);
  const shown = collector.lines.map(({ number, text, cutFrom }) =>
    cutFrom === null
      ? numbered(number, text)
      : numbered(number, `${text}[... line cut: it has ${cutFrom} characters]`),
  );
  const lastShown = collector.lines.at(-1)?.number ?? 0;
  const end = last === -1 ? total : Math.min(total, last);
  if (lastShown < end) {
    shown.push(
      `[shown up to line ${lastShown} of ${total}; continue with view_range [${lastShown + 1}, ${end}]]`,
    );
  }
  return {
    content: shown.length === 0 ? `(${showPath(path.logical)} is empty)` : shown.join('\n'),
    metadata: {
      action: 'view',
      source: path.logical,
      path: path.logical,
      total_lines: total,
      start_line: first,
      end_line: lastShown,
      bytes: source.bytes,
      encoding: source.encoding,
      eol: collector.eol,
      ...(source.sha256 === null ? {} : { sha256: source.sha256 }),
    },
    bounded: true,
  };
}

export function numbered(number: number, text: string): string {
  return `${String(number).padStart(6)}\t${text}`;
}

function rangeOf(range: unknown): readonly [number, number] {
  if (!Array.isArray(range)) return [1, -1];
  return [Number(range[0]), Number(range[1])];
}

function checkRange(
  range: unknown,
  first: number,
  last: number,
  total: number,
  name: string,
): void {
  if (range === undefined) return;
  const fits =
    first >= 1 &&
    first <= Math.max(1, total) &&
    (last === -1 || (last >= first && last <= Math.max(1, total)));
  if (fits) return;
  throw new ToolFailure(
    'invalid_arguments',
    `view_range [${first}, ${last}] does not fit: ${showPath(name)} has ${total} lines`,
  );
}
