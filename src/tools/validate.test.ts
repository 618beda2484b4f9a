import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fakeTool } from './testing/fake-session.ts';
import type { Tool } from './types.ts';
import { createValidator } from './validate.ts';

const validator = createValidator();
const parameters = {
  type: 'object',
  required: ['command'],
  properties: {
    command: { type: 'string' },
    mode: { type: 'string', enum: ['replace', 'insert'], 'x-enum-aliases': { swap: 'replace' } },
    count: { type: 'integer', minimum: 0, maximum: 10, 'x-clamp': true },
    ratio: { type: 'number', maximum: 1 },
    all: { type: 'boolean' },
    names: { type: 'array', items: { type: 'string' }, maxItems: 3 },
    numbers: { type: 'array', items: { type: 'integer' } },
    value: { type: 'string', 'x-json': 'any' },
    object: { type: 'string', 'x-json': 'object' },
    edits: {
      type: 'array',
      items: {
        type: 'object',
        required: ['old'],
        properties: { old: { type: 'string' }, all: { type: 'boolean' } },
      },
    },
    nested: { type: 'object', properties: { on: { type: 'boolean' } } },
  },
} as const;
const tool = (fields: Partial<Tool> = {}): Tool =>
  fakeTool({
    name: 't',
    permission: 'write',
    parameters: parameters as never,
    keyAliases: { cmd: 'command' },
    ...fields,
  });

async function accepted(args: Record<string, unknown>): Promise<Record<string, unknown>> {
  const result = await validator.validate(tool(), { command: 'c', ...args });
  if (!result.ok) throw new Error(result.message);
  const { command, ...rest } = result.args;
  expect(command).toBe('c');
  return rest;
}
async function refused(args: Record<string, unknown>, other = tool()): Promise<string> {
  const result = await validator.validate(other, args);
  return result.ok ? 'accepted' : result.message;
}

