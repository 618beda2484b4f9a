import { describe, expect, it } from 'vitest';
import { patchProfile } from './profiles/defaults.ts';
import {
  assistant,
  CHAT,
  call,
  GET,
  image,
  normalise,
  picture,
  result,
  user,
  withRaw,
} from './testing/histories.ts';

describe('pairing', () => {
  it('puts one result for each call directly behind its turn, in call order (G3)', () => {
    const [a, b, c] = [call(), call(), call()];
    const history = normalise([
      user('task'),
      assistant('look', a, b, c),
      user('wait!'),
      user(result(c), 'note'),
      user(result(a)),
      user(result(b)),
    ]);
    expect(picture(history)).toEqual([
      ['user', 'task'],
      ['assistant', 'look', ...Array<string>(3).fill('>get({"a":1})')],
      ['user', ...[a, b, c].map((item) => `<result of ${item.call_id}`)],
      ['user', 'wait!'],
      ['user', 'note'],
    ]);
  });

  it('gathers results stored one by one without calling that a repair', () => {
    const [a, b] = [call(), call()];
    const messages = [
      user('task'),
      assistant(a, b),
      user(result(a)),
      user(result(b)),
      user('note'),
    ];
    const history = normalise(messages);
    expect(picture(history).slice(2)).toEqual([
      ['user', `<result of ${a.call_id}`, `<result of ${b.call_id}`],
      ['user', 'note'],
    ]);
    expect(history.warnings).toEqual([]);
  });

  it('adds a failed result of kind interrupted where none is (kill between call and result)', () => {
    const history = normalise([user('task'), assistant(call())]);
    const [last] = history.turns.slice(-1);
    expect(last).toMatchObject({ role: 'user', results: [{ success: false }] });
    expect(picture(history).at(-1)?.[1]).toMatch(/^<ERROR interrupted: /);
    expect(history.warnings).toMatchObject([{ code: 'history_repaired' }]);
  });

  it('lets a real result beat a synthetic one, whichever comes first, and the first of two real ones', () => {
    const one = call();
    const synthetic = result(one, { success: false, error_kind: 'interrupted', text: 'lost' });
    const failed = result(one, { success: false, error_kind: 'timeout', text: 'slow' });
    for (const results of [
      [synthetic, failed, result(one)],
      [failed, synthetic],
      [failed, result(one)],
    ]) {
      const history = normalise([
        user('task'),
        assistant(one),
        ...results.map((item) => user(item)),
      ]);
      expect(picture(history).at(-1)).toEqual(['user', '<slow']);
    }
  });

  it('matches within a turn, and leaves out results without a call', () => {
    const [a, stray] = [call(), call()];
    const history = normalise([
      user(result(stray), 'task'),
      assistant(a),
      user(result(a)),
      user(result(a, { text: 'again' })),
      assistant('done'),
      user(result(stray)),
      user('next'),
    ]);
    expect(picture(history)).toEqual([
      ['user', 'task'],
      ['assistant', '>get({"a":1})'],
      ['user', `<result of ${a.call_id}`],
      ['assistant', 'done'],
      ['user', 'next'],
    ]);
  });
});

describe('turns', () => {
  it('without text and calls are left out; a cut one keeps its text only', () => {
    const cut = call();
    const history = normalise([
      user('task'),
      assistant({ type: 'reasoning', text: 'hm', kind: 'full' }, ' \n'),
      user('go on'),
      { ...withRaw(assistant('half', cut), {}), complete: false },
      user(result(cut), 'next'),
      { ...assistant(call()), complete: false },
      user(' '),
      user('last'),
    ]);
    expect(picture(history)).toEqual([
      ['user', 'task'],
      ['user', 'go on'],
      ['assistant', 'half [reply was cut]'],
      ['user', 'next'],
      ['user', 'last'],
    ]);
    expect(history.turns[2]).not.toHaveProperty('raw');
  });

  it('start and end with the user', () => {
    expect(picture(normalise([assistant('hello')]))).toEqual([
      ['user', '(continued)'],
      ['assistant', 'hello'],
      ['user', 'Continue.'],
    ]);
  });

  it('merge where roles must alternate, and nothing follows results', () => {
    const one = call();
    const alternate = patchProfile(CHAT, { alternate: true });
    const messages = [
      user('a'),
      user('b'),
      assistant(one),
      user(result(one, { images: [image(3, 4)] }), 'note'),
      user('steer', image(5, 6)),
      assistant('c'),
      assistant('d'),
    ];
    expect(picture(normalise(messages, { profile: alternate }))).toEqual([
      ['user', 'a', 'b'],
      ['assistant', '>get({"a":1})'],
      [
        'user',
        expect.stringMatching(
          /^<result of .*\[image removed: 3x4.*\n\nnote\n\nsteer\n\n\[image removed: 5x6/s,
        ),
      ],
      ['assistant', 'c', 'd'],
      ['user', 'Continue.'],
    ]);
  });
});

describe('a request that may call nothing', () => {
  const one = call();
  const messages = [user('t'), assistant('x', one), user(result(one, { success: false }), 'note')];

  it('keeps the tools with choice none, leaves them out, or becomes plain text', () => {
    const send = normalise(messages, { toolChoice: 'none' });
    expect(send).toMatchObject({ tools: [GET], choice: 'none', flattened: false });
    const drop = normalise(messages, {
      toolChoice: 'none',
      profile: patchProfile(CHAT, { choiceNone: 'drop_tools' }),
    });
    expect(drop).toMatchObject({ tools: [], flattened: false });
    const flatten = { profile: patchProfile(CHAT, { choiceNone: 'flatten' }) };
    for (const options of [{ toolChoice: 'none' as const, ...flatten }, { tools: [] }]) {
      const flat = normalise(messages, options);
      expect(flat).toMatchObject({ tools: [], choice: 'none', flattened: true });
      expect(picture(flat).slice(1)).toEqual([
        ['assistant', 'x', '[tool call get]\n{"a":1}'],
        ['user', `[tool result get, failed]\nresult of ${one.call_id}`, 'note'],
      ]);
    }
    expect(normalise(messages, flatten).flattened).toBe(false);
  });
});
