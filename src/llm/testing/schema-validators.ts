import { isObject } from '../json.ts';
import type { SchemaDialect } from '../profile-types.ts';
import type { ReducedTool } from '../schemas/reduce.ts';
import type { JsonObject, JsonValue } from '../types.ts';

/** What each vendor is known to refuse in a tool schema, as a list of faults with their place. */
type Validator = (reduced: ReducedTool) => string[];

/** Every schema inside a reduced schema with its place, by the keywords that are left in any dialect. */
function* schemasIn(schema: JsonValue | undefined, place = '#'): Generator<[JsonObject, string]> {
  if (!isObject(schema)) return;
  yield [schema, place];
  for (const key of ['items', 'additionalProperties', 'not', 'contains', 'propertyNames']) {
    yield* schemasIn(schema[key], `${place}/${key}`);
  }
  for (const key of ['anyOf', 'oneOf', 'allOf', 'prefixItems']) {
    const list = schema[key];
    if (!Array.isArray(list)) continue;
    for (const [at, item] of list.entries()) yield* schemasIn(item, `${place}/${key}/${at}`);
  }
  if (!isObject(schema.properties)) return;
  for (const [name, item] of Object.entries(schema.properties)) {
    yield* schemasIn(item, `${place}/${name}`);
  }
}

function faultsIn(
  schema: JsonObject,
  check: (schema: JsonObject) => readonly (string | false)[],
): string[] {
  return [...schemasIn(schema)].flatMap(([inner, place]) =>
    check(inner).flatMap((fault) => (fault === false ? [] : [`${place}: ${fault}`])),
  );
}

function others(schema: JsonObject, allowed: readonly string[]): string[] {
  return Object.keys(schema).filter((key) => !allowed.includes(key));
}

function keysOf(value: JsonValue | undefined): string[] {
  return isObject(value) ? Object.keys(value) : [];
}

const plain: Validator = ({ schema }) => {
  const atRoot = ['anyOf', 'oneOf', 'allOf', 'enum', 'not', '$defs', 'definitions'];
  return [
    ...(schema.type === 'object' ? [] : ['root is no object']),
    ...Object.keys(schema).filter((key) => atRoot.includes(key)),
    ...faultsIn(schema, (inner) =>
      Object.keys(inner).filter((key) => key.startsWith('x-') || key === '$ref'),
    ),
  ];
};

const anthropic: Validator = (reduced) => [
  ...plain(reduced),
  ...keysOf(reduced.schema.properties).filter((name) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(name)),
];

const STRICT = [
  ...['type', 'enum', 'const', 'description', 'properties', 'required'],
  ...['additionalProperties', 'items', 'anyOf'],
];

const openaiStrict: Validator = (reduced) => {
  if (!reduced.strict) return plain(reduced);
  const checkObject = (inner: JsonObject) => {
    if (![inner.type].flat().includes('object')) return [];
    const required = JSON.stringify(inner.required);
    return [
      inner.additionalProperties !== false && 'open object',
      required !== JSON.stringify(keysOf(inner.properties)) && 'optional property',
    ];
  };
  const faults = faultsIn(reduced.schema, (inner) => [
    ...others(inner, STRICT),
    !('type' in inner) && !('anyOf' in inner) && 'no type',
    ...checkObject(inner),
  ]);
  return [...plain(reduced), ...faults];
};

function singleTypes(inner: JsonObject): (string | false)[] {
  const values = Array.isArray(inner.enum) ? inner.enum : [];
  return [
    'type' in inner && typeof inner.type !== 'string' && 'type list',
    values.some((value) => typeof value !== 'string') && 'enum of other than strings',
  ];
}

const GEMINI = [
  ...['type', 'format', 'enum', 'items', 'properties', 'required', 'nullable', 'anyOf', 'pattern'],
  ...['minimum', 'maximum', 'minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties'],
  ...['maxProperties', 'default', 'example', 'title', 'description', 'propertyOrdering'],
];

const gemini: Validator = ({ schema }) =>
  faultsIn(schema, (inner) => {
    const names = keysOf(inner.properties);
    const required = Array.isArray(inner.required) ? inner.required : [];
    const unknown = required.some((name) => typeof name !== 'string' || !names.includes(name));
    return [...others(inner, GEMINI), ...singleTypes(inner), unknown && 'unknown required'];
  });

const PORTABLE = [
  ...['type', 'description', 'enum', 'properties', 'required', 'additionalProperties', 'items'],
  'nullable',
];

const portable: Validator = ({ schema }) =>
  faultsIn(schema, (inner) => [
    ...others(inner, PORTABLE),
    ...singleTypes(inner),
    inner.properties !== undefined && inner.additionalProperties !== false && 'open object',
  ]);

export const VALIDATORS: Readonly<Record<SchemaDialect, Validator>> = {
  plain,
  anthropic,
  openai_strict: openaiStrict,
  gemini,
  portable,
};
