import type { JsonObject, JsonValue } from '../types.ts';
import { mergeAll } from './merge-schemas.ts';
import {
  asObject,
  isSchema,
  listMember,
  member,
  objectFrom,
  typesOf,
  without,
} from './schema-walk.ts';
import { UnsupportedSchema } from './unsupported.ts';

/** A schema split into what it may be, for dialects with one type per schema and a nullable mark. */

export interface Alternatives {
  /** Each without combinators and with at most one type, never `null`. Empty: only null fits. */
  readonly branches: readonly JsonObject[];
  readonly nullable: boolean;
  /** Description and title of the schema as a whole. */
  readonly words: JsonObject;
}

const MAX_BRANCHES = 64;

export function alternativesOf(schema: JsonObject): Alternatives {
  const nullable = member(schema, 'nullable') === true;
  const all = branchesOf(without(schema, ['nullable']), 0);
  if (all.length > MAX_BRANCHES) {
    throw new UnsupportedSchema(`its schema has over ${MAX_BRANCHES} alternatives in one place`);
  }
  const branches = all.filter((branch) => !onlyNull(branch)).map(withoutNullValue);
  return {
    branches,
    nullable: nullable || all.some(takesNull),
    words: objectFrom(
      Object.entries(schema).filter(([key]) => key === 'title' || key === 'description'),
    ),
  };
}

/** The schema as a list of schemas without `allOf`, `anyOf`, `oneOf` and type lists. */
function branchesOf(schema: JsonObject, depth: number): JsonObject[] {
  const parts = schemasIn(schema, 'allOf');
  if (parts.length > 0) return branchesOf(mergeAll([without(schema, ['allOf']), ...parts]), depth);
  const keyword = ['anyOf', 'oneOf'].find((word) => schemasIn(schema, word).length > 0);
  if (keyword !== undefined && depth < 4) {
    const base = without(schema, [keyword]);
    return schemasIn(schema, keyword).flatMap((branch) =>
      branchesOf(merge(base, branch), depth + 1),
    );
  }
  const own = without(schema, ['anyOf', 'oneOf', 'allOf']);
  const types = typesOf(own);
  return types.length > 1 ? types.map((type) => oneType(own, type)) : [withSingleType(own, types)];
}

function withSingleType(schema: JsonObject, types: readonly string[]): JsonObject {
  const [type] = types;
  return type === undefined ? without(schema, ['type']) : { ...schema, type };
}

function schemasIn(schema: JsonObject, keyword: string): JsonObject[] {
  return listMember(schema, keyword).filter(isSchema).map(asObject);
}

function merge(base: JsonObject, branch: JsonObject): JsonObject {
  const isPlain = Object.keys(base).every((key) => key === 'title' || key === 'description');
  return isPlain ? branch : mergeAll([branch, base]);
}

/** The schema for one of its types: listed values of other types are left out. */
function oneType(schema: JsonObject, type: string): JsonObject {
  const values = listMember(schema, 'enum');
  const typed: JsonObject = { ...schema, type };
  if (values.length === 0) return typed;
  return { ...typed, enum: values.filter((value) => fitsType(value, type)) };
}

function fitsType(value: JsonValue, type: string): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer' || type === 'number') return typeof value === 'number';
  return value !== null && !Array.isArray(value) && typeof value === type;
}

function onlyNull(schema: JsonObject): boolean {
  const values = listMember(schema, 'enum');
  return (
    member(schema, 'type') === 'null' ||
    member(schema, 'const') === null ||
    (values.length > 0 && values.every((value) => value === null))
  );
}

function takesNull(schema: JsonObject): boolean {
  return onlyNull(schema) || listMember(schema, 'enum').includes(null);
}

function withoutNullValue(schema: JsonObject): JsonObject {
  const values = listMember(schema, 'enum');
  return values.includes(null)
    ? { ...schema, enum: values.filter((value) => value !== null) }
    : schema;
}
