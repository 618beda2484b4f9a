/** Turns the text of one frame into wire events, and counts what could not be read. */
import type { JsonValue } from '../types.ts';

export interface ReadFrame {
  readonly events: readonly JsonValue[];
  /** Pieces of the frame that were not JSON. */
  readonly lost: number;
  /** The `[DONE]` mark stood in the frame. */
  readonly done: boolean;
}

/**
 * Reads one frame. JSON with raw control characters inside strings is accepted; of a broken frame everything up
 * to the next `data:` is lost, and reading goes on there, even when that mark is glued into the broken text.
 */
export function readFrame(text: string): ReadFrame {
  const trimmed = text.trim();
  if (trimmed === '') return { events: [], lost: 0, done: false };
  if (trimmed === '[DONE]') return { events: [], lost: 0, done: true };
  const whole = parseEvent(trimmed);
  if (whole !== undefined) return { events: [whole], lost: 0, done: false };
  return readBroken(trimmed);
}

function readBroken(text: string): ReadFrame {
  const events: JsonValue[] = [];
  let lost = 0;
  let done = false;
  for (const line of text.split('\n')) {
    for (const piece of piecesOf(line)) {
      if (piece === '[DONE]') {
        done = true;
        continue;
      }
      const value = parseEvent(piece);
      if (value === undefined) lost += 1;
      else events.push(value);
    }
  }
  return { events, lost, done };
}

/** A line as it is when it can be read, else cut before every `data:` glued into it. */
function piecesOf(line: string): string[] {
  const whole = line.trim();
  if (whole === '' || parseEvent(whole) !== undefined) return whole === '' ? [] : [whole];
  return whole
    .split(/(?=data:)/)
    .map((piece) => piece.replace(/^data:/, '').trim())
    .filter((piece) => piece !== '');
}

/** The JSON value of a text, or undefined. */
export function parseEvent(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return parseEscaped(text);
  }
}

function parseEscaped(text: string): JsonValue | undefined {
  const escaped = escapeControls(text);
  if (escaped === text) return undefined;
  try {
    return JSON.parse(escaped) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Raw control characters inside strings written as JSON escapes; nothing else changes. */
function escapeControls(text: string): string {
  let inside = false;
  let skip = false;
  let result = '';
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (skip) skip = false;
    else if (code === 34) inside = !inside;
    else if (inside && code === 92) skip = true;
    if (!inside || code >= 32) continue;
    result += `${text.slice(from, at)}\\u${code.toString(16).padStart(4, '0')}`;
    from = at + 1;
  }
  return from === 0 ? text : result + text.slice(from);
}
