import { isObject } from '../json.ts';
import type { JsonObject, JsonValue } from '../types.ts';

/** Which keywords of JSON Schema hold schemas. Everything else is data and is never looked into. */

const SCHEMA_KEYWORDS: ReadonlySet<string> = new Set([
  'additionalItems',
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
const SCHEMA_LIST_KEYWORDS: ReadonlySet<string> = new Set([
  'allOf',
  'anyOf',
  'oneOf',
  'prefixItems',
  'items',
]);
const SCHEMA_MAP_KEYWORDS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  '$defs',
  'definitions',
]);

/** An object made from entries; `__proto__` becomes an own key like any other. */
export function objectFrom(entries: Iterable<readonly [string, JsonValue]>): JsonObject {
  return Object.fromEntries(entries);
}

/** Own member of an object, never one of its prototype. */
export function member(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** A member that is an object, else an empty one. */
export function objectMember(object: JsonObject, key: string): JsonObject {
  const value = member(object, key);
  return isObject(value) ? value : {};
}

/** A member that is a list, else an empty one. */
export function listMember(object: JsonObject, key: string): readonly JsonValue[] {
  const value = member(object, key);
  return Array.isArray(value) ? value : [];
}

export function stringsOf(values: readonly JsonValue[]): string[] {
  return values.filter((value): value is string => typeof value === 'string');
}

/** A copy without the named members. */
export function without(object: JsonObject, keys: readonly string[]): JsonObject {
  return objectFrom(Object.entries(object).filter(([key]) => !keys.includes(key)));
}

export function isSchema(value: JsonValue): value is JsonObject | boolean {
  return typeof value === 'boolean' || isObject(value);
}

/** A copy of the schema with `change` applied to each schema directly inside it. */
export function mapSubschemas(
  schema: JsonObject,
  change: (inner: JsonObject | boolean, keyword: string) => JsonValue,
): JsonObject {
  const each = (value: JsonValue, keyword: string) =>
    isSchema(value) ? change(value, keyword) : value;
  return objectFrom(
    Object.entries(schema).map(([keyword, value]): [string, JsonValue] => {
      if (SCHEMA_MAP_KEYWORDS.has(keyword) && isObject(value)) {
        const members = Object.entries(value);
        return [keyword, objectFrom(members.map(([key, inner]) => [key, each(inner, keyword)]))];
      }
      if (SCHEMA_LIST_KEYWORDS.has(keyword) && Array.isArray(value)) {
        return [keyword, value.map((inner) => each(inner, keyword))];
      }
      return [keyword, SCHEMA_KEYWORDS.has(keyword) ? each(value, keyword) : value];
    }),
  );
}

/** The words of `type` as a list; empty when it is not given. */
export function typesOf(schema: JsonObject): string[] {
  const type = member(schema, 'type');
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? stringsOf(type) : [];
}

/** `{}` for true; what nothing fits for false. */
export function asObject(schema: JsonObject | boolean): JsonObject {
  if (typeof schema !== 'boolean') return schema;
  return schema ? {} : { not: {} };
}
