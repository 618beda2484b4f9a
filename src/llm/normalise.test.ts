import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type NormalisedHistory, normaliseHistory, repairMessages } from './normalise.ts';
import type { Profile } from './profile-types.ts';
import { defaultProfile, patchProfile } from './profiles/defaults.ts';
import type {
  ContentBlock,
  ImageBlock,
  LLMMessage,
  Protocol,
  ToolCall,
  ToolResultBlock,
  ToolSpec,
} from './types.ts';

const CHAT = defaultProfile('chat');
const PROFILES: readonly Profile[] = [
  CHAT,
  defaultProfile('responses'),
  defaultProfile('anthropic'),
  patchProfile(CHAT, { protocol: 'gemini', images: { toolResults: 'inline' } }),
  patchProfile(CHAT, { protocol: 'ollama', choiceNone: 'drop_tools', schemaDialect: 'portable' }),
  patchProfile(CHAT, {
    alternate: true,
    idRule: { pattern: '^[A-Za-z0-9]{9}$', max: 9 },
    images: { toolResults: 'placeholder' },
  }),
  patchProfile(CHAT, { alternate: true, choiceNone: 'flatten', reasoning: { when: 'tool_turns' } }),
  patchProfile(CHAT, { idRule: { echo: true }, reasoning: { when: 'always' } }),
];
const GET: ToolSpec = { name: 'get', description: 'Gets.', schema: { type: 'object' } };

let count = 0;
function call(fields: Partial<ToolCall> = {}): ToolCall {
  const call_id = fields.call_id ?? `call_${++count}`;
  return {
    ...{ call_id, name: 'get', arguments: { a: 1 }, id: `id_${call_id}`, raw_name: 'get' },
    ...{ raw_arguments: '{"a":1}', index: 0, status: 'ok' as const, repairs: [] },
    ...{ source: 'structured' as const, wire_seed: fields.id ?? `id_${call_id}` },
    ...fields,
  };
}
function result(of: ToolCall, fields: Partial<ToolResultBlock> = {}): ToolResultBlock {
  return {
    ...{ type: 'tool_result', call_id: of.call_id, name: of.name, success: true },
    ...{ error_kind: null, text: `result of ${of.call_id}` },
    ...fields,
  };
}
function user(...content: (ContentBlock | string)[]): LLMMessage {
  return { message_id: `m${++count}`, role: 'user', content: blocks(content), origin: 'user' };
}
function assistant(...content: (ContentBlock | ToolCall | string)[]): LLMMessage {
  const all = content.map((item) =>
    typeof item === 'object' && 'call_id' in item && !('type' in item)
      ? ({ type: 'tool_call', call: item } as const)
      : (item as ContentBlock | string),
  );
  return { message_id: `m${++count}`, role: 'assistant', content: blocks(all), origin: 'model' };
}
function blocks(content: readonly (ContentBlock | string)[]): ContentBlock[] {
  return content.map((item) => (typeof item === 'string' ? { type: 'text', text: item } : item));
}
function withRaw(
  message: LLMMessage,
  value: string | object,
  protocol: Protocol = 'chat',
): LLMMessage {
  return { ...message, raw: { replay_key: 'key', protocol, value: value as never } };
}
const image = (width = 10, height = 10): ImageBlock => ({
  ...{ type: 'image', mime: 'image/png', data: 'AAAA', width, height },
});

interface Options {
  readonly profile?: Profile;
  readonly tools?: readonly ToolSpec[];
  readonly toolChoice?: 'auto' | 'none';
  readonly replayKey?: string;
}
function normalise(messages: readonly LLMMessage[], options: Options = {}): NormalisedHistory {
  const profile = options.profile ?? CHAT;
  return normaliseHistory({
    ...{ messages, profile, tools: options.tools ?? [GET], protocol: profile.protocol },
    ...{ replayKey: options.replayKey ?? 'key', toolChoice: options.toolChoice ?? 'auto' },
  });
}
/** A short picture of the turns: texts, calls as `>name(arguments)`, results as `<text`. */
function picture(history: NormalisedHistory): string[][] {
  return history.turns.map((turn) => [
    turn.role,
    ...(turn.role === 'user' ? turn.results.map((item) => `<${item.text}`) : []),
    ...turn.blocks.map((block) => {
      if (block.type === 'tool_call') return `>${block.wireName}(${block.argumentsText})`;
      return 'text' in block ? block.text : block.type;
    }),
  ]);
}

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

