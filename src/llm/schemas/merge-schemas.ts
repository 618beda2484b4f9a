import type { JsonObject, JsonValue } from '../types.ts';
import {
  asObject,
  isSchema,
  listMember,
  member,
  objectFrom,
  objectMember,
  stringsOf,
  without,
} from './schema-walk.ts';

/** Several object schemas as one: all must hold (`allOf`), or one of them must (`anyOf`, `oneOf`). */

function sameJson(left: JsonValue, right: JsonValue): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

function unique(values: readonly JsonValue[]): JsonValue[] {
  return values.filter(
    (value, index) => values.findIndex((other) => sameJson(other, value)) === index,
  );
}

/** Properties of all schemas; a name that occurs with different schemas gets them under `combinator`. */
function joinProperties(schemas: readonly JsonObject[], combinator: 'allOf' | 'anyOf'): JsonObject {
  const found = new Map<string, JsonValue[]>();
  for (const schema of schemas) {
    for (const [name, property] of Object.entries(objectMember(schema, 'properties'))) {
      found.set(name, [...(found.get(name) ?? []), property]);
    }
  }
  return objectFrom(
    [...found].map(([name, all]) => [name, joinAlternatives(unique(all), combinator)]),
  );
}

function joinAlternatives(schemas: readonly JsonValue[], combinator: 'allOf' | 'anyOf'): JsonValue {
  const [only] = schemas;
  if (schemas.length === 1 && only !== undefined) return only;
  const constants = schemas.map(constantsOf);
  if (combinator === 'anyOf' && constants.every((list) => list !== null)) {
    return { enum: unique(constants.flatMap((list) => list ?? [])) };
  }
  return { [combinator]: [...schemas] };
}

/** The values a schema lists and nothing else, or null. */
function constantsOf(schema: JsonValue): readonly JsonValue[] | null {
  if (!isSchema(schema)) return null;
  const own = without(asObject(schema), ['type', 'title', 'description']);
  const [key, ...others] = Object.keys(own);
  if (others.length > 0) return null;
  const constant = member(own, 'const');
  if (key === 'const' && constant !== undefined) return [constant];
  return key === 'enum' ? listMember(own, 'enum') : null;
}

export function requiredOf(schema: JsonObject): string[] {
  return stringsOf(listMember(schema, 'required'));
}

function isClosed(schema: JsonObject): boolean {
  return member(schema, 'additionalProperties') === false;
}

/** One object schema for schemas that must all hold. Keywords of the first win. */
export function mergeAll(schemas: readonly JsonObject[]): JsonObject {
  const required = [...new Set(schemas.flatMap(requiredOf))];
  const entries = [...schemas].reverse().flatMap((schema) => Object.entries(schema));
  return objectFrom([
    ...Object.entries(without(objectFrom(entries), ['properties', 'required'])),
    ['properties', joinProperties(schemas, 'allOf')],
    ...(required.length > 0 ? [['required', required] as const] : []),
  ]);
}

/** One object schema that accepts what the base with any one of the branches accepts. */
export function mergeBranches(base: JsonObject, branches: readonly JsonObject[]): JsonObject {
  const shared = requiredOf(branches[0] ?? {}).filter((name) =>
    branches.every((branch) => requiredOf(branch).includes(name)),
  );
  const required = [...new Set([...requiredOf(base), ...shared])];
  const closed = isClosed(base) || branches.every(isClosed);
  const own = objectMember(base, 'properties');
  const joined = joinProperties(branches, 'anyOf');
  return objectFrom([
    ...Object.entries(without(base, ['properties', 'required', 'additionalProperties'])),
    ['properties', objectFrom([...Object.entries(joined), ...Object.entries(own)])],
    ...(required.length > 0 ? [['required', required] as const] : []),
    ...(closed ? [['additionalProperties', false] as const] : []),
  ]);
}
