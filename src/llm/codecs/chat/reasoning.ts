/** Reasoning fields of Chat messages; their names come from the profile. */
import { listAt, textAt } from '../../json.ts';
import type { JsonObject, JsonValue } from '../../types.ts';

/** The reasoning text of a delta or message: of several fields the first listed one that has text counts. */
export function reasoningOf(message: JsonObject, fields: readonly string[]): string {
  for (const field of fields) {
    const value = message[field];
    const text = Array.isArray(value) ? detailsText(value) : value;
    if (typeof text === 'string' && text !== '') return text;
  }
  return '';
}

function detailsText(details: readonly JsonValue[]): string {
  return details
    .map((detail) => textAt(detail, 'text') ?? textAt(detail, 'summary') ?? '')
    .join('');
}

/** Text members of a list of details that grow over a stream. */
const GROWING = ['text', 'summary', 'data'] as const;

/** Adds streamed `reasoning_details`: a piece that continues the last detail grows it, others are kept as sent. */
export function appendDetails(details: JsonObject[], delta: JsonObject, field: string): void {
  for (const piece of listAt(delta, field)) {
    if (typeof piece !== 'object' || piece === null || Array.isArray(piece)) continue;
    const last = details.at(-1);
    if (last === undefined || !continues(last, piece)) {
      details.push({ ...piece });
      continue;
    }
    for (const [key, value] of Object.entries(piece)) {
      const before = last[key];
      const grows = (GROWING as readonly string[]).includes(key);
      if (grows && typeof value === 'string' && typeof before === 'string') {
        last[key] = before + value;
      } else if (value !== null) last[key] = value;
    }
  }
}

function continues(last: JsonObject, piece: JsonObject): boolean {
  if (last.type !== piece.type || last.index !== piece.index) return false;
  if (piece.type === 'reasoning.encrypted') return false;
  return piece.id === undefined || piece.id === null || piece.id === last.id;
}
