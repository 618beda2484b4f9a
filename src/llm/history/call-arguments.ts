import { isObject } from '../json.ts';
import { isDeeperThan } from '../json-scan.ts';
import type { JsonObject, JsonValue, ToolCall } from '../types.ts';
import { cleanJson } from './clean-text.ts';

/** What a call's arguments are in a later request. */
export interface CallArguments {
  readonly text: string;
  /** Made on demand: most protocols send the text, and a second copy of every argument would stay in memory. */
  readonly object: () => JsonObject;
  /** The text is exactly what the model wrote, or the wire carries objects and this is the one it gave. */
  readonly verbatim: boolean;
}

const MAX_DEPTH = 128;

/** The model's own text when it is a JSON object, else the repaired object, else `{}`. */
export function callArguments(call: ToolCall): CallArguments {
  const { raw_arguments: raw } = call;
  const written = raw === undefined ? null : parseObject(raw);
  const object = cleanJson(written ?? call.arguments);
  const kept = object === (written ?? call.arguments);
  if (raw !== undefined && written !== null && kept) {
    return { text: raw, object: () => parseObject(raw) ?? {}, verbatim: true };
  }
  return {
    text: JSON.stringify(object),
    object: () => object,
    verbatim: raw === undefined && kept,
  };
}

function parseObject(text: string): JsonObject | null {
  if (isDeeperThan(text, MAX_DEPTH)) return null;
  try {
    const value = JSON.parse(text) as JsonValue;
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
