import { isObject } from '../json.ts';
import type { JsonObject, JsonValue } from '../types.ts';
import { constraintText, withNote } from './constraint-notes.ts';
import { mergeAll, requiredOf } from './merge-schemas.ts';
import {
  asObject,
  isSchema,
  listMember,
  member,
  objectFrom,
  objectMember,
  typesOf,
} from './schema-walk.ts';

/** OpenAI's structured subset: every property required, optional ones nullable, every object closed. */

const MAX_LEVELS = 5;
const MAX_PROPERTIES = 100;
const MAX_ENUM_VALUES = 500;
const TYPES = ['string', 'number', 'integer', 'boolean', 'null', 'object', 'array'];
/** Sent as they are; everything else is refused by the vendor and goes into the description. */
const KEPT: readonly string[] = ['type', 'enum', 'const', 'description'];
const HANDLED: readonly string[] = [
  ...KEPT,
  'title',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'anyOf',
  'oneOf',
  'allOf',
];

/** Would have to be merged into every branch. */
const BESIDE_BRANCHES: readonly string[] = ['type', 'enum', 'const', 'properties', 'items'];

/** Thrown inside this file when the tool has to go without strict. */
class NotStrict extends Error {}

interface Budget {
  properties: number;
  values: number;
}

/** The strict form, or null when the tool cannot have one: a free-form map, too deep, too many properties. */
export function toOpenAIStrict(
  root: JsonObject,
): { readonly schema: JsonObject; readonly notes: readonly string[] } | null {
  try {
    const closed = objectFrom([['additionalProperties', false], ...Object.entries(root)]);
    const { description, ...schema } = strict(closed, { properties: 0, values: 0 }, 1);
    return { schema, notes: typeof description === 'string' ? [description] : [] };
  } catch (error) {
    if (error instanceof NotStrict) return null;
    throw error;
  }
}

function strict(schema: JsonObject | boolean, budget: Budget, level: number): JsonObject {
  if (typeof schema === 'boolean') throw new NotStrict();
  const parts = listMember(schema, 'allOf').filter(isSchema).map(asObject);
  if (parts.length > 0) {
    const { allOf: _merged, ...rest } = schema;
    return strict(mergeAll([rest, ...parts]), budget, level);
  }
  const refused = Object.keys(schema).filter((key) => !HANDLED.includes(key));
  const kept = objectFrom(Object.entries(schema).filter(([key]) => KEPT.includes(key)));
  return withNote(
    objectFrom([...Object.entries(kept), ...Object.entries(inner(schema, budget, level))]),
    constraintText(schema, refused),
  );
}

/** The members that hold schemas, and a check that the schema says what it takes at all. */
function inner(schema: JsonObject, budget: Budget, level: number): JsonObject {
  const branches = [...listMember(schema, 'anyOf'), ...listMember(schema, 'oneOf')].filter(
    isSchema,
  );
  if (branches.length > 0) {
    if (BESIDE_BRANCHES.some((key) => member(schema, key) !== undefined)) throw new NotStrict();
    return { anyOf: branches.map((branch) => strict(branch, budget, level)) };
  }
  const types = typesOf(schema);
  const values = listMember(schema, 'enum').length;
  budget.values += values;
  if (budget.values > MAX_ENUM_VALUES || types.some((type) => !TYPES.includes(type))) {
    throw new NotStrict();
  }
  if (types.length === 0) return untyped(schema);
  return {
    ...(types.includes('object') ? strictObject(schema, budget, level) : {}),
    ...(types.includes('array') ? { items: strictItems(schema, budget, level) } : {}),
  };
}

/** A schema without a type is only usable when its values tell the type. */
function untyped(schema: JsonObject): JsonObject {
  const constant = member(schema, 'const');
  const values = constant === undefined ? listMember(schema, 'enum') : [constant];
  const types = [...new Set(values.map(typeOfValue))];
  if (types.length === 0 || types.some((type) => type === null)) throw new NotStrict();
  return { type: types.length === 1 ? (types[0] ?? 'null') : types };
}

function typeOfValue(value: JsonValue): string | null {
  if (value === null) return 'null';
  return typeof value === 'object' ? null : typeof value;
}

function strictItems(schema: JsonObject, budget: Budget, level: number): JsonObject {
  const items = member(schema, 'items');
  if (!isObject(items)) throw new NotStrict();
  return strict(items, budget, level);
}

function strictObject(schema: JsonObject, budget: Budget, level: number): JsonObject {
  const properties = Object.entries(objectMember(schema, 'properties'));
  const rest = member(schema, 'additionalProperties');
  const open =
    (rest !== undefined && rest !== false) || member(schema, 'patternProperties') !== undefined;
  const freeForm = properties.length === 0 && rest !== false;
  budget.properties += properties.length;
  if (open || freeForm || level > MAX_LEVELS || budget.properties > MAX_PROPERTIES) {
    throw new NotStrict();
  }
  const required = new Set(requiredOf(schema));
  return {
    properties: objectFrom(
      properties.map(([name, property]) => {
        const own = strict(isSchema(property) ? property : false, budget, level + 1);
        return [name, required.has(name) ? own : nullable(own)];
      }),
    ),
    required: properties.map(([name]) => name),
    additionalProperties: false,
  };
}

/** Also takes null, by which the model leaves the value out. */
function nullable(schema: JsonObject): JsonObject {
  const branches = listMember(schema, 'anyOf');
  if (branches.length > 0) {
    const has = branches.some((branch) => isObject(branch) && typesOf(branch).includes('null'));
    return has ? schema : { ...schema, anyOf: [...branches, { type: 'null' }] };
  }
  const types = typesOf(schema);
  if (types.includes('null')) return schema;
  const { const: constant, ...rest } = schema;
  const listed = constant === undefined ? listMember(schema, 'enum') : [constant];
  const values = listed.length > 0 ? { enum: [...listed, null] } : {};
  return { ...rest, type: [...types, 'null'], ...values };
}
