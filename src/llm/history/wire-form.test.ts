import { describe, expect, it } from 'vitest';
import { defaultProfile, patchProfile } from '../profiles/defaults.ts';
import {
  assistant,
  CHAT,
  call,
  normalise,
  picture,
  result,
  user,
  withRaw,
} from '../testing/histories.ts';
import type { ContentBlock, ToolCall } from '../types.ts';

describe('arguments, names and ids', () => {
  it('are the verbatim text when it is an object, else the repaired object, else {} (A13)', () => {
    const history = normalise([
      user('task'),
      assistant(
        call({ raw_arguments: '{ "a" :1.0 }' }),
        call({ raw_arguments: "{'a': 1}", repairs: ['relaxed'] }),
        call({ raw_arguments: '{"a":', arguments: {}, status: 'cut' }),
        call({ raw_arguments: '[1]', arguments: {}, status: 'invalid' }),
        call({ raw_arguments: '{"a":1}{"a":2}', arguments: { a: 2 }, repairs: ['concatenated'] }),
        call({
          raw_arguments: `${'{"a":'.repeat(300)}1${'}'.repeat(300)}`,
          arguments: {},
          status: 'invalid',
        }),
      ),
    ]);
    expect(picture(history)[1]).toEqual([
      'assistant',
      ...[
        '>get({ "a" :1.0 })',
        '>get({"a":1})',
        '>get({})',
        '>get({})',
        '>get({"a":2})',
        '>get({})',
      ],
    ]);
  });

  it('send no empty or illegal name (B12, B13)', () => {
    const history = normalise([
      user('task'),
      assistant(
        call({ raw_name: '', name: '' }),
        call({ raw_name: 'functions.get', name: 'get' }),
        call({ raw_name: 'Get', name: 'get' }),
        call({ raw_name: 'no such!', name: 'no such!' }),
      ),
    ]);
    const names = history.turns[1]?.blocks.map((block) => 'wireName' in block && block.wireName);
    expect(names).toEqual([
      ...['invalid_tool_name', 'get', 'Get', expect.stringMatching(/^no_such__[0-9a-f]{6}$/)],
    ]);
  });

  it('name the same id and tool in call and result, also when a provider repeats its ids', () => {
    const first = call({ id: 'call_0', wire_seed: 'call_0' });
    const second = call({ id: 'call_0', wire_seed: 'call_B' });
    const { turns } = normalise([
      user('task'),
      assistant(first),
      user(result(first)),
      assistant(second),
      user(result(second)),
    ]);
    expect(turns[1]?.blocks).toMatchObject([{ wireId: 'call_0', echoed: true }]);
    expect(turns[2]).toMatchObject({ results: [{ wireId: 'call_0', name: 'get', echoed: true }] });
    expect(turns[3]?.blocks).toMatchObject([{ wireId: 'call_B', echoed: false }]);
    expect(turns[4]).toMatchObject({ results: [{ wireId: 'call_B', echoed: false }] });
  });
});

describe('the raw turn and reasoning', () => {
  const reasoning: ContentBlock = { type: 'reasoning', text: 'hm', kind: 'full', signature: 's' };
  const anthropic = defaultProfile('anthropic');

  it('go back under the same replay key only', () => {
    const one = call();
    const raw = [{ type: 'thinking', thinking: 'hm', signature: 's' }, { type: 'tool_use' }];
    const messages = [
      user('t'),
      withRaw(assistant(reasoning, one), raw, 'anthropic'),
      user(result(one)),
    ];
    const same = normalise(messages, { profile: anthropic }).turns[1];
    expect(same).toMatchObject({ raw, blocks: [{ type: 'reasoning' }, { type: 'tool_call' }] });
    const other = normalise(messages, { profile: anthropic, replayKey: 'other' }).turns[1];
    expect(other).not.toHaveProperty('raw');
    expect(other?.blocks).toMatchObject([{ type: 'tool_call' }]);
  });

  it.each<[string, ToolCall]>([
    ['a split call', call({ raw_arguments: '{"a":1}{"a":2}', repairs: ['concatenated'] })],
    ['a repaired call', call({ raw_arguments: "{'a':1}", repairs: ['relaxed'] })],
    ['an unreadable call', call({ raw_arguments: '{"a"', arguments: {}, status: 'invalid' })],
    ['a call from text', call({ source: 'text' })],
    ['an illegal name', call({ raw_name: 'a b', name: 'get' })],
    ['an id that was used before', call({ id: 'call_0', wire_seed: 'call_X' })],
    ['no id', call({ id: null, wire_seed: 'call_Y' })],
    ['a lone surrogate', call({ raw_arguments: '{"a":"\\ud83d"}', arguments: { a: '\ud83d' } })],
  ])('are encoded anew with %s', (_title, one) => {
    const turn = normalise([user('t'), withRaw(assistant('x', one), { a: 'b' })]).turns[1];
    expect(turn).not.toHaveProperty('raw');
    expect(turn?.blocks).toHaveLength(2);
  });

  it('are encoded anew when the raw form holds what no body may carry', () => {
    const turn = normalise([user('t'), withRaw(assistant('x\ud83d'), { content: 'x\ud83d' })])
      .turns[1];
    expect(turn).toEqual({ role: 'assistant', blocks: [{ type: 'text', text: 'x\ufffd' }] });
  });

  it('lose only what the vendor refuses to get back: blank text, reasoning nothing follows (G4)', () => {
    const raw = [
      { type: 'text', text: ' ' },
      { type: 'text', text: 'x' },
    ];
    const turn = normalise([user('t'), withRaw(assistant(' ', 'x'), raw, 'anthropic')], {
      profile: anthropic,
    }).turns[1];
    expect(turn).toMatchObject({ raw: [{ type: 'text', text: 'x' }] });
    const items = [{ type: 'message' }, { type: 'reasoning' }];
    const responses = normalise(
      [user('t'), withRaw(assistant('x', reasoning), items, 'responses')],
      {
        profile: defaultProfile('responses'),
      },
    ).turns[1];
    expect(responses).toMatchObject({ raw: [{ type: 'message' }], blocks: [{ type: 'text' }] });
  });

  it('keep unknown blocks under their key, and a turn of nothing else is left out elsewhere', () => {
    const opaque: ContentBlock = { type: 'opaque', protocol: 'anthropic', value: { type: 'new' } };
    const messages = [user('t'), withRaw(assistant(opaque), [{ type: 'new' }], 'anthropic')];
    expect(normalise(messages, { profile: anthropic }).turns).toHaveLength(3);
    expect(picture(normalise(messages, { profile: anthropic, replayKey: 'x' }))).toEqual([
      ['user', 't'],
    ]);
  });

  it('send reasoning when the profile says so', () => {
    const messages = [user('t'), withRaw(assistant(reasoning, 'x'), {})];
    const blocksWhen = (when: 'never' | 'tool_turns' | 'always') =>
      normalise(messages, { profile: patchProfile(CHAT, { reasoning: { when } }) }).turns[1]?.blocks
        .length;
    expect([blocksWhen('never'), blocksWhen('tool_turns'), blocksWhen('always')]).toEqual([
      1, 1, 2,
    ]);
  });
});
