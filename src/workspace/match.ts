import { encodeText, type TextEncoding } from './encoding.ts';
import { ANY_BREAK } from './line-ends.ts';
import { toUnits, type Units } from './units.ts';

/** A place in units, from `start` to before `end`. */
export interface Region {
  readonly start: number;
  readonly end: number;
}

export type MatchKind = 'exact' | 'line-ends';

export interface Matches {
  readonly kind: MatchKind;
  /** Left to right, not overlapping. */
  readonly regions: readonly Region[];
}

/**
 * Where the old text stands: exactly, or else with line breaks of any style and other blanks before them.
 * Nothing looser counts, because it would rewrite characters the caller never saw.
 */
export function findMatches(file: Units, oldText: string, encoding: TextEncoding): Matches {
  const needle = toUnits(encodeText(oldText, encoding, 'the old text'), encoding).text;
  const exact = findExact(file.text, needle, encoding);
  if (exact.length > 0) return { kind: 'exact', regions: exact };
  if (!ANY_BREAK.test(oldText)) return { kind: 'exact', regions: [] };
  return { kind: 'line-ends', regions: findByLines(file.text, needle, encoding) };
}

function findExact(text: string, needle: string, encoding: TextEncoding): Region[] {
  const regions: Region[] = [];
  for (let at = text.indexOf(needle); at >= 0; ) {
    const end = at + needle.length;
    const counts =
      !splitsBreak(text, at) && !splitsBreak(text, end) && !afterHalf(text, at, encoding);
    if (counts) regions.push({ start: at, end });
    at = text.indexOf(needle, counts ? end : at + 1);
  }
  return regions;
}

/** A match that begins or ends between the CR and the LF of one line break would tear it apart. */
function splitsBreak(text: string, at: number): boolean {
  return at > 0 && text.charCodeAt(at - 1) === 13 && text.charCodeAt(at) === 10;
}

/** After a byte of 0x80 and more a legacy match may begin in the middle of a character. */
function afterHalf(text: string, at: number, encoding: TextEncoding): boolean {
  return encoding.name === 'legacy' && at > 0 && text.charCodeAt(at - 1) >= 0x80;
}

const BREAK_PATTERN = '(?:\\r\\n|(?<!\\r)\\n|\\r(?!\\n))';

function findByLines(text: string, needle: string, encoding: TextEncoding): Region[] {
  const lines = needle.split(ANY_BREAK);
  const pattern = lines
    .map((line, index) => {
      if (index === lines.length - 1) return escapePattern(line);
      const kept = line.replace(/[ \t]+$/, '');
      const blanks = index === 0 && kept === '' ? '' : '[ \\t]*';
      return `${escapePattern(kept)}${blanks}${BREAK_PATTERN}`;
    })
    .join('');
  const regions: Region[] = [];
  for (const found of text.matchAll(new RegExp(pattern, 'g'))) {
    const end = found.index + found[0].length;
    if (!splitsBreak(text, end) && !afterHalf(text, found.index, encoding)) {
      regions.push({ start: found.index, end });
    }
  }
  return regions;
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