describe('text', () => {
  it('is well-formed wherever an emoji was cut', () => {
    const emoji = 'a\u{1f468}\u200d\u{1f469}\0b';
    for (let end = 0; end <= emoji.length; end++) {
      const piece = emoji.slice(0, end);
      const one = call({ raw_arguments: JSON.stringify({ [piece]: piece }), arguments: {} });
      const history = normalise([
        user(`x${piece}`),
        assistant(`y${piece}`, one),
        user(result(one, { text: piece })),
      ]);
      const body = JSON.stringify(history.turns);
      expect(JSON.stringify(JSON.parse(body))).toBe(body);
      expect(body).not.toMatch(/(?<!\\)(?:\\\\)*\\u(?:d[89a-f]|0000)/);
    }
  });

  it('of an empty result is (no output), and a result of 5 MB is cut to its ends (G21)', () => {
    const [a, b] = [call(), call()];
    const long = `HEAD${'\u{1f600}'.repeat(1_250_000)}TAIL`;
    const history = normalise([
      user('t'),
      assistant(a, b),
      user(result(a, { text: ' \n' }), result(b, { text: long })),
    ]);
    const [, empty, cut = ''] = picture(history)[2] ?? [];
    expect(empty).toBe('<(no output)');
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(256 * 1024 + 1);
    expect(cut).toMatch(/^<HEAD.*bytes omitted.*TAIL$/s);
    expect(cut.isWellFormed()).toBe(true);
  });
});

