import { decodeForView, detectEncoding } from '../../workspace/encoding.ts';

export interface FileDiff {
  /** Unified, 3 lines of context; line breaks shown as LF whatever the file has. */
  readonly text: string;
  readonly added: number;
  readonly removed: number;
}

const CONTEXT = 3;
/** Beyond this the lines are counted and not shown: the comparison itself would take too long. */
const MAX_EDIT_LENGTH = 4000;
const TIME_MS = 1000;
export const DIFF_CHARS = 4000;

/** Compares two contents of a file; null stands for no file. The diff library is loaded on first use. */
export async function unifiedDiff(
  before: Buffer | null,
  after: Buffer | null,
  name: string,
): Promise<FileDiff> {
  const [a, b] = [viewOf(before), viewOf(after)];
  const middle = differingPart(a, b);
  const { structuredPatch } = await import('diff');
  const patch = structuredPatch('a', 'b', middle.a, middle.b, undefined, undefined, {
    context: CONTEXT,
    maxEditLength: MAX_EDIT_LENGTH,
    timeout: TIME_MS,
  });
  const head = [
    before === null ? '--- /dev/null' : `--- a/${name}`,
    after === null ? '+++ /dev/null' : `+++ b/${name}`,
  ];
  if (patch === undefined) return tooFar(middle, head);
  let added = 0;
  let removed = 0;
  const lines: string[] = [];
  for (const hunk of patch.hunks) {
    const shift = middle.linesBefore;
    lines.push(
      `@@ -${range(hunk.oldStart, hunk.oldLines, shift)} +${range(hunk.newStart, hunk.newLines, shift)} @@`,
      ...hunk.lines,
    );
    added += hunk.lines.filter((line) => line.startsWith('+')).length;
    removed += hunk.lines.filter((line) => line.startsWith('-')).length;
  }
  return { text: [...head, ...lines].join('\n'), added, removed };
}

function range(start: number, count: number, shift: number): string {
  return `${(count === 0 ? start - 1 : start) + shift},${count}`;
}

function viewOf(bytes: Buffer | null): string {
  if (bytes === null) return '';
  const encoding = detectEncoding(bytes) ?? ({ name: 'legacy', bomBytes: 0 } as const);
  return decodeForView(bytes.subarray(encoding.bomBytes), encoding).replace(/\r\n?/g, '\n');
}

interface Middle {
  readonly a: string;
  readonly b: string;
  readonly linesBefore: number;
}

/** Leaves out what both begin and end with, but for the lines of context. */
function differingPart(a: string, b: string): Middle {
  const start = backLines(a, commonPrefix(a, b));
  let tail = commonSuffix(a, b, start);
  tail = a.length - forwardLines(a, a.length - tail);
  let linesBefore = 0;
  for (let at = a.indexOf('\n'); at >= 0 && at < start; at = a.indexOf('\n', at + 1))
    linesBefore += 1;
  return { a: a.slice(start, a.length - tail), b: b.slice(start, b.length - tail), linesBefore };
}

const STRIDE = 32_768;

function commonPrefix(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let at = 0;
  while (at + STRIDE <= most && a.slice(at, at + STRIDE) === b.slice(at, at + STRIDE)) at += STRIDE;
  while (at < most && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  return at;
}

function commonSuffix(a: string, b: string, floor: number): number {
  const most = Math.min(a.length, b.length) - floor;
  let count = 0;
  const same = (size: number): boolean =>
    a.slice(a.length - count - size, a.length - count) ===
    b.slice(b.length - count - size, b.length - count);
  while (count + STRIDE <= most && same(STRIDE)) count += STRIDE;
  while (count < most && same(1)) count += 1;
  return count;
}

/** The start of the line `CONTEXT` lines above a position. */
function backLines(text: string, position: number): number {
  let at = position;
  for (let line = 0; line <= CONTEXT; line += 1) {
    if (at === 0) return 0;
    at = text.lastIndexOf('\n', at - 1);
    if (at < 0) return 0;
  }
  return at + 1;
}

/** The end of the line `CONTEXT` lines below a position. */
function forwardLines(text: string, position: number): number {
  let at = position;
  for (let line = 0; line <= CONTEXT; line += 1) {
    const next = text.indexOf('\n', at);
    if (next < 0) return text.length;
    at = next + 1;
  }
  return at;
}

function tooFar(middle: Middle, head: readonly string[]): FileDiff {
  const count = (text: string): number =>
    text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
  const [removed, added] = [count(middle.a), count(middle.b)];
  const note = `[${removed} lines replaced by ${added}, from line ${middle.linesBefore + 1}; too different to show]`;
  return { text: [...head, note].join('\n'), added, removed };
}

/** At most `max` characters: both ends are kept, cut at line ends, with the number of those left out. */
export function cutMiddle(text: string, max: number = DIFF_CHARS): string {
  if (text.length <= max) return text;
  const half = Math.floor((max - 60) / 2);
  const headEnd = Math.max(text.lastIndexOf('\n', half), 0) || half;
  const tailAt = text.indexOf('\n', text.length - half);
  const tailStart = tailAt < 0 ? text.length - half : tailAt + 1;
  const head = text.slice(0, headEnd).toWellFormed();
  const tail = text.slice(tailStart).toWellFormed();
  return `${head}\n[... ${tailStart - headEnd} characters of the diff omitted ...]\n${tail}`;
}
