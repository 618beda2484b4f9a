/** Reads a body that came as one document instead of a stream. */

import type { Decoder } from '../codecs/codec.ts';
import { isObject } from '../json.ts';
import type { JsonObject, JsonValue } from '../types.ts';
import { parseEvent } from './frames.ts';

/** What the first bytes of a body say about its form; undefined while they are only white space. */
export function sniffBody(bytes: Uint8Array): 'json' | 'sse' | 'other' | undefined {
  const text = Buffer.from(bytes.subarray(0, 64))
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '');
  const start = text.trimStart();
  if (start === '') return undefined;
  if (start.startsWith('{') || start.startsWith('[')) return 'json';
  return /^(d(a(t(a(:|\r|\n|$)|$)|$)|$)|event|id|retry|:)/.test(start) ? 'sse' : 'other';
}

/** Feeds a whole document, or a list of chunks, to the decoder. False when the text is neither. */
export function decodeDocument(text: string, decoder: Decoder): boolean {
  const value: JsonValue | undefined = parseEvent(text.replace(/^\uFEFF/, '').trim());
  if (Array.isArray(value)) {
    for (const chunk of value) decoder.push(chunk);
    return value.length > 0 && (decoder.closed || decoder.contentCount > 0);
  }
  if (!isObject(value)) return false;
  decoder.whole(value satisfies JsonObject);
  return decoder.closed || decoder.contentCount > 0;
}
