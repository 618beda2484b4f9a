import { ToolFailure } from '../../errors.ts';

/**
 * The dialect of grep_search is that of Rust's regex: no look-around, no back-references. For the built-in walker a
 * pattern is rewritten for JavaScript; what cannot be is `invalid_arguments` rather than matched differently.
 */

const POSIX: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7F',
  blank: '\\t ',
  cntrl: '\\x00-\\x1F\\x7F',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-\\/:-@\\[-`\\{-~',
  space: '\\t\\n\\v\\f\\r ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
};
const CLASSES: Readonly<Record<string, string>> = {
  d: '\\p{Nd}',
  D: '\\P{Nd}',
  w: '[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}]',
  W: '[^\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}]',
};
const WORD_INSIDE = '\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}';

/** Refuses what neither engine knows. Throws ToolFailure `invalid_arguments`. */
export function checkDialect(pattern: string): void {
  const bare = pattern.replace(/\\[\s\S]/g, (pair) =>
    /\\[1-9k]/.test(pair) ? '\\1' : pair === '\\n' ? '\\n' : '__',
  );
  const outside = bare.replace(/\[\^?\]?[^\]]*\]/g, '[]');
  if (/\(\?<?[=!]/.test(outside)) {
    throw invalid(
      'look-around, (?=...) and the like, is not supported; match more and filter the result',
    );
  }
  if (bare.includes('\\n')) {
    throw invalid('a match lies within one line, so it cannot hold \\n');
  }
  if (outside.includes('\\1')) {
    throw invalid('back-references like \\1 are not supported; match more and filter the result');
  }
}

function invalid(what: string): ToolFailure {
  return new ToolFailure('invalid_arguments', `the pattern cannot be used: ${what}`);
}

export interface ScriptPattern {
  readonly source: string;
  readonly flags: string;
}

/** The pattern for JavaScript's RegExp. Throws ToolFailure `invalid_arguments`. */
export function toScriptPattern(
  pattern: string,
  options: { readonly literal: boolean; readonly ignoreCase: boolean },
): ScriptPattern {
  const { body, ignoreCase } = options.literal
    ? { body: escapeLiteral(pattern), ignoreCase: false }
    : rewrite(pattern);
  const flags = options.ignoreCase || ignoreCase ? 'iu' : 'u';
  try {
    new RegExp(body, flags);
  } catch (error) {
    const reason =
      error instanceof Error ? error.message.replace(/^Invalid regular expression: /, '') : '';
    throw invalid(reason);
  }
  return { source: body, flags };
}

function escapeLiteral(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

function rewrite(pattern: string): { readonly body: string; readonly ignoreCase: boolean } {
  const leading = /^\(\?([a-zA-Z]+)\)/.exec(pattern)?.[1] ?? '';
  if (/[^ius]/.test(leading))
    throw invalid(`the flags (?${leading}) are not known to the built-in search`);
  const start = leading === '' ? 0 : leading.length + 3;
  let body = '';
  let inClass = false;
  for (let at = start; at < pattern.length; ) {
    const part: Part = inClass ? classPart(pattern, at) : plainPart(pattern, at);
    const [text, length, stays] = part;
    body += text;
    at += length;
    inClass = stays;
  }
  return { body, ignoreCase: leading.includes('i') };
}

type Part = readonly [text: string, length: number, inClass: boolean];

function plainPart(pattern: string, at: number): Part {
  const rest = pattern.slice(at, at + 64);
  const group = /^\(\?P?<([A-Za-z_]\w*)>/.exec(rest);
  if (group !== null) return [`(?<${group[1]}>`, group[0].length, false];
  if (/^\(\?(?!:)/.test(rest))
    throw invalid(`"${rest.slice(0, 4)}" is not known to the built-in search`);
  const char = rest[0] ?? '';
  if (char === '\\') return escaped(rest, false);
  if (char === '[') {
    const open = /^\[\^?\]?/.exec(rest)?.[0] ?? '[';
    return [open.endsWith(']') ? `${open.slice(0, -1)}\\]` : open, open.length, true];
  }
  if (char === ']' || char === '}')
    return isQuantifierEnd(pattern, at) ? [char, 1, false] : [`\\${char}`, 1, false];
  return [char, 1, false];
}

function isQuantifierEnd(pattern: string, at: number): boolean {
  return pattern[at] === '}' && /\{\d+(?:,\d*)?$/.test(pattern.slice(Math.max(0, at - 24), at));
}

function classPart(pattern: string, at: number): Part {
  const rest = pattern.slice(at, at + 64);
  const posix = /^\[:(\^?)([a-z]+):\]/.exec(rest);
  if (posix !== null) {
    const set = POSIX[posix[2] ?? ''];
    if (set === undefined || posix[1] === '^')
      throw invalid(`the class ${posix[0]} is not known to the built-in search`);
    return [set, posix[0].length, true];
  }
  const char = rest[0] ?? '';
  if (char === ']') return [']', 1, false];
  if (char === '\\') return escaped(rest, true);
  if (char === '[' || /^(?:&&|--|~~)/.test(rest))
    throw invalid('nested classes are not known to the built-in search');
  return [char, 1, true];
}

/** An escape sequence, inside a class or not. */
function escaped(rest: string, inClass: boolean): Part {
  const next = rest[1] ?? '';
  if (next === '') throw invalid('it ends in a backslash');
  const hex =
    /^\\(?:x([0-9A-Fa-f]{2})|[xuU]\{([0-9A-Fa-f]{1,6})\}|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8}))/.exec(
      rest,
    );
  if (hex !== null) {
    const code = Number.parseInt(hex[1] ?? hex[2] ?? hex[3] ?? hex[4] ?? '0', 16);
    return [`\\u{${code.toString(16)}}`, hex[0].length, inClass];
  }
  const property = /^\\([pP])(?:\{\^?([\w=]+)\}|([A-Z]))/.exec(rest);
  if (property !== null) {
    return [`\\${property[1]}{${property[2] ?? property[3]}}`, property[0].length, inClass];
  }
  if (inClass && next === 'w') return [WORD_INSIDE, 2, true];
  if (inClass && next === 'W')
    throw invalid('\\W inside a class is not known to the built-in search');
  if (CLASSES[next] !== undefined) return [CLASSES[next] ?? '', 2, inClass];
  if (next === 'A') return ['^', 2, inClass];
  if (next === 'z') return ['$', 2, inClass];
  if (next === 'a') return ['\\x07', 2, inClass];
  if (/[nrtfvsSbB]/.test(next)) return [`\\${next}`, 2, inClass];
  if (/[A-Za-z0-9<>]/.test(next))
    throw invalid(`the escape \\${next} is not known to the built-in search`);
  const code = rest.codePointAt(1) ?? 0;
  return [`\\u{${code.toString(16)}}`, 1 + String.fromCodePoint(code).length, inClass];
}