describe('coercion', () => {
  it.each([
    [{ count: '5' }, { count: 5 }],
    [{ ratio: '-1.5' }, { ratio: -1.5 }],
    [{ count: 5.0 }, { count: 5 }],
    [{ all: 'true' }, { all: true }],
    [{ all: 'False' }, { all: false }],
    [{ names: '["a","b"]' }, { names: ['a', 'b'] }],
    [{ nested: '{"on":"true"}' }, { nested: { on: true } }],
    [{ edits: '[{"old":"x","all":"True"}]' }, { edits: [{ old: 'x', all: true }] }],
    [{ value: { a: 1 } }, { value: '{"a":1}' }],
    [{ value: null }, {}],
    [{ value: 12 }, { value: '12' }],
    [{ value: '"x"' }, { value: '"x"' }],
    [{ value: 'not json' }, { value: '"not json"' }],
    [{ object: { a: 1 } }, { object: '{"a":1}' }],
    [{ names: 'a' }, { names: ['a'] }],
    [{ numbers: '7' }, { numbers: [7] }],
    [{ all: null, mode: null }, {}],
    [{ mode: ' Replace' }, { mode: 'replace' }],
    [{ mode: 'swap' }, { mode: 'replace' }],
    [{ count: 99 }, { count: 10 }],
  ])('%j becomes %j', async (given, wanted) => {
    expect(await accepted(given)).toEqual(wanted);
  });

  it.each([
    [{ count: '05' }, '/count: expected integer, received string "05"'],
    [{ count: '5.0' }, '/count'],
    [{ count: ' 5' }, '/count'],
    [{ count: '1e1' }, '/count'],
    [{ count: '0x5' }, '/count'],
    [{ count: '' }, '/count'],
    [{ count: true }, '/count'],
    [{ count: 1.5 }, '/count'],
    [{ count: -1 }, '/count: expected a number >= 0, received number -1'],
    [{ ratio: 2 }, '/ratio: expected a number <= 1'],
    [{ ratio: 'NaN' }, '/ratio'],
    [{ all: 1 }, '/all'],
    [{ all: 'yes' }, '/all'],
    [{ all: '' }, '/all'],
    [{ mode: 'repl' }, '/mode: expected one of replace, insert; received string "repl"'],
    [{ names: ['a', 'b', 'c', 'd'] }, '/names: expected at most 3 items, received 4'],
    [{ names: { a: 1 } }, '/names: expected array, received object'],
    [{ nested: '[1]' }, '/nested'],
    [{ nested: '"{\\"on\\":true}"' }, '/nested'],
    [{ object: '[1]' }, '/object: expected a JSON object'],
    [{ object: 'x' }, '/object'],
    [{ edits: [{}] }, '/edits/0/old: required, missing'],
    [{ edits: [{ old: 'x', alll: 1 }] }, '/edits/0/alll: unknown parameter (nearest: all)'],
    [{ command: null }, '/command: expected string, received null'],
    [{ command: 5 }, '/command: expected string'],
    [{ command: ['a'] }, '/command'],
    [{ cuont: 1 }, '/cuont: unknown parameter (nearest: count)'],
    [{ __proto__: null, constructor: 1 }, '/constructor: unknown parameter'],
    [JSON.parse('{"__proto__":{"x":1}}'), '/__proto__: unknown parameter'],
    [{ cmd: 'other' }, 'another spelling'],
  ])('%j is refused', async (given, says) => {
    expect(await refused({ command: 'c', ...given })).toContain(says);
  });

  it('renames a known other spelling, equal duplicates included', async () => {
    const result = await validator.validate(tool(), { cmd: 'x' });
    expect(result).toMatchObject({
      ok: true,
      args: { command: 'x' },
      coercions: ['/cmd: renamed to command'],
    });
    expect(await refused({ cmd: 'x', command: 'x' })).toBe('accepted');
  });

  it('never trims, never fills in, and reports at most five errors', async () => {
    expect(await accepted({ names: [' a '] })).toEqual({ names: [' a '] });
    expect(await refused({})).toBe('/command: required, missing');
    const many = await refused({
      count: 'x',
      ratio: 'x',
      all: 'x',
      mode: 'x',
      names: 5,
      numbers: ['x'],
    });
    expect(many.split('; ').length).toBeLessThan(9);
    expect(many).toMatch(/; and \d more$/);
  });

  it('drops unknown keys of tools that only look, and lets a server speak for its own tools', async () => {
    const look = await validator.validate(tool({ permission: 'read' }), { command: 'c', foo: 1 });
    expect(look).toMatchObject({
      ok: true,
      args: { command: 'c' },
      notes: [expect.stringContaining('foo')],
    });
    const mcp = tool({ group: 'mcp', permission: 'mcp' });
    expect(await refused({ command: 'c', foo: 1 }, mcp)).toBe('accepted');
  });

  it('changes nothing that is valid, and nothing of the input', async () => {
    const text = fc.string();
    const valid = fc.record(
      {
        mode: fc.constantFrom('replace', 'insert'),
        count: fc.integer({ min: 0, max: 10 }),
        all: fc.boolean(),
        names: fc.array(text, { maxLength: 3 }),
        edits: fc.array(fc.record({ old: text })),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(valid, text, async (args, command) => {
        const given = { ...args, command };
        const result = await validator.validate(tool(), given);
        expect(result).toMatchObject({ ok: true, coercions: [], notes: [] });
        expect(result.ok && result.args).toEqual(given);
        expect(validator.fitsExactly(tool(), given)).toBe(true);
      }),
    );
  });

  it('ends in bounded time on anything', async () => {
    let deep: unknown = 1;
    for (let level = 0; level < 200; level += 1) deep = [deep];
    const odd = [deep, '', null, [], 3, 'x'.repeat(2_000_000), '{'.repeat(100_000), { a: deep }];
    const started = performance.now();
    for (const value of odd)
      for (const key of Object.keys(parameters.properties)) await refused({ [key]: value });
    expect(performance.now() - started).toBeLessThan(3000);
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.constantFrom(...Object.keys(parameters.properties)), fc.jsonValue()),
        async (args) => {
          expect(typeof (await refused(args as never))).toBe('string');
        },
      ),
    );
  });
});
