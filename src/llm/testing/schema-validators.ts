import { expect } from 'vitest';
import type { SchemaDialect } from '../profile-types.ts';
import type { ReducedTool } from '../schemas/reduce.ts';
import type { JsonObject, JsonValue } from '../types.ts';

/** Visits the schemas inside a reduced schema, by the keywords that are left in any dialect. */
function visit(
  schema: JsonValue,
  check: (schema: JsonObject, path: string) => void,
  path = '#',
): void {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return;
  check(schema, path);
  for (const key of ['items', 'additionalProperties', 'not', 'contains', 'propertyNames']) {
    visit(schema[key] ?? null, check, `${path}/${key}`);
  }
  for (const key of ['anyOf', 'oneOf', 'allOf', 'prefixItems']) {
    const list = schema[key];
    if (Array.isArray(list))
      for (const [at, item] of list.entries()) visit(item, check, `${path}/${key}/${at}`);
  }
  const properties = schema.properties;
  if (typeof properties === 'object' && properties !== null) {
    for (const [name, item] of Object.entries(properties)) visit(item, check, `${path}/${name}`);
  }
}

/** What each vendor is known to refuse. */
export const VALIDATORS: Readonly<Record<SchemaDialect, (reduced: ReducedTool) => void>> = {
  plain: ({ schema }) => {
    expect(schema.type).toBe('object');
    for (const key of ['anyOf', 'oneOf', 'allOf', 'enum', 'not', '$ref', '$defs', 'definitions']) {
      expect(schema).not.toHaveProperty([key]);
    }
    visit(schema, (inner, path) => {
      expect(
        Object.keys(inner).filter((key) => key.startsWith('x-')),
        path,
      ).toEqual([]);
      expect(inner, path).not.toHaveProperty(['$ref']);
    });
  },
  anthropic: (reduced) => {
    VALIDATORS.plain(reduced);
    for (const name of Object.keys(reduced.schema.properties ?? {})) {
      expect(name).toMatch(/^[a-zA-Z0-9_.-]{1,64}$/);
    }
  },
  openai_strict: (reduced) => {
    VALIDATORS.plain(reduced);
    if (!reduced.strict) return;
    const allowed = [
      'type',
      'enum',
      'const',
      'description',
      'properties',
      'required',
      'additionalProperties',
      'items',
      'anyOf',
    ];
    visit(reduced.schema, (inner, path) => {
      expect(
        Object.keys(inner).filter((key) => !allowed.includes(key)),
        path,
      ).toEqual([]);
      expect('type' in inner || 'anyOf' in inner, path).toBe(true);
      if (![inner.type].flat().includes('object')) return;
      expect(inner.additionalProperties, path).toBe(false);
      expect(inner.required, path).toEqual(Object.keys(inner.properties ?? {}));
    });
  },
  gemini: ({ schema }) => {
    const allowed = [
      ...[
        'type',
        'format',
        'enum',
        'items',
        'properties',
        'required',
        'nullable',
        'anyOf',
        'pattern',
      ],
      ...['minimum', 'maximum', 'minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties'],
      ...['maxProperties', 'default', 'example', 'title', 'description', 'propertyOrdering'],
    ];
    expect(schema.type).toBe('object');
    visit(schema, (inner, path) => {
      expect(
        Object.keys(inner).filter((key) => !allowed.includes(key)),
        path,
      ).toEqual([]);
      if ('type' in inner) expect(typeof inner.type, path).toBe('string');
      for (const value of Array.isArray(inner.enum) ? inner.enum : [])
        expect(typeof value).toBe('string');
      const names = Object.keys(inner.properties ?? {});
      for (const name of Array.isArray(inner.required) ? inner.required : [])
        expect(names).toContain(name);
    });
  },
  portable: ({ schema }) => {
    const allowed = [
      'type',
      'description',
      'enum',
      'properties',
      'required',
      'additionalProperties',
      'items',
      'nullable',
    ];
    expect(schema.type).toBe('object');
    visit(schema, (inner, path) => {
      expect(
        Object.keys(inner).filter((key) => !allowed.includes(key)),
        path,
      ).toEqual([]);
      if ('type' in inner) expect(typeof inner.type, path).toBe('string');
      for (const value of Array.isArray(inner.enum) ? inner.enum : [])
        expect(typeof value).toBe('string');
      if (inner.properties !== undefined) expect(inner.additionalProperties, path).toBe(false);
    });
  },
};
