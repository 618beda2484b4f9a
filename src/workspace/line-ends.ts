import type { LineBreak } from './units.ts';

export type EolName = 'lf' | 'crlf' | 'cr' | 'mixed' | 'none';

/** Splits text at LF, CRLF and CR alike. */
export const ANY_BREAK = /\r\n|\n|\r/;
const ALL_BREAKS = /\r\n|\n|\r/g;

export function breaksOf(text: string): LineBreak[] {
  return (text.match(ALL_BREAKS) ?? []) as LineBreak[];
}

/** The one style of a text, `mixed`, or `none`. Counted without keeping every break. */
export function eolOf(text: string): EolName {
  const { lf, crlf, cr } = countBreaks(text);
  const used = [lf, crlf, cr].filter((count) => count > 0).length;
  if (used === 0) return 'none';
  if (used > 1) return 'mixed';
  return lf > 0 ? 'lf' : crlf > 0 ? 'crlf' : 'cr';
}

/** The most frequent style; LF when there is none. */
export function majorityBreak(text: string): LineBreak {
  const { lf, crlf, cr } = countBreaks(text);
  if (crlf > lf && crlf >= cr) return '\r\n';
  return cr > lf ? '\r' : '\n';
}

export function countBreaks(text: string): {
  readonly lf: number;
  readonly crlf: number;
  readonly cr: number;
} {
  let lf = 0;
  let crlf = 0;
  let cr = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    if (at > 0 && text.charCodeAt(at - 1) === 13) crlf += 1;
    else lf += 1;
  }
  for (let at = text.indexOf('\r'); at >= 0; at = text.indexOf('\r', at + 1)) {
    if (text.charCodeAt(at + 1) !== 10) cr += 1;
  }
  return { lf, crlf, cr };
}

/** The break nearest before a position, or null. A CRLF that the position splits does not count. */
export function breakBefore(text: string, position: number): LineBreak | null {
  const before = position - 1;
  if (before < 0) return null;
  const lf = text.lastIndexOf('\n', before);
  const cr = text.lastIndexOf('\r', before);
  if (lf < 0 && cr < 0) return null;
  if (lf > cr) return cr === lf - 1 && cr >= 0 ? '\r\n' : '\n';
  return text.charCodeAt(cr + 1) === 10 ? '\r\n' : '\r';
}

/** The 1-based line a position lies in. */
export function lineNumberAt(text: string, position: number): number {
  let line = 1;
  for (let at = 0; at < position; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 10 || (code === 13 && text.charCodeAt(at + 1) !== 10)) line += 1;
  }
  return line;
}
