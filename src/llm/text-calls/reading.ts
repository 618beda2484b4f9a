/** Small steps over text that all formats share. */

const SPACE = /\s*/y;

/** Index of the first character at or after `at` that is not white space. */
export function skipSpace(text: string, at: number): number {
  SPACE.lastIndex = at;
  SPACE.exec(text);
  return SPACE.lastIndex;
}

/** Match of a sticky pattern exactly at `at`. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** The text from `at` on could still become `word` when more arrives. */
export function mayBecome(text: string, at: number, word: string): boolean {
  return text.length - at < word.length && word.startsWith(text.slice(at));
}

/** Index after `word` if it stands at `at` (white space before it allowed), else -1. */
export function afterWord(text: string, at: number, word: string): number {
  const start = skipSpace(text, at);
  return text.startsWith(word, start) ? start + word.length : -1;
}

/** A value between tags, without the one line break models put on each side. */
export function withoutFrame(value: string): string {
  return value.replace(/^\r?\n/, '').replace(/\r?\n$/, '');
}

/**
 * Arguments of an XML form: values are text, coerced later by the tool's schema, except those whose tag says that
 * they are JSON and that are.
 */
export function textArguments(
  values: readonly (readonly [string, string])[],
  json: ReadonlySet<string> = new Set(),
): string {
  const entries = values.map(([key, value]) => [key, json.has(key) ? jsonOrText(value) : value]);
  return JSON.stringify(Object.fromEntries(entries));
}

function jsonOrText(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
