import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type NormalisedHistory, repairMessages } from '../normalise.ts';
import type { Profile } from '../profile-types.ts';
import { bestCpuTime } from '../testing/cpu-time.ts';
import {
  assistant,
  CHAT,
  call,
  normalise,
  PROFILES,
  result,
  user,
  withRaw,
} from '../testing/histories.ts';
import type { LLMMessage } from '../types.ts';

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
    const after = normalise(messages).turns;
    expect(bestCpuTime(() => normalise(messages))).toBeLessThan(20);
    before.forEach((turn, index) => {
      expect(after[index]).toBe(turn);
    });
  });
});