describe('images', () => {
  const one = call();
  const messages = [user('t'), assistant(one), user(result(one, { images: [image()] }), 'note')];

  it('of results stand where the vendor takes them (G13)', () => {
    const place = (toolResults: Profile['images']['toolResults'], input = true) =>
      normalise(messages, { profile: patchProfile(CHAT, { images: { toolResults, input } }) })
        .turns[2];
    expect(place('inline')).toMatchObject({
      results: [{ images: [image()] }],
      blocks: [{ text: 'note' }],
    });
    expect(place('user_message')).toMatchObject({
      results: [{ images: [] }],
      blocks: [{ text: 'Images in the result of get:' }, image(), { text: 'note' }],
    });
    for (const turn of [place('placeholder'), place('inline', false)]) {
      expect(JSON.stringify(turn)).toContain('[image removed: 10x10, ');
    }
  });

  it('beyond a limit become a line of text, the oldest first (G14)', () => {
    const removedOf = (images: readonly ImageBlock[]) => {
      const { turns, warnings } = normalise(images.map((item) => user('look', item)));
      const removed = turns.flatMap((turn, index) =>
        turn.blocks.some((block) => block.type === 'image') ? [] : [index],
      );
      expect(warnings).toHaveLength(removed.length);
      return removed;
    };
    const many = (length: number, side = 10) => Array.from({ length }, () => image(side, side));
    expect(removedOf(many(100))).toEqual([]);
    expect(removedOf(many(102))).toEqual([0, 1]);
    expect(removedOf([image(8001), image(8000)])).toEqual([0]);
    expect(removedOf([{ ...image(), data: 'A'.repeat(7_000_000) }])).toEqual([0]);
    expect(removedOf(many(20, 3000))).toEqual([]);
    expect(removedOf(many(23, 3000))).toEqual([0, 1, 2]);
    expect(removedOf([...many(20), image(3000)])).toEqual([0]);
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

/** Histories as a crash at any point may leave them. */
const text = fc.oneof(
  fc.constantFrom('', ' ', 'hello', '\ud83d', 'a\0b', '(no output)'),
  fc.string({ unit: 'binary', maxLength: 10 }),
);
interface Draft {
  readonly texts: readonly string[];
  readonly calls: readonly { id: string | null; name: string; args: string; drop: number }[];
  readonly complete: boolean;
  readonly sameKey: boolean;
  readonly after: string;
}
const draft: fc.Arbitrary<Draft> = fc.record({
  texts: fc.array(text, { maxLength: 2 }),
  calls: fc.array(
    fc.record({
      id: fc.constantFrom(null, '', 'call_0', 'functions.get:0', 'a|b', 'x'.repeat(90)),
      name: fc.constantFrom('get', '', 'a b', 'functions.get'),
      args: fc.constantFrom('{}', '{"a":1}', '{"a":', '', '[1]', '{"a":"\\ud83d"}', "{'a':1}"),
      drop: fc.nat(5),
    }),
    { maxLength: 3 },
  ),
  complete: fc.boolean(),
  sameKey: fc.boolean(),
  after: text,
});

function build(drafts: readonly Draft[]): LLMMessage[] {
  const used = new Set<string>();
  return drafts.flatMap((item) => {
    const calls = item.calls.map(({ id, name, args }) => {
      const made = call({ id, raw_name: name, name, raw_arguments: args, arguments: {} });
      const seed = id !== null && id !== '' && id.length <= 64 && !used.has(id) ? id : made.call_id;
      used.add(seed);
      return { ...made, wire_seed: seed };
    });
    const turn: LLMMessage = { ...assistant(...item.texts, ...calls), complete: item.complete };
    const results = calls.flatMap((made, index) => {
      const drop = item.calls[index]?.drop ?? 0;
      if (drop === 0) return [];
      return drop === 1 ? [result(made), result(made)] : [result(made, { text: item.after })];
    });
    const behind = item.after.length % 2 === 0 ? results.reverse() : results;
    return [
      item.sameKey ? withRaw(turn, { content: item.texts.join('') }) : turn,
      ...(behind.length > 1 ? behind.map((block) => user(block)) : [user(...behind, item.after)]),
      user(item.after),
    ];
  });
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}

/** The rules every vendor's validator shares. */
function check(history: NormalisedHistory, profile: Profile): void {
  const { turns } = history;
  expect(turns[0]?.role).toBe('user');
  expect(turns.at(-1)?.role).toBe('user');
  const ids = new Set<string>();
  turns.forEach((turn, index) => {
    const before = turns[index - 1];
    const texts = turn.blocks.flatMap((block) => ('text' in block ? [block.text] : []));
    for (const item of texts) expect(item.trim() === '' || !item.isWellFormed()).toBe(false);
    if (profile.alternate) expect(turn.role).not.toBe(before?.role);
    if (turn.role === 'user') {
      const calls = (before?.role === 'assistant' ? before.blocks : []).filter(
        (block) => block.type === 'tool_call',
      );
      expect(turn.results.map((item) => item.wireId)).toEqual(calls.map((block) => block.wireId));
      if (profile.alternate && turn.results.length > 0) expect(turn.blocks).toEqual([]);
      return;
    }
    for (const block of turn.blocks) {
      if (block.type !== 'tool_call') continue;
      expect(ids.has(block.wireId)).toBe(false);
      ids.add(block.wireId);
      if (!profile.idRule.echo) expect(block.wireId).toMatch(new RegExp(profile.idRule.pattern));
      expect(block.wireName).toMatch(new RegExp(profile.nameRule.pattern));
      expect(JSON.stringify(JSON.parse(block.argumentsText))).toBe(
        JSON.stringify(block.argumentsObject),
      );
    }
    if (turn.blocks.some((block) => block.type === 'tool_call')) {
      expect(turns[index + 1]?.role).toBe('user');
    }
    if (turn.raw !== undefined) {
      const calls = turn.blocks.filter((block) => block.type === 'tool_call');
      expect(calls.every((block) => block.echoed)).toBe(true);
    }
  });
}

describe('any history, cut anywhere', () => {
  it('is valid for every profile, repaired once and for all, and never changed in store', () => {
    fc.assert(
      fc.property(fc.array(draft, { maxLength: 6 }), fc.nat(30), (drafts, end) => {
        const messages = deepFreeze([user('task'), ...build(drafts)].slice(0, end));
        for (const profile of PROFILES) {
          for (const replayKey of ['key', 'other']) {
            const history = normalise(messages, { profile, replayKey });
            check(history, profile);
            expect(normalise(structuredClone(messages), { profile, replayKey })).toEqual(history);
          }
        }
        const once = repairMessages(messages).messages;
        const twice = repairMessages(once);
        expect(twice.messages).toEqual(once);
        expect([...twice.notes]).toEqual([]);
        const [profile = CHAT] = PROFILES;
        expect(normalise(once, { profile }).turns).toEqual(normalise(messages, { profile }).turns);
      }),
      { numRuns: 150 },
    );
  });

  it('keeps every turn that was sent when messages are appended', () => {
    fc.assert(
      fc.property(fc.array(draft, { minLength: 1, maxLength: 6 }), (drafts) => {
        const whole = [
          user('task'),
          ...build(
            drafts.map((item) => ({
              ...item,
              calls: item.calls.map((one) => ({ ...one, drop: 3 })),
            })),
          ),
        ];
        const profile = PROFILES[2] ?? CHAT;
        const all = normalise(whole, { profile }).turns;
        whole.forEach((message, index) => {
          if (message.role !== 'user' || index === 0) return;
          const next = whole[index + 1];
          if (next?.role === 'user') return;
          const turns = normalise(whole.slice(0, index + 1), { profile }).turns;
          const kept = turns.filter((turn) =>
            turn.blocks.every((block) => !('text' in block) || block.text !== 'Continue.'),
          );
          kept.forEach((turn, at) => {
            expect(turn).toEqual(all[at]);
          });
        });
      }),
      { numRuns: 100 },
    );
  });

  it('costs no new work for what was sent before: 500 steps, the same turn objects', () => {
    const messages: LLMMessage[] = [user('task')];
    for (let step = 0; step < 500; step++) {
      const one = call({ raw_arguments: JSON.stringify({ text: 'x'.repeat(500) }) });
      messages.push(assistant('step', one), user(result(one, { text: 'y'.repeat(2000) })));
    }
    const before = normalise(messages.slice(0, -2)).turns;
    const started = performance.now();
    const after = normalise(messages).turns;
    expect(performance.now() - started).toBeLessThan(50);
    before.forEach((turn, index) => {
      expect(after[index]).toBe(turn);
    });
  });
});
