/** Small readers of JSON values whose shape nobody guarantees. */
import type { JsonObject, JsonValue } from './types.ts';

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The member as an object, or undefined. */
export function objectAt(value: JsonValue | undefined, key: string): JsonObject | undefined {
  const member = isObject(value) ? value[key] : undefined;
  return isObject(member) ? member : undefined;
}

/** The member as a list; empty when it is none. */
export function listAt(value: JsonValue | undefined, key: string): readonly JsonValue[] {
  const member = isObject(value) ? value[key] : undefined;
  return Array.isArray(member) ? member : [];
}

/** The member as a string, or undefined. */
export function textAt(value: JsonValue | undefined, key: string): string | undefined {
  const member = isObject(value) ? value[key] : undefined;
  return typeof member === 'string' ? member : undefined;
}

/** The member as a finite number, or undefined. */
export function numberAt(value: JsonValue | undefined, key: string): number | undefined {
  const member = isObject(value) ? value[key] : undefined;
  return typeof member === 'number' && Number.isFinite(member) ? member : undefined;
}
