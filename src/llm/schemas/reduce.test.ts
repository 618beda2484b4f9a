import { describe, expect, it } from 'vitest';
import type { SchemaDialect } from '../profile-types.ts';
import { cpuTime } from '../testing/cpu-time.ts';
import type { JsonObject, ToolSpec } from '../types.ts';
import { type ReducedTool, reduceSchema, reduceTools } from './reduce.ts';

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
function unsupported(schema: JsonObject, dialect: SchemaDialect = 'plain'): string | undefined {
  const reduced = reduceSchema(tool(schema), dialect);
  return 'unsupported' in reduced ? reduced.unsupported : undefined;
}
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  ...{ type: 'object', properties },
  ...more,
});

describe('every dialect', () => {
  it('inlines local references, keywords beside them winning', () => {
    const schema = object(
      {
        a: { $ref: '#/$defs/a', description: 'mine' },
        b: { $ref: '#/properties/c~1d' },
        'c/d': { type: 'string' },
      },
      {
        $defs: { a: { type: 'integer', description: 'theirs', $ref: '#/definitions/more' } },
        definitions: { more: { minimum: 1 } },
      },
    );
    expect(reduce(schema).schema).toEqual(
      object({
        a: { minimum: 1, type: 'integer', description: 'mine' },
        b: { type: 'string' },
        'c/d': { type: 'string' },
      }),
    );
  });

  it('cuts recursion after three levels to an open object', () => {
    const node = object({ next: { $ref: '#/$defs/node' } });
    const { schema } = reduce(object({ list: { $ref: '#/$defs/node' } }, { $defs: { node } }));
    const levels = JSON.stringify(schema).split('"next"').length - 1;
    expect(levels).toBe(3);
    expect(JSON.stringify(schema)).toContain('nested further');
  });

  it('leaves out what cannot be reduced, and says why', () => {
    expect(unsupported(object({ a: { $ref: 'https://x.y/z' } }))).toContain('https://x.y/z');
    expect(unsupported(object({ a: { $ref: '#/$defs/none' } }))).toContain('does not exist');
    expect(unsupported({ type: 'array' })).toContain('object');
    expect(unsupported({ anyOf: [{ type: 'string' }, { type: 'number' }] })).toContain('object');
    const wide = Object.fromEntries(
      Array.from({ length: 3000 }, (_item, at) => [`p${at}`, { description: 'x'.repeat(60) }]),
    );
    expect(unsupported(object(wide))).toContain('over');
    const { offered, warnings } = reduceTools([tool({ type: 'array' }), tool(object({}))], 'plain');
    expect(offered).toHaveLength(1);
    expect(warnings).toMatchObject([{ code: 'tool_schema_unsupported' }]);
  });

  it('does not grow without bound on references that multiply', () => {
    const defs = Object.fromEntries(
      Array.from({ length: 30 }, (_item, at) => [
        `d${at}`,
        object({ l: { $ref: `#/$defs/d${at + 1}` }, r: { $ref: `#/$defs/d${at + 1}` } }),
      ]),
    );
    const schema = object({ a: { $ref: '#/$defs/d0' } }, { $defs: { ...defs, d30: {} } });
    expect(unsupported(schema)).toBeDefined();
    expect(cpuTime(() => unsupported(schema))).toBeLessThan(500);
  });

  it('forces an object root without combinators (G16)', () => {
    const schema: JsonObject = {
      allOf: [object({ base: { type: 'string' } }, { required: ['base'] })],
      oneOf: [
        object({ kind: { const: 'a' }, x: { type: 'number' } }, { required: ['kind', 'x'] }),
        object({ kind: { const: 'b' }, x: { type: 'string' } }, { required: ['kind'] }),
      ],
      not: { required: ['z'] },
      enum: [{ kind: 'a' }],
    };
    for (const dialect of DIALECTS) {
      const { schema: reduced, description } = reduce(schema, dialect);
      expect(Object.keys(reduced.properties ?? {}).sort()).toEqual(['base', 'kind', 'x']);
      expect(description).toContain('must not match: {"required":["z"]}');
      expect(description).toContain('must be one of: [{"kind":"a"}]');
    }
    expect(reduce(schema).schema).toMatchObject({
      required: ['base', 'kind'],
      properties: {
        kind: { enum: ['a', 'b'] },
        x: { anyOf: [{ type: 'number' }, { type: 'string' }] },
      },
    });
  });

  it('strips our annotations, but no parameter of that name and no data', () => {
    const schema = object({
      path: { type: 'string', 'x-path': 'read' },
      'x-path': { type: 'string', default: { 'x-path': 1 } },
    });
    expect(reduce(schema).schema).toEqual(
      object({ path: { type: 'string' }, 'x-path': { type: 'string', default: { 'x-path': 1 } } }),
    );
  });

  it('keeps a parameter named __proto__ as an own key', () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string","x-a":1}}}',
    );
    for (const dialect of DIALECTS) {
      const { properties } = reduce(schema, dialect).schema;
      expect(Object.keys(properties ?? {})).toEqual(['__proto__']);
    }
  });

  it('does not unfold alternatives without end', () => {
    let inner: JsonObject = { type: 'string' };
    for (let level = 0; level < 12; level++) {
      inner = object({ p: inner }, { anyOf: [{ title: 'x' }, { title: 'y' }, { title: 'z' }] });
    }
    for (const dialect of DIALECTS) {
      const work = () => reduceSchema(tool(object({ inner })), dialect);
      expect(cpuTime(work), dialect).toBeLessThan(1500);
    }
  });

  it('does the work once per tool object', () => {
    const one = tool(object({ a: { type: 'string' } }));
    expect(reduceSchema(one, 'gemini')).toBe(reduceSchema(one, 'gemini'));
  });
});

