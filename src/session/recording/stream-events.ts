import type { JsonValue } from '../../llm/types.ts';

/** The JSON documents of an event stream's `data` lines; null when a frame is not JSON, so that bytes are kept instead. */
export function parseEventStream(text: string): JsonValue[] | null {
  const events: JsonValue[] = [];
  for (const frame of text.replaceAll('\r\n', '\n').split(/\n\n+/)) {
    const data = frame
      .split('\n')
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice(5).replace(/^ /, ''))
      .join('\n');
    if (data === '' || data === '[DONE]') continue;
    try {
      events.push(JSON.parse(data) as JsonValue);
    } catch {
      return null;
    }
  }
  return events;
}

/** Applies a text function to every string of a JSON value, keys excepted. */
export function mapStrings(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((part) => mapStrings(part, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, mapStrings(part, change)]),
  );
}
