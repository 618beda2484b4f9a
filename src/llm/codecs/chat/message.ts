/** Records a streamed reply as the assistant message it would be on the wire, for sending it back unchanged. */
import { isObject, listAt, textAt } from '../../json.ts';
import type { JsonObject, JsonValue } from '../../types.ts';
import type { AssembledCall } from './calls.ts';
import { appendDetails } from './reasoning.ts';

export interface MessageRecorder {
  text(piece: string): void;
  part(part: JsonValue): void;
  reasoning(delta: JsonObject, fields: readonly string[]): void;
  message(calls: readonly AssembledCall[]): JsonObject;
}

export function createMessageRecorder(): MessageRecorder {
  const content: (string | JsonObject)[] = [];
  const texts = new Map<string, string[]>();
  const details = new Map<string, JsonObject[]>();

  const part = (value: JsonValue): void => {
    if (!isObject(value)) return;
    const last = content.at(-1);
    if (isObject(last) && last.type === value.type && growPart(last, value)) return;
    content.push(structuredClone(value));
  };

  const reasoning = (delta: JsonObject, fields: readonly string[]): void => {
    for (const field of fields) {
      const value = delta[field];
      if (typeof value === 'string' && value !== '') {
        const pieces = texts.get(field);
        if (pieces === undefined) texts.set(field, [value]);
        else pieces.push(value);
      } else if (Array.isArray(value)) {
        const list = details.get(field) ?? [];
        details.set(field, list);
        appendDetails(list, delta, field);
      }
    }
  };

  const message = (calls: readonly AssembledCall[]): JsonObject => ({
    role: 'assistant',
    content: contentValue(content),
    ...Object.fromEntries([...texts].map(([field, pieces]) => [field, pieces.join('')])),
    ...Object.fromEntries(details),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(wireCall) }),
  });

  return {
    text: (piece) => {
      if (piece !== '') content.push(piece);
    },
    part,
    reasoning,
    message,
  };
}

function wireCall(call: AssembledCall): JsonObject {
  return {
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: call.value ?? call.text },
    ...(call.extra === undefined ? {} : { extra_content: call.extra }),
  };
}

/** One string while only strings came, else the list of parts. */
function contentValue(pieces: readonly (string | JsonObject)[]): JsonValue {
  if (pieces.every((piece) => typeof piece === 'string')) return pieces.join('');
  const parts: JsonObject[] = [];
  for (const piece of pieces) {
    const value = typeof piece === 'string' ? { type: 'text', text: piece } : piece;
    const last = parts.at(-1);
    if (last?.type === 'text' && value.type === 'text') growPart(last, value);
    else parts.push(value);
  }
  return parts;
}

/** Appends a streamed part to the part before it; false when they cannot be joined. */
function growPart(last: JsonObject, piece: JsonObject): boolean {
  if (piece.type === 'text') {
    last.text = (textAt(last, 'text') ?? '') + (textAt(piece, 'text') ?? '');
    return true;
  }
  if (piece.type !== 'thinking') return false;
  const before = textAt(last, 'thinking');
  if (before !== undefined) {
    last.thinking = before + (textAt(piece, 'thinking') ?? '');
  } else {
    const pieces = [...listAt(last, 'thinking'), ...listAt(piece, 'thinking')];
    last.thinking = [
      { type: 'text', text: pieces.map((entry) => textAt(entry, 'text') ?? '').join('') },
    ];
  }
  for (const [key, value] of Object.entries(piece)) {
    if (key !== 'thinking' && key !== 'type') last[key] = value;
  }
  return true;
}
