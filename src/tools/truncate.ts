/** How far from the wanted place a line end may be, in characters, to cut there. */
const NEAR_LINE_END = 200;

export interface Cut {
  readonly text: string;
  readonly omitted: number;
  readonly total: number;
}

let graphemes: Intl.Segmenter | null = null;

/** Code points of a text; lone surrogates count as one. */
export function countCharacters(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length - 1; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0xd800 || code > 0xdbff) continue;
    const next = text.charCodeAt(index + 1);
    if (next >= 0xdc00 && next <= 0xdfff) {
      count -= 1;
      index += 1;
    }
  }
  return count;
}

/** UTF-16 offset of the n-th character from the start. */
function offsetOf(text: string, characters: number): number {
  let at = 0;
  for (let done = 0; done < characters && at < text.length; done += 1) {
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  }
  return at;
}

/** UTF-16 offset of the n-th character from the end. */
function offsetFromEnd(text: string, characters: number): number {
  let at = text.length;
  for (let done = 0; done < characters && at > 0; done += 1) {
    const low = text.charCodeAt(at - 1);
    const high = text.charCodeAt(at - 2);
    at -= low >= 0xdc00 && low <= 0xdfff && high >= 0xd800 && high <= 0xdbff ? 2 : 1;
  }
  return at;
}

/** The end of a head of at most `limit` UTF-16 units: behind a near line end, else before a whole grapheme. */
function headEnd(text: string, limit: number): number {
  if (limit >= text.length) return text.length;
  if (limit === 0) return 0;
  const newline = text.lastIndexOf('\n', limit - 1);
  if (newline >= 0 && limit - (newline + 1) <= NEAR_LINE_END) return newline + 1;
  return graphemeStart(text, limit);
}

/** The start of a tail that begins at or after `start`: after a near line end, else at a whole grapheme. */
function tailStart(text: string, start: number): number {
  if (start <= 0) return 0;
  if (text[start - 1] === '\n') return start;
  const newline = text.indexOf('\n', start);
  if (newline >= 0 && newline + 1 - start <= NEAR_LINE_END) return newline + 1;
  const whole = graphemeStart(text, start);
  return whole === start ? start : Math.min(text.length, graphemeEnd(text, start));
}

/** A window is enough: no reasonable grapheme is longer, and segmenting the whole text would be slow. */
const WINDOW = 256;

function segmentAround(text: string, at: number): { start: number; end: number } {
  graphemes ??= new Intl.Segmenter('und', { granularity: 'grapheme' });
  const from = Math.max(0, at - WINDOW);
  const segment = graphemes.segment(text.slice(from, at + WINDOW)).containing(at - from);
  if (segment === undefined) return { start: at, end: at };
  const start = from + segment.index;
  return { start, end: start + segment.segment.length };
}

function graphemeStart(text: string, at: number): number {
  return segmentAround(text, at).start;
}

function graphemeEnd(text: string, at: number): number {
  return segmentAround(text, at).end;
}

const count = (value: number) => value.toLocaleString('en-US');

/** The marker in place of what was left out. `address` is where the whole text can be read, or null. */
export function omissionMarker(omitted: number, total: number, address: string | null): string {
  const where = address === null ? '' : `; whole text: ${address}, by read_file or grep_search`;
  return `[... ${count(omitted)} of ${count(total)} characters omitted${where} ...]`;
}

export interface CutOptions {
  /** Characters (code points) kept at most, the marker not counted. */
  readonly limit: number;
  /** `head` keeps the start; `ends` the first third and the last two thirds. */
  readonly keep: 'head' | 'ends';
  readonly address: string | null;
  /** Characters the tool itself had left out of the middle; they count as omitted. */
  readonly missing?: number;
}

/** Cuts a text that is too long. Returns null when it fits. */
export function cutText(text: string, options: CutOptions): Cut | null {
  const { limit, keep, address, missing = 0 } = options;
  if (text.length <= limit && missing === 0) return null;
  const length = countCharacters(text);
  if (length <= limit && missing === 0) return null;
  const headLimit = keep === 'head' ? limit : Math.floor(limit / 3);
  const end = headEnd(text, offsetOf(text, headLimit));
  const start =
    keep === 'head'
      ? text.length
      : Math.max(end, tailStart(text, offsetFromEnd(text, limit - headLimit)));
  const head = text.slice(0, end);
  const tail = text.slice(start);
  const total = length + missing;
  const omitted = total - countCharacters(head) - countCharacters(tail);
  const marker = omissionMarker(omitted, total, address);
  const gap = head === '' || head.endsWith('\n') ? '' : '\n';
  return { text: `${head}${gap}${marker}${tail === '' ? '' : `\n${tail}`}`, omitted, total };
}