describe('openai_strict', () => {
  it('requires every property, makes optional ones nullable and closes objects', () => {
    const schema = object(
      {
        a: { type: 'string', minLength: 1, description: 'The a.' },
        b: { type: 'integer', enum: [1, 2], default: 1 },
        c: object({ d: { const: 'x' } }),
        e: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'number' } }] },
      },
      { required: ['a'] },
    );
    const { schema: reduced, strict } = reduce(schema, 'openai_strict');
    expect(strict).toBe(true);
    expect(reduced).toEqual({
      type: 'object',
      properties: {
        a: { type: 'string', description: 'The a. (minLength: 1)' },
        b: { type: ['integer', 'null'], enum: [1, 2, null], description: 'default: 1' },
        c: {
          type: ['object', 'null'],
          properties: { d: { type: ['string', 'null'], enum: ['x', null] } },
          required: ['d'],
          additionalProperties: false,
        },
        e: {
          anyOf: [
            { type: 'string' },
            { type: 'array', items: { type: 'number' } },
            { type: 'null' },
          ],
        },
      },
      required: ['a', 'b', 'c', 'e'],
      additionalProperties: false,
    });
  });

  it('takes a tool without parameters', () => {
    expect(reduce(object({}), 'openai_strict')).toMatchObject({
      strict: true,
      schema: { properties: {}, required: [], additionalProperties: false },
    });
  });

  it('is off for what it cannot say (G17), and where the tool says so', () => {
    const deep = (levels: number): JsonObject =>
      object(levels > 1 ? { a: deep(levels - 1) } : { b: { type: 'string' } });
    const wide = (length: number) =>
      object(
        Object.fromEntries(Array.from({ length }, (_item, at) => [`p${at}`, { type: 'string' }])),
      );
    const isStrict = (schema: JsonObject) => reduce(schema, 'openai_strict').strict;
    expect([isStrict(deep(5)), isStrict(deep(6))]).toEqual([true, false]);
    expect([isStrict(wide(100)), isStrict(wide(101))]).toEqual([true, false]);
    for (const free of [
      object({ m: { type: 'object' } }),
      object({ m: { type: 'object', additionalProperties: { type: 'string' } } }),
      object({ m: object({ a: { type: 'string' } }, { patternProperties: { x: {} } }) }),
      object({ any: {} }),
      object({ list: { type: 'array' } }),
      object({ a: { type: 'string' } }, { additionalProperties: true }),
    ]) {
      expect(isStrict(free), JSON.stringify(free)).toBe(false);
      expect(reduce(free, 'openai_strict').schema).toEqual(reduce(free).schema);
    }
    const off = reduceSchema(tool(object({}), false), 'openai_strict');
    expect(off).toMatchObject({ strict: false });
  });
});

