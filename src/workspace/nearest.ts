import { ANY_BREAK } from './line-ends.ts';

/** A place that resembles text that was not found. */
export interface NearRegion {
  /** 1-based, inclusive. */
  readonly startLine: number;
  readonly endLine: number;
  /** What the first difference is, in words. */
  readonly difference: string;
}

const MAX_LINES = 50_000;
const MAX_LINE_CHARS = 400;
const CANDIDATES = 12;
const SIMILAR = 0.55;
/** A whole region may differ more than its first line. */
const SIMILAR_REGION = 0.4;

/** Up to 3 regions most like the old text, best first. Looks at the first 50,000 lines. */
export function nearestRegions(fileText: string, oldText: string): NearRegion[] {
  const fileLines = fileText.split(ANY_BREAK, MAX_LINES);
  const oldLines = oldText.split(ANY_BREAK);
  if (oldLines.length > 1 && oldLines.at(-1) === '') oldLines.pop();
  const anchorAt = Math.max(
    0,
    oldLines.findIndex((line) => comparable(line) !== ''),
  );
  const anchor = comparable(oldLines[anchorAt] ?? '');
  if (anchor === '') return [];
  return likeLines(fileLines, anchor)
    .map(({ index }) => ({ start: index - anchorAt, score: 0 }))
    .filter(({ start }) => start >= 0)
    .map(({ start }) => ({ start, score: windowScore(fileLines, oldLines, start) }))
    .filter(({ score }) => score >= SIMILAR_REGION)
    .sort((a, b) => b.score - a.score || a.start - b.start)
    .slice(0, 3)
    .map(({ start }) => ({
      startLine: start + 1,
      endLine: Math.min(fileLines.length, start + oldLines.length),
      difference: firstDifference(fileLines, oldLines, start),
    }));
}

function likeLines(
  fileLines: readonly string[],
  anchor: string,
): { index: number; score: number }[] {
  const wanted = pairsOf(anchor);
  const found: { index: number; score: number }[] = [];
  for (const [index, line] of fileLines.entries()) {
    const text = comparable(line);
    if (text === '' || text.length > anchor.length * 3 || anchor.length > text.length * 3) continue;
    const score = text === anchor ? 1 : similarity(wanted, pairsOf(text));
    if (score >= SIMILAR) found.push({ index, score });
  }
  return found.sort((a, b) => b.score - a.score || a.index - b.index).slice(0, CANDIDATES);
}

function windowScore(
  fileLines: readonly string[],
  oldLines: readonly string[],
  start: number,
): number {
  let total = 0;
  for (const [offset, line] of oldLines.slice(0, 200).entries()) {
    const other = comparable(fileLines[start + offset] ?? '');
    const mine = comparable(line);
    total += mine === other ? 1 : similarity(pairsOf(mine), pairsOf(other));
  }
  return total / Math.min(200, oldLines.length);
}

const LINE_NUMBER_PREFIX = /^\s*\d+(?:\t|→|: )/;

/** What a reader would take for the same: no line number in front, blanks alike, one Unicode form. */
function comparable(line: string): string {
  return line
    .slice(0, MAX_LINE_CHARS)
    .replace(LINE_NUMBER_PREFIX, '')
    .normalize('NFKC')
    .replace(/\s+/g, ' ')
    .trim();
}

function pairsOf(text: string): Map<string, number> {
  const pairs = new Map<string, number>();
  for (let at = 0; at < text.length - 1; at += 1) {
    const pair = text.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

/** Dice coefficient of letter pairs: 1 equal, 0 nothing in common. */
function similarity(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let common = 0;
  let total = 0;
  for (const [pair, count] of a) {
    total += count;
    common += Math.min(count, b.get(pair) ?? 0);
  }
  for (const count of b.values()) total += count;
  return total === 0 ? 0 : (2 * common) / total;
}

function firstDifference(
  fileLines: readonly string[],
  oldLines: readonly string[],
  start: number,
): string {
  for (const [offset, mine] of oldLines.entries()) {
    const theirs = fileLines[start + offset];
    if (theirs === mine) continue;
    const where = `line ${start + offset + 1}`;
    if (theirs === undefined) return `the file ends before ${where}`;
    return `${where}: ${lineDifference(theirs, mine)}`;
  }
  return 'the lines are equal, the breaks between them are not';
}

function lineDifference(theirs: string, mine: string): string {
  if (LINE_NUMBER_PREFIX.test(mine) && mine.replace(LINE_NUMBER_PREFIX, '') === theirs) {
    return 'the old text starts with a copied line-number prefix, which is not part of the file';
  }
  if (theirs.normalize('NFC') === mine.normalize('NFC')) {
    return theirs === theirs.normalize('NFD')
      ? 'the file has decomposed characters (NFD) where the old text has composed ones (NFC)'
      : 'the file has composed characters (NFC) where the old text has decomposed ones (NFD)';
  }
  const at = firstUnequal(theirs, mine);
  const theirChar = charAt(theirs, at);
  const myChar = charAt(mine, at);
  const column = Array.from(theirs.slice(0, at)).length + 1;
  if (theirChar === '\t' && myChar === ' ')
    return `column ${column}: the file has a tab where the old text has spaces`;
  if (theirChar === ' ' && myChar === '\t')
    return `column ${column}: the file has spaces where the old text has a tab`;
  return `column ${column}: the file has ${named(theirChar)} where the old text has ${named(myChar)}`;
}

function firstUnequal(a: string, b: string): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1;
  const low = a.charCodeAt(at);
  return at > 0 && low >= 0xdc00 && low <= 0xdfff ? at - 1 : at;
}

function charAt(text: string, at: number): string | null {
  const code = text.codePointAt(at);
  return code === undefined ? null : String.fromCodePoint(code);
}

function named(char: string | null): string {
  if (char === null) return 'the end of the line';
  const code = `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(char) ? `${code} "${char}"` : code;
}
