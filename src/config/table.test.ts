import { readFile } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CONFIG_KEYS, type ConfigKey, isWildcard } from './keys.ts';
import { configSchema } from './schema.ts';
import { makePlace, type Place } from './testing.ts';
import { checkValue, type ValueSchema } from './value-schema.ts';

/** A value of the type; `variant` 0 and 1 differ where the type has more than one value. */
function sample(schema: ValueSchema, variant: number): unknown {
  if (schema.anyOf?.[0] !== undefined) return sample(schema.anyOf[0], variant);
  if (schema.enum !== undefined) return schema.enum.at(variant === 0 ? 0 : -1);
  switch (schema.type) {
    case 'boolean':
      return variant === 0;
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 0, 1) + variant;
    case 'array':
      return [sample(schema.items ?? {}, variant)];
    case 'object': {
      const members = Object.entries(schema.properties ?? {}).map(([name, member]) => [
        name,
        sample(member, variant),
      ]);
      return members.length > 0 ? Object.fromEntries(members) : { x: 'y'.repeat(variant + 1) };
    }
    default:
      return schema.format === 'uri' ? `https://host${variant}.example` : `value${variant}`;
  }
}

function filled(key: ConfigKey): string[] {
  return key.segments.map((segment) => (isWildcard(segment) ? 'some.name' : segment));
}

function nested(path: readonly string[], value: unknown): object {
  const [head = '', ...rest] = path;
  return { [head]: rest.length === 0 ? value : nested(rest, value) };
}

/** A value that is stricter, and one that is looser, than `middle`, for a key a project may tighten. */
function around(key: ConfigKey): { strict: unknown; middle: unknown; loose: unknown } {
  switch (key.stricter) {
    case 'true':
      return { strict: true, middle: true, loose: false };
    case 'false':
      return { strict: false, middle: false, loose: true };
    case 'more':
      return { strict: ['a', 'b'], middle: ['a'], loose: [] };
    case 'fewer':
      return { strict: ['a'], middle: ['a', 'b'], loose: ['a', 'c'] };
    case 'first': {
      const values = key.schema.enum ?? [];
      return { strict: values[0], middle: values.at(-2), loose: values.at(-1) };
    }
    case 'higher':
      return { strict: 300, middle: 200, loose: 100 };
    default: {
      const top = key.schema.maximum ?? 300;
      const least = Math.max(key.schema.minimum ?? 0, 1);
      return { strict: least, middle: least + 1, loose: Math.max(top, least + 2) };
    }
  }
}

describe('the table of keys', () => {
  it('is what the shipped JSON Schema says', async () => {
    const file = new URL('../../schemas/config.schema.json', import.meta.url);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(
      JSON.parse(JSON.stringify(configSchema())),
    );
  });

  it('has defaults and samples of the type of each key, and a strictness for each T', () => {
    for (const key of CONFIG_KEYS) {
      if (key.default !== undefined)
        expect(checkValue(key.default, key.schema), key.key).toBeNull();
      expect(checkValue(sample(key.schema, 1), key.schema), key.key).toBeNull();
      expect(key.stricter !== null, key.key).toBe(key.setBy === 'T');
      expect(key.about.length, key.key).toBeGreaterThan(3);
    }
    expect(new Set(CONFIG_KEYS.map((key) => key.key)).size).toBe(CONFIG_KEYS.length);
  });

  it('gives a schema that accepts each key and refuses a misspelt one', () => {
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(configSchema());
    for (const key of CONFIG_KEYS) {
      const path = filled(key);
      expect(validate(nested(path, sample(key.schema, 0))), key.key).toBe(true);
      if (key.segments.length > 1 && !isWildcard(key.segments.at(-1) ?? ''))
        expect(validate(nested([...path.slice(0, -1), 'zzz'], 1)), key.key).toBe(false);
    }
  });
});

describe('every key in every scope', () => {
  let place: Place;
  beforeEach(async () => {
    place = await makePlace();
  });
  afterEach(() => place.remove());

  it('counts from the managed file and from the user file', async () => {
    for (const scope of ['managed', 'user'] as const) {
      for (const key of CONFIG_KEYS) {
        const value = sample(key.schema, 0);
        const file = await place.write(scope, nested(filled(key), value));
        const config = await place.load();
        const path = filled(key).join('.');
        expect(config.get(path), `${scope} ${key.key}`).toEqual(value);
        expect(config.origin(path), key.key).toMatchObject({ scope, from: file });
        expect(
          config.report().some((line) => line.key === path && line.origin.scope === scope),
        ).toBe(true);
      }
      await place.write(scope, '');
    }
  });

  it('counts from a project file as the table says', async () => {
    for (const key of CONFIG_KEYS.filter((one) => one.setBy !== 'T')) {
      const path = filled(key).join('.');
      await place.write('project', nested(filled(key), sample(key.schema, 0)));
      const untrusted = await place.load({ untrusted: 'ignore' });
      expect(untrusted.origin(path).scope, `untrusted ${key.key}`).toBe('default');
      expect(untrusted.notices.join(), key.key).toContain(path);
      await place.trust();
      const trusted = await place.load();
      expect(trusted.origin(path).scope, `trusted ${key.key}`).toBe(
        key.setBy === 'P' ? 'project' : 'default',
      );
      expect(trusted.notices.length, key.key).toBe(key.setBy === 'P' ? 0 : 1);
    }
  });

  it('lets an untrusted project tighten a T key, and never loosen it', async () => {
    for (const key of CONFIG_KEYS.filter((one) => one.setBy === 'T')) {
      const { strict, middle, loose } = around(key);
      await place.write('user', nested(key.segments, middle));
      await place.write('project', nested(key.segments, loose));
      const loosened = await place.load({ untrusted: 'ignore' });
      expect(loosened.get(key.key), `loose ${key.key}`).toEqual(middle);
      expect(loosened.origin(key.key).scope, key.key).not.toBe(
        key.stricter === 'more' ? 'default' : 'project',
      );
      await place.write('project', nested(key.segments, strict));
      const tightened = await place.load();
      expect(tightened.get(key.key), `strict ${key.key}`).toEqual(strict);
      expect(tightened.notices, key.key).toEqual([]);
    }
  });

  it('holds user and flags within a managed bound', async () => {
    for (const key of CONFIG_KEYS.filter((one) => one.setBy === 'T')) {
      const { middle, loose } = around(key);
      await place.write('managed', nested(key.segments, middle));
      await place.write('user', nested(key.segments, loose));
      const bounded = await place.load();
      if (key.stricter === 'fewer') expect(bounded.get(key.key), key.key).toEqual(['a']);
      else expect(bounded.get(key.key), key.key).toEqual(middle);
      await place.write('user', '');
      const flagged = await place.load({ overrides: { values: { [key.key]: loose } } });
      if (key.stricter !== 'fewer') expect(flagged.get(key.key), key.key).toEqual(middle);
    }
  });
});
