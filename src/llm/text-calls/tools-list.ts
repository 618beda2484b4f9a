import { isObject } from '../json.ts';
import { endOfBrackets } from '../json-scan.ts';
import { relaxedToJson } from '../relaxed-json.ts';
import type { JsonValue } from '../types.ts';
import { callOfObject, nameInJson } from './call-json.ts';
import { afterWord, skipSpace } from './reading.ts';
import { type EnvelopeFormat, type EnvelopeParse, openCall, type TextCall } from './types.ts';

const OPENER = '<tools>';
const CLOSER = '</tools>';

/** `<tools>[{"name": ..., "arguments": ...}, ...]</tools>` */
export const toolsList: EnvelopeFormat = {
  openers: [OPENER],
  closers: [CLOSER],
  anywhere: false,
  parse(text): EnvelopeParse {
    const start = skipSpace(text, OPENER.length);
    if (start >= text.length) return openCall('', '');
    if (text[start] !== '[') return null;
    const end = endOfBrackets(text, start);
    const close = end < 0 ? -1 : afterWord(text, end, CLOSER);
    if (close < 0) return openCall(nameInJson(text), text.slice(start));
    const calls = callsOfList(text.slice(start, end));
    return calls && { state: 'complete', end: close, calls };
  },
};

function callsOfList(text: string): readonly TextCall[] | null {
  const list = parseJson(text) ?? parseJson(relaxedToJson(text) ?? '');
  if (!Array.isArray(list) || list.length === 0) return null;
  const calls = list.map((item) => (isObject(item) ? callOfObject(item, null) : null));
  return calls.every((call) => call !== null) ? calls : null;
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
