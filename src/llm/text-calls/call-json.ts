import { parseArguments } from '../arguments.ts';
import { isObject } from '../json.ts';
import { endOfBrackets, endOfString } from '../json-scan.ts';
import type { JsonObject, JsonValue } from '../types.ts';
import { skipSpace } from './reading.ts';
import type { TextCall } from './types.ts';

/** Calls written as JSON: `{"name": ..., "arguments": ...}`. */

const ARGUMENT_KEYS: readonly string[] = ['arguments', 'parameters'];
const NAME = /"name"\s*:\s*"([^"\\]{1,200})"/;

/** The calls of one JSON text; an unreadable text that shows a name stays a call, with arguments that will not parse. */
export function callsOfJson(text: string): readonly TextCall[] | null {
  const parsed = parseArguments(text, { closed: true });
  if ('fault' in parsed) {
    const name = nameInJson(text);
    return name === '' ? null : [{ name, rawArguments: text, id: null }];
  }
  const calls = parsed.calls.map(({ arguments: value }) => callOfObject(value, text));
  return calls.every((call) => call !== null) ? calls : null;
}

export function nameInJson(text: string): string {
  return NAME.exec(text)?.[1] ?? '';
}

/** `source` is the text of the object, from which argument text is taken verbatim where it is strict JSON. */
export function callOfObject(value: JsonObject, source: string | null): TextCall | null {
  const { name } = value;
  if (typeof name !== 'string' || name === '') return null;
  const key = ARGUMENT_KEYS.find((word) => Object.hasOwn(value, word));
  if (key === undefined) return { name, rawArguments: '', id: null };
  const verbatim = source === null ? null : memberText(source, key, value[key] ?? null);
  return { name, rawArguments: verbatim ?? argumentText(value[key] ?? null), id: null };
}

function argumentText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The text of an object member inside the text of its object, when it is strict JSON of the same value. */
function memberText(source: string, key: string, value: JsonValue): string | null {
  if (!isObject(value)) return null;
  const start = memberStart(source, key);
  const end = start < 0 || source[start] !== '{' ? -1 : endOfBrackets(source, start);
  if (end < 0) return null;
  const text = source.slice(start, end);
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value) ? text : null;
  } catch {
    return null;
  }
}

/** Where the value of a top-level key starts, or -1. */
function memberStart(source: string, key: string): number {
  let at = skipSpace(source, 0) + 1;
  while (at > 0 && at < source.length) {
    at = skipSpace(source, at);
    if (source[at] === '"') {
      const end = endOfString(source, at);
      const colon = end < 0 ? -1 : skipSpace(source, end);
      if (source[colon] === ':' && source.slice(at + 1, end - 1) === key) {
        return skipSpace(source, colon + 1);
      }
      at = end;
    } else if (source[at] === '{' || source[at] === '[') at = endOfBrackets(source, at);
    else at++;
  }
  return -1;
}
