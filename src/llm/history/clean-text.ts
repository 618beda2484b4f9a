import type { JsonValue } from '../types.ts';

/** What no request may carry: half a surrogate pair (the body would not be valid UTF-8) and U+0000. */

const NUL = /\0/g;

export function isCleanText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** The text with lone surrogates and U+0000 replaced by U+FFFD; the same string when there is none. */
export function cleanText(text: string): string {
  return isCleanText(text) ? text : text.toWellFormed().replace(NUL, '\ufffd');
}

export function isBlank(text: string): boolean {
  return text.trim() === '';
}

export function isCleanJson(value: JsonValue): boolean {
  if (typeof value === 'string') return isCleanText(value);
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isCleanJson);
  return Object.entries(value).every(([key, item]) => isCleanText(key) && isCleanJson(item));
}

/** A copy with every string and key cleaned; the same value when nothing had to change. */
export function cleanJson<Value extends JsonValue>(value: Value): Value;
export function cleanJson(value: JsonValue): JsonValue {
  if (typeof value === 'string') return cleanText(value);
  if (isCleanJson(value) || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => cleanJson(item));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [cleanText(key), cleanJson(item)]),
  );
}
