import { describe, expect, it } from 'vitest';
import { lintDescriptions } from './description-lint.ts';
import { nativeSources, nativeTools } from './native.ts';
import { offeredList } from './offered-list.ts';
import { PROFILES } from './profiles.ts';
import { createRegistry } from './registry.ts';
import { fakeTool } from './testing/fake-session.ts';
import { wireBytes } from './wire-tools.ts';

const registry = createRegistry(nativeSources);
const policy = { impossible: () => false };

describe('the native tools', () => {
  it('keep every rule for descriptions', async () => {
    expect(await lintDescriptions(nativeTools())).toEqual([]);
  });

  it('fit the byte limits of the profiles in both languages', () => {
    for (const language of ['en', 'zh'] as const) {
      const bytes = (profile: string) =>
        wireBytes(offeredList(registry, { profile, policy }).offered, language);
      expect(bytes('coding')).toBeLessThanOrEqual(5200);
      expect(bytes('data')).toBeLessThanOrEqual(17_000);
    }
  });

  it('give the four usual tools exactly', () => {
    const tools = ['bash', 'str_replace_based_edit_tool', 'sequentialthinking', 'task_done'];
    const list = offeredList(registry, { profile: 'coding', tools, policy });
    expect(list.offered.map((tool) => tool.name)).toEqual(tools);
    expect(list.deferred).toEqual([]);
  });

  it('never put both editors into the core of one profile', () => {
    for (const { core } of PROFILES) {
      expect(core.includes('edit_file') && core.includes('str_replace_based_edit_tool')).toBe(
        false,
      );
    }
  });
});

describe('lintDescriptions', () => {
  const good = {
    name: 'good_one',
    description: 'Do a thing. Use for things. Not for other things: good_two. At most 5 lines.',
    descriptionZh: '做一件事。用于各种事。不用于其他事：good_two。最多 5 行。',
  };
  const lint = (fields: object) =>
    lintDescriptions([fakeTool({ ...good, ...fields }), fakeTool({ ...good, name: 'good_two' })]);

  it('accepts a text that keeps the rules', async () => {
    expect(await lint({})).toEqual([]);
  });

  it.each([
    ['a missing Not', { description: 'Do a thing. Use for 5: good_two.' }, 'when not'],
    [
      'an unknown tool',
      { description: good.description.replace('good_two', 'bad_tool') },
      'bad_tool, which is no tool',
    ],
    ['an over-long text', { description: `${good.description}${' x'.repeat(400)}` }, 'over 640'],
    [
      'a text over the limit of core tools',
      { name: 'task_done', description: `${good.description}${' x'.repeat(130)}` },
      'over 300',
    ],
    [
      'workspace-dependent text',
      { description: `${good.description} In /home/me.` },
      'depends on the workspace',
    ],
    ['a product name', { description: `${good.description} As in ChatGPT.` }, 'product'],
    ['other numbers', { descriptionZh: good.descriptionZh.replace('5', '6') }, 'different numbers'],
    [
      'other tools',
      { descriptionZh: good.descriptionZh.replace('good_two', '它') },
      'different tools',
    ],
    ['an alternative that does not exist', { alternatives: ['nothing_there'] }, 'no tool'],
    [
      'a long parameter text',
      {
        parameters: {
          type: 'object',
          properties: { a: { type: 'string', description: 'x'.repeat(81) } },
        },
      },
      'over 80',
    ],
    [
      'a parameter text that repeats the type',
      {
        parameters: {
          type: 'object',
          properties: { a: { type: 'string', description: 'a string' } },
        },
      },
      'repeats its type',
    ],
    [
      'an invalid example',
      { description: `${good.description} {"nope": 1}`, permission: 'write' },
      'example does not validate',
    ],
    [
      'nested parameters without an example',
      { parameters: { type: 'object', properties: { a: { type: 'object', properties: {} } } } },
      'no example',
    ],
    [
      'a review tool that does not say when',
      { permission: 'review' },
      'only after the user approved',
    ],
  ])('finds %s', async (_what, fields, says) => {
    expect((await lint(fields)).join('\n')).toContain(says);
  });
});
