import type { JsonObject, JsonValue, Protocol } from '../../llm/types.ts';

/** The streamed piece of text inside one wire event, and which block of the turn it belongs to. */
export interface Fragment {
  readonly block: string;
  readonly text: string;
  /** The same event with another piece in its place. */
  with(text: string): JsonObject;
}

function object(value: JsonValue | undefined): JsonObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
}

function onlyKeys(value: JsonObject, ...keys: string[]): boolean {
  return Object.keys(value).every((key) => keys.includes(key));
}

function chatFragment(event: JsonObject): Fragment | null {
  const choices = event.choices;
  if (!Array.isArray(choices) || choices.length !== 1) return null;
  const choice = object(choices[0]);
  const delta = object(choice?.delta);
  if (!choice || !delta || choice.finish_reason || event.usage) return null;
  const place = (next: JsonObject) => ({ ...event, choices: [{ ...choice, delta: next }] });
  for (const field of ['content', 'reasoning_content', 'reasoning']) {
    const text = delta[field];
    if (typeof text !== 'string' || text === '' || !onlyKeys(delta, field, 'role')) continue;
    return { block: field, text, with: (piece) => place({ ...delta, [field]: piece }) };
  }
  const calls = delta.tool_calls;
  if (!Array.isArray(calls) || calls.length !== 1) return null;
  const call = object(calls[0]);
  const fn = object(call?.function);
  if (!call || !fn || typeof fn.arguments !== 'string' || fn.arguments === '') return null;
  if (fn.name || call.id || !onlyKeys(delta, 'tool_calls', 'role')) return null;
  return {
    block: `call:${call.index}`,
    text: fn.arguments,
    with: (piece) =>
      place({ ...delta, tool_calls: [{ ...call, function: { ...fn, arguments: piece } }] }),
  };
}

function anthropicFragment(event: JsonObject): Fragment | null {
  const delta = object(event.delta);
  if (event.type !== 'content_block_delta' || !delta) return null;
  for (const field of ['text', 'thinking', 'partial_json']) {
    const text = delta[field];
    if (typeof text !== 'string' || text === '') continue;
    return {
      block: `${event.index}:${field}`,
      text,
      with: (piece) => ({ ...event, delta: { ...delta, [field]: piece } }),
    };
  }
  return null;
}

function responsesFragment(event: JsonObject): Fragment | null {
  const { type, delta } = event;
  if (typeof type !== 'string' || !type.endsWith('.delta')) return null;
  if (typeof delta !== 'string' || delta === '') return null;
  return {
    block: `${type}:${event.item_id}:${event.content_index ?? event.summary_index ?? ''}`,
    text: delta,
    with: (piece) => ({ ...event, delta: piece }),
  };
}

/** The text fragment an event of this wire carries, or null when it carries none or anything beside it. */
export function fragmentOf(wire: Protocol, event: JsonValue): Fragment | null {
  const value = object(event);
  if (!value) return null;
  if (wire === 'anthropic') return anthropicFragment(value);
  if (wire === 'responses') return responsesFragment(value);
  return wire === 'chat' ? chatFragment(value) : null;
}

/** Joins neighbouring fragments of one block, because a path may be split over them. */
export function mergeFragments(wire: Protocol, events: readonly JsonValue[]): JsonValue[] {
  const merged: JsonValue[] = [];
  let last: Fragment | null = null;
  for (const event of events) {
    const fragment = fragmentOf(wire, event);
    if (fragment !== null && last !== null && fragment.block === last.block) {
      const joined = last.with(last.text + fragment.text);
      merged[merged.length - 1] = joined;
      last = fragmentOf(wire, joined);
      continue;
    }
    merged.push(event);
    last = fragment;
  }
  return merged;
}

/** Splits a merged fragment into pieces of 1 to 64 characters, never inside a character. */
export function splitFragment(wire: Protocol, event: JsonValue, random: () => number): JsonValue[] {
  const fragment = fragmentOf(wire, event);
  if (fragment === null) return [event];
  const characters = [...fragment.text];
  const pieces: JsonValue[] = [];
  for (let at = 0; at < characters.length; ) {
    const size = 1 + Math.floor(random() * 64);
    pieces.push(fragment.with(characters.slice(at, at + size).join('')));
    at += size;
  }
  return pieces;
}
