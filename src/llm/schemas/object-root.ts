import { isObject } from '../json.ts';
import type { JsonObject } from '../types.ts';
import { mergeAll, mergeBranches } from './merge-schemas.ts';
import { asObject, isSchema, listMember, member, typesOf, without } from './schema-walk.ts';
import { UnsupportedSchema } from './unsupported.ts';

/** Every vendor wants an object at the root, and most want it without combinators. */

export interface ObjectRoot {
  readonly schema: JsonObject;
  /** What could not stay in the schema, for the tool's description. */
  readonly notes: readonly string[];
}

const MAX_NOTE = 400;

/** Throws UnsupportedSchema when the schema does not describe an object. */
export function forceObjectRoot(inlined: JsonObject): ObjectRoot {
  const schema = flatten(inlined);
  if (!mayBeObject(schema)) throw new UnsupportedSchema('its schema does not describe an object');
  const notes = ['enum', 'const', 'not'].flatMap((keyword) => noteOf(schema, keyword));
  const { properties, ...rest } = without(schema, ['type', 'enum', 'const', 'not']);
  return {
    schema: { type: 'object', properties: isObject(properties) ? properties : {}, ...rest },
    notes,
  };
}

function noteOf(schema: JsonObject, keyword: string): string[] {
  const value = member(schema, keyword);
  if (value === undefined) return [];
  const words = keyword === 'not' ? 'Arguments must not match' : 'Arguments must be one of';
  return [`${words}: ${JSON.stringify(value).slice(0, MAX_NOTE).toWellFormed()}`];
}

function mayBeObject(schema: JsonObject): boolean {
  const types = typesOf(schema);
  return types.length === 0 || types.includes('object');
}

/** The schema with its own `allOf`, `anyOf` and `oneOf` merged into it. */
function flatten(schema: JsonObject): JsonObject {
  const parts = branchesOf(schema, 'allOf').map(flatten);
  const merged = parts.length > 0 ? mergeAll([without(schema, ['allOf']), ...parts]) : schema;
  return ['anyOf', 'oneOf'].reduce(mergeCombinator, without(merged, ['allOf']));
}

function mergeCombinator(schema: JsonObject, keyword: string): JsonObject {
  const branches = branchesOf(schema, keyword);
  const base = without(schema, [keyword]);
  if (branches.length === 0) return base;
  const objects = branches.map(flatten).filter(mayBeObject);
  if (objects.length === 0)
    throw new UnsupportedSchema('no branch of its schema describes an object');
  return mergeBranches(base, objects);
}

function branchesOf(schema: JsonObject, keyword: string): JsonObject[] {
  return listMember(schema, keyword).filter(isSchema).map(asObject);
}
