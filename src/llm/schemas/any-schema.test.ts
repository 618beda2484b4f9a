import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SchemaDialect } from '../profile-types.ts';
import { VALIDATORS } from '../testing/schema-validators.ts';
import type { JsonObject, JsonValue, ToolSpec } from '../types.ts';
import { type ReducedTool, reduceSchema } from './reduce.ts';

const DIALECTS: readonly SchemaDialect[] = [
  'plain',
  'openai_strict',
  'anthropic',
  'gemini',
  'portable',
];

function tool(schema: JsonObject, strict?: boolean): ToolSpec {
  return { name: 'get', description: 'Gets.', schema, ...(strict === undefined ? {} : { strict }) };
}
function reduce(schema: JsonObject, dialect: SchemaDialect = 'plain'): ReducedTool {
  const reduced = reduceSchema(tool(schema), dialect);
  if ('unsupported' in reduced) throw new Error(reduced.unsupported);
  return reduced;
}
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  ...{ type: 'object', properties },
  ...more,
});

/** Schemas with every keyword in every place, sensible or not. */
const name = fc.constantFrom('a', 'b', 'x-c', '__proto__', 'd e');
const type = fc.constantFrom(
  'string',
  'number',
  'integer',
  'boolean',
  'null',
  'object',
  'array',
  'odd',
);
const leaf = fc.constantFrom<JsonValue>(
  ...[{}, true, false, { type: 'string' }, { type: 'null' }, { $ref: '#/$defs/a' }, { $ref: '#' }],
);
/** JSON has no negative zero. */
const json = (maxDepth: number) =>
  fc.jsonValue({ maxDepth }).map((any) => JSON.parse(JSON.stringify(any)) as JsonValue);
const value = json(1);

/** One to five keywords, each with whatever it may hold. */
function schemaOf(inner: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonValue> {
  const list = fc.array(inner, { maxLength: 2 });
  const map = fc.dictionary(name, inner, { maxKeys: 2 }) as fc.Arbitrary<JsonValue>;
  const keywords: Record<string, fc.Arbitrary<JsonValue>> = {
    ...{ type: fc.oneof(type, fc.array(type, { maxLength: 3 })), properties: map, $defs: map },
    ...{ patternProperties: map, dependentSchemas: map, items: fc.oneof(inner, list) },
    ...{ anyOf: list, oneOf: list, allOf: list, prefixItems: list, required: fc.array(name) },
    ...{ additionalProperties: inner, not: inner, contains: inner, propertyNames: inner },
    ...{ enum: fc.array(value, { maxLength: 3 }), const: value, default: value },
    ...{
      description: fc.string(),
      title: fc.string(),
      minimum: fc.integer(),
      pattern: fc.string(),
    },
    ...{ format: fc.constantFrom('date', 'int32'), $id: fc.string(), 'x-json': fc.boolean() },
  };
  const entry = fc
    .constantFrom(...Object.keys(keywords))
    .chain((keyword) => fc.tuple(fc.constant(keyword), keywords[keyword] ?? value));
  return fc.array(entry, { minLength: 1, maxLength: 5 }).map((pairs) => Object.fromEntries(pairs));
}
const anySchema = schemaOf(fc.oneof(leaf, schemaOf(fc.oneof(leaf, schemaOf(leaf)))));

describe('any schema', () => {
  it('reduces without a throw, and the result passes the vendor validator', () => {
    let offered = 0;
    fc.assert(
      fc.property(anySchema, anySchema, (root, inner) => {
        const schemas = [root, object({ a: root, b: inner }, { $defs: { a: inner } })];
        for (const schema of schemas) {
          if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) continue;
          for (const dialect of DIALECTS) {
            const reduced = reduceSchema(tool(schema), dialect);
            if ('unsupported' in reduced) continue;
            offered++;
            expect(VALIDATORS[dialect](reduced)).toEqual([]);
          }
        }
      }),
      { numRuns: 200 },
    );
    expect(offered).toBeGreaterThan(300);
  });

  it('still accepts in plain form what the full schema accepts', () => {
    const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false });
    const value = fc.dictionary(fc.constantFrom('a', 'b'), json(2));
    const simple = fc.constantFrom<JsonObject>(
      { type: 'string' },
      { type: 'integer' },
      {},
      { const: 1 },
      { enum: ['x', null] },
    );
    const branch = fc.record({
      type: fc.constant('object'),
      properties: fc.record({ a: simple, b: simple }),
      required: fc.subarray(['a', 'b']),
    });
    const root = fc.record(
      {
        anyOf: fc.array(branch, { minLength: 1, maxLength: 3 }),
        properties: fc.dictionary(fc.constantFrom('a'), simple),
      },
      { requiredKeys: ['anyOf'] },
    ) as fc.Arbitrary<JsonValue>;
    fc.assert(
      fc.property(root, value, (schema, candidate) => {
        if (!ajv.validate(schema as object, candidate)) return;
        expect(ajv.validate(reduce(schema as JsonObject).schema, candidate)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
