/**
 * Linear scans over JSON text that need no parse: nesting, borders of objects, the place of the first fault.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Index just after the string that opens at `start`, or -1 when it never closes. */
export function endOfString(text: string, start: number): number {
  const quote = text[start] ?? '"';
  for (let at = text.indexOf(quote, start + 1); at >= 0; at = text.indexOf(quote, at + 1)) {
    let run = at;
    while (run > start + 1 && text.charCodeAt(run - 1) === BACKSLASH) run--;
    if ((at - run) % 2 === 0) return at + 1;
  }
  return -1;
}

/** Are objects and arrays nested deeper than `limit`? Brackets inside double-quoted strings do not count. */
export function isDeeperThan(text: string, limit: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      if (end < 0) return false;
      at = end - 1;
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > limit) return true;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return false;
}

/**
 * The closing brackets a text lacks at its end, in order. Null when its brackets do not match, it ends inside
 * a string, or it lacks more than `limit`.
 */
export function missingClosersOf(text: string, limit: number): string | null {
  const open: string[] = [];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      if (end < 0) return null;
      at = end - 1;
    } else if (code === 0x7b || code === 0x5b) {
      open.push(code === 0x7b ? '}' : ']');
    } else if (code === 0x7d || code === 0x5d) {
      if (open.pop() !== (code === 0x7d ? '}' : ']')) return null;
    }
  }
  return open.length > limit ? null : open.reverse().join('');
}

/** Index just after the object or array that opens at `start`, or -1 when it never closes. */
export function endOfBrackets(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      if (end < 0) return -1;
      at = end - 1;
    } else if (code === 0x7b || code === 0x5b) depth++;
    else if ((code === 0x7d || code === 0x5d) && --depth === 0) return at + 1;
  }
  return -1;
}

/** Depth of a value; the value itself is 1 when it is an object or array. Stops counting above `limit`. */
export function valueDepth(value: unknown, limit: number): number {
  let level: unknown[] = [value];
  let depth = 0;
  while (level.length > 0 && depth <= limit) {
    const containers = level.filter((item) => typeof item === 'object' && item !== null);
    if (containers.length === 0) return depth;
    depth++;
    level = containers.flatMap((item) => Object.values(item as object));
  }
  return depth;
}

const WHITE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const STRING_PART = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

export interface JsonFault {
  readonly position: number;
  readonly reason: string;
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** Where a string goes wrong, or the index after it. */
function walkString(text: string, start: number): number | JsonFault {
  let at = start + 1;
  for (;;) {
    at = skip(STRING_PART, text, at);
    if (at >= text.length) return { position: at, reason: 'the text ends inside a string' };
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code !== BACKSLASH)
      return { position: at, reason: 'a raw control character stands inside a string' };
    const next = skip(ESCAPE, text, at);
    if (next === at) return { position: at, reason: 'invalid escape in a string' };
    at = next;
  }
}

/** A scalar at `at`: the index after it, or the fault. */
function walkScalar(text: string, at: number): number | JsonFault {
  if (text.charCodeAt(at) === QUOTE) return walkString(text, at);
  const end = Math.max(skip(NUMBER, text, at), skip(WORD, text, at));
  return end > at ? end : unexpected(text, at, 'a value');
}

function unexpected(text: string, at: number, wanted: string): JsonFault {
  if (at >= text.length)
    return { position: at, reason: `the text ends where ${wanted} should stand` };
  return { position: at, reason: `${wanted} should stand here` };
}

/** A key and its colon. */
function walkKey(text: string, at: number): number | JsonFault {
  if (text[at] !== '"') return unexpected(text, at, 'a double-quoted key');
  const end = walkString(text, at);
  if (typeof end !== 'number') return end;
  const colon = skip(WHITE, text, end);
  return text[colon] === ':' ? colon + 1 : unexpected(text, colon, "':'");
}

/** The first fault of a text that is not one JSON value; null when it is one. */
export function findJsonFault(text: string): JsonFault | null {
  const open: string[] = [];
  let at = 0;
  let wants: 'value' | 'first' | 'next' = 'value';
  for (;;) {
    at = skip(WHITE, text, at);
    if (wants === 'next') {
      const step = afterValue(text, at, open);
      if (typeof step !== 'number') return step;
      if (text[at] === ',') wants = 'value';
      at = step;
      if (wants === 'next') continue;
      at = skip(WHITE, text, at);
    } else if (wants === 'first' && (text[at] === '}' || text[at] === ']')) {
      wants = 'next';
      continue;
    }
    if (open.at(-1) === '}') {
      const key = walkKey(text, at);
      if (typeof key !== 'number') return key;
      at = skip(WHITE, text, key);
    }
    const character = text[at];
    if (character === '{' || character === '[') {
      open.push(character === '{' ? '}' : ']');
      wants = 'first';
      at++;
      continue;
    }
    const end = walkScalar(text, at);
    if (typeof end !== 'number') return end;
    at = end;
    wants = 'next';
  }
}

/** After a value: the index after a comma or closer, null at a good end, or the fault. */
function afterValue(text: string, at: number, open: string[]): number | JsonFault | null {
  const closer = open.at(-1);
  if (closer === undefined) {
    return at >= text.length ? null : { position: at, reason: 'text follows the JSON value' };
  }
  if (text[at] === ',') return at + 1;
  if (text[at] !== closer) return unexpected(text, at, `',' or '${closer}'`);
  open.pop();
  return at + 1;
}
