import { ToolFailure } from '../../errors.ts';

/**
 * Name patterns: `*` and `?` within a component, `**` over components, `{a,b}`, `[x]`, backslash for a literal.
 * Matched without regular expressions, so no pattern is slow.
 */
export interface GlobPattern {
  matches(segments: readonly string[]): boolean;
  /** The pattern names entries that begin with a dot. */
  readonly namesHidden: boolean;
}

type Piece =
  | { readonly kind: 'char'; readonly char: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'star' }
  | {
      readonly kind: 'set';
      readonly negated: boolean;
      readonly ranges: readonly (readonly [string, string])[];
    };

type Component = 'deep' | readonly Piece[];

const MAX_CHARS = 1000;
const MAX_ALTERNATIVES = 256;

/** `anyDepth`: a pattern without a slash is matched against the last component only. Throws ToolFailure. */
export function parseGlob(text: string, options: { readonly anyDepth: boolean }): GlobPattern {
  if (text === '') throw new ToolFailure('invalid_arguments', 'the pattern is empty');
  if (text.length > MAX_CHARS) {
    throw new ToolFailure('invalid_arguments', `the pattern has more than ${MAX_CHARS} characters`);
  }
  const texts = expandBraces(text);
  const alternatives = texts.map((one) => {
    const bare = one.replace(/^(?:\.?\/)+/, '');
    const components = bare
      .split('/')
      .filter((part) => part !== '')
      .map(parseComponent);
    return options.anyDepth && !one.includes('/') ? ['deep' as const, ...components] : components;
  });
  return {
    matches: (segments) => alternatives.some((one) => matchComponents(one, segments)),
    namesHidden: texts.some((one) =>
      one.split('/').some((part) => /^\[?\./.test(part) && part !== '.'),
    ),
  };
}

/** All texts a pattern with braces stands for. */
function expandBraces(text: string): readonly string[] {
  const open = findUnescaped(text, '{', 0);
  const close = open < 0 ? -1 : matchingBrace(text, open);
  if (close < 0) return [text];
  const [head, tail] = [text.slice(0, open), text.slice(close + 1)];
  const parts = splitTop(text.slice(open + 1, close));
  const result = parts.flatMap((part) => expandBraces(`${head}${part}${tail}`));
  if (result.length > MAX_ALTERNATIVES) {
    throw new ToolFailure(
      'invalid_arguments',
      `the braces stand for more than ${MAX_ALTERNATIVES} patterns`,
    );
  }
  return result;
}

function findUnescaped(text: string, char: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === char) return at;
  }
  return -1;
}

function matchingBrace(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '{') depth += 1;
    else if (text[at] === '}') {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return -1;
}

function splitTop(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '\\') at += 1;
    else if (char === '{') depth += 1;
    else if (char === '}') depth -= 1;
    else if (char === ',' && depth === 0) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, text.slice(from)];
}

function parseComponent(text: string): Component {
  if (text === '**') return 'deep';
  const pieces: Piece[] = [];
  const chars = Array.from(text);
  for (let at = 0; at < chars.length; at += 1) {
    const char = chars[at] ?? '';
    if (char === '*') {
      if (pieces.at(-1)?.kind !== 'star') pieces.push({ kind: 'star' });
    } else if (char === '?') pieces.push({ kind: 'any' });
    else if (char === '[') {
      const set = parseSet(chars, at);
      if (set === null)
        throw new ToolFailure('invalid_arguments', `the pattern has an unclosed [ in "${text}"`);
      pieces.push(set.piece);
      at = set.end;
    } else if (char === '\\' && at + 1 < chars.length) {
      at += 1;
      pieces.push({ kind: 'char', char: chars[at] ?? '' });
    } else pieces.push({ kind: 'char', char });
  }
  return pieces;
}

function parseSet(chars: readonly string[], open: number): { piece: Piece; end: number } | null {
  let at = open + 1;
  const negated = chars[at] === '!' || chars[at] === '^';
  if (negated) at += 1;
  const first = at;
  const ranges: [string, string][] = [];
  for (; at < chars.length; at += 1) {
    const char = chars[at] ?? '';
    if (char === ']' && at > first) return { piece: { kind: 'set', negated, ranges }, end: at };
    const high = chars[at + 2];
    if (chars[at + 1] === '-' && high !== undefined && high !== ']') {
      ranges.push([char, high]);
      at += 2;
    } else ranges.push([char, char]);
  }
  return null;
}

/** Components with `**`: the classic two-pointer match, one retry point, linear in practice. */
function matchComponents(pattern: readonly Component[], segments: readonly string[]): boolean {
  let p = 0;
  let s = 0;
  let retryP = -1;
  let retryS = 0;
  while (s < segments.length) {
    const component = pattern[p];
    if (component === 'deep') {
      retryP = p;
      retryS = s;
      p += 1;
    } else if (component !== undefined && matchPieces(component, segments[s] ?? '')) {
      p += 1;
      s += 1;
    } else if (retryP >= 0) {
      retryS += 1;
      s = retryS;
      p = retryP + 1;
    } else return false;
  }
  while (pattern[p] === 'deep' && p === pattern.length - 1 && segments.length > 0) p += 1;
  return p === pattern.length;
}

function matchPieces(pieces: readonly Piece[], name: string): boolean {
  const chars = Array.from(name);
  let p = 0;
  let c = 0;
  let retryP = -1;
  let retryC = 0;
  while (c < chars.length) {
    const piece = pieces[p];
    if (piece?.kind === 'star') {
      retryP = p;
      retryC = c;
      p += 1;
    } else if (piece !== undefined && matchesChar(piece, chars[c] ?? '')) {
      p += 1;
      c += 1;
    } else if (retryP >= 0) {
      retryC += 1;
      c = retryC;
      p = retryP + 1;
    } else return false;
  }
  while (pieces[p]?.kind === 'star') p += 1;
  return p === pieces.length;
}

function matchesChar(piece: Piece, char: string): boolean {
  if (piece.kind === 'char') return piece.char === char;
  if (piece.kind !== 'set') return true;
  return piece.ranges.some(([low, high]) => low <= char && char <= high) !== piece.negated;
}