describe('anthropic', () => {
  it('leaves out a tool whose parameter names the vendor refuses', () => {
    expect(unsupported(object({ $filter: { type: 'string' } }), 'anthropic')).toContain('$filter');
  });
});

describe('gemini', () => {
  it('says everything in its own form (G15)', () => {
    const schema = object(
      {
        c: { const: 'x' },
        n: { type: ['string', 'null'], format: 'uuid' },
        m: { type: ['string', 'integer'] },
        k: { enum: [1, 2], type: 'integer', format: 'int32' },
        l: { type: 'array' },
        o: { anyOf: [{ type: 'string' }, { type: 'null' }], description: 'Maybe.' },
        d: { type: 'string', format: 'date-time', examples: ['x'] },
      },
      {
        $schema: 'https://json-schema.org/x',
        required: ['c', 'gone'],
        additionalProperties: false,
      },
    );
    expect(reduce(schema, 'gemini').schema).toEqual({
      type: 'object',
      properties: {
        c: { type: 'string', enum: ['x'] },
        n: { type: 'string', description: 'format: uuid', nullable: true },
        m: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
        k: { type: 'integer', format: 'int32', description: 'one of: [1,2]' },
        l: { type: 'array', items: {} },
        o: { type: 'string', description: 'Maybe.', nullable: true },
        d: { type: 'string', format: 'date-time', description: 'examples: ["x"]' },
      },
      required: ['c'],
    });
  });
});

describe('portable', () => {
  it('has single types, string enums and closed objects', () => {
    const schema = object({
      a: { type: 'string', pattern: '^x', maxLength: 3, description: 'The a.' },
      b: { type: ['integer', 'null'], minimum: 1 },
      c: { oneOf: [{ const: 'x' }, { const: 'y' }] },
      d: { anyOf: [{ type: 'string' }, object({ e: { type: 'string' } })] },
      f: { type: 'object', additionalProperties: { type: 'number' } },
      g: { type: 'number', enum: [1, 2] },
    });
    expect(reduce(schema, 'portable').schema).toEqual({
      type: 'object',
      properties: {
        a: { type: 'string', description: 'The a. (pattern: ^x; maxLength: 3)' },
        b: { type: 'integer', description: 'minimum: 1', nullable: true },
        c: { type: 'string', enum: ['x', 'y'] },
        d: { type: 'string', description: expect.stringContaining('JSON of one of') },
        f: { type: 'object', additionalProperties: { type: 'number' } },
        g: { type: 'number', description: 'enum: [1,2]' },
      },
      additionalProperties: false,
    });
  });

  it('keeps all tools together within 64 KiB', () => {
    const large = object({ a: { type: 'string', description: 'x'.repeat(30_000) } });
    const { offered, warnings } = reduceTools(
      [tool(large), tool({ ...large }), tool({ ...large }), tool(object({}))],
      'portable',
    );
    expect(offered).toHaveLength(3);
    expect(warnings).toHaveLength(1);
    expect(
      reduceTools([tool(large), tool({ ...large }), tool({ ...large })], 'plain').warnings,
    ).toEqual([]);
  });
});
