import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToolCall } from './types.ts';
import { createWireIds, type IdRule, wireSeed } from './wire-ids.ts';

const DEFAULT: IdRule = { pattern: '^[A-Za-z0-9_-]{1,64}$', max: 64, echo: false };
const MISTRAL: IdRule = { pattern: '^[A-Za-z0-9]{9}$', max: 9, echo: false };
const ECHO: IdRule = { ...DEFAULT, echo: true };

/** Calls as decode stores them: the seed is chosen against the seeds before it. */
function callsOf(providerIds: readonly (string | null)[]): ToolCall[] {
  const used = new Set<string>();
  return providerIds.map((id, index) => {
    const call_id = `call_01J${String(index).padStart(23, '0')}`;
    const wire_seed = wireSeed(id, call_id, (seed) => used.has(seed));
    used.add(wire_seed);
    return {
      ...{ call_id, name: 'get', arguments: {}, id, raw_name: 'get', index, status: 'ok' as const },
      ...{ repairs: [], source: 'structured' as const, wire_seed },
    };
  });
}
function wireIds(calls: readonly ToolCall[], rule: IdRule, sameKey = false): string[] {
  const ids = createWireIds({ rule });
  return calls.map((call) => ids.assign(call, sameKey));
}

const oddId = fc.oneof(
  fc.constantFrom(null, '', 'call_0', 'functions.x:0', 'a|b', 'x'.repeat(64), 'y'.repeat(90)),
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.string({ unit: fc.constantFrom('a', 'b', '_', '.', ':'), maxLength: 6 }),
);

describe('the seed stored at decode', () => {
  it('is the provider id when usable and new, else our own', () => {
    const never = () => false;
    expect(wireSeed('toolu_1', 'call_X', never)).toBe('toolu_1');
    expect(wireSeed('toolu_1', 'call_X', (id) => id === 'toolu_1')).toBe('call_X');
    for (const id of [null, '', 'x'.repeat(65)])
      expect(wireSeed(id, 'call_X', never)).toBe('call_X');
    expect(wireSeed('x'.repeat(64), 'call_X', never)).toBe('x'.repeat(64));
  });
});

describe('ids on the wire', () => {
  it('never come twice when a provider calls every call call_0 (B)', () => {
    const ids = wireIds(callsOf(Array.from({ length: 200 }, () => 'call_0')), DEFAULT);
    expect(new Set(ids).size).toBe(200);
    expect(ids[0]).toBe('call_0');
  });

  it('fit the vendor and stay distinct (B8, B9)', () => {
    const calls = callsOf(['functions.x:0', 'y'.repeat(90), 'a|b', 'a:b', null]);
    for (const rule of [DEFAULT, MISTRAL]) {
      const ids = wireIds(calls, rule);
      expect(new Set(ids).size).toBe(calls.length);
      for (const id of ids) expect(id).toMatch(new RegExp(rule.pattern));
    }
  });

  it('come back untouched to the provider that wants them so (B10), and only to it', () => {
    const calls = callsOf(['functions.get:0', 'functions.get:1']);
    expect(wireIds(calls, ECHO, true)).toEqual(['functions.get:0', 'functions.get:1']);
    for (const id of wireIds(calls, ECHO, false)) expect(id).toMatch(new RegExp(ECHO.pattern));
  });

  it('are injective and stable for 10,000 odd ids', () => {
    const sample = fc.sample(oddId, { numRuns: 10_000, seed: 7 });
    const calls = callsOf(sample);
    for (const rule of [DEFAULT, MISTRAL, ECHO]) {
      const ids = wireIds(calls, rule, rule.echo);
      expect(new Set(ids).size).toBe(calls.length);
      expect(
        wireIds(
          calls.map((call) => ({ ...call })),
          rule,
          rule.echo,
        ),
      ).toEqual(ids);
    }
  });

  it('do not change when calls are appended', () => {
    fc.assert(
      fc.property(
        fc.array(oddId, { maxLength: 12 }),
        fc.constantFrom(DEFAULT, MISTRAL, ECHO),
        (providerIds, rule) => {
          const calls = callsOf(providerIds);
          const all = wireIds(calls, rule, true);
          expect(new Set(all).size).toBe(calls.length);
          calls.forEach((_call, end) => {
            expect(wireIds(calls.slice(0, end), rule, true)).toEqual(all.slice(0, end));
          });
        },
      ),
      { numRuns: 200 },
    );
  });

  it('evade an id made to equal the hash of another', () => {
    const [first] = wireIds(callsOf(['a|b']), MISTRAL);
    const ids = wireIds(callsOf([first ?? null, 'a|b']), MISTRAL);
    expect(ids[0]).toBe(first);
    expect(new Set(ids).size).toBe(2);
  });
});
