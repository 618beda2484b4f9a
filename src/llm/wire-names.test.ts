import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createNameMap, INVALID_TOOL_NAME, toWireName } from './wire-names.ts';
import type { WireRule } from './wire-rule.ts';

const DEFAULT: WireRule = { pattern: '^[A-Za-z0-9_-]{1,64}$', max: 64 };
const GEMINI: WireRule = { pattern: '^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$', max: 64 };

describe('tool names on the wire', () => {
  it('stay themselves when legal', () => {
    expect(toWireName('read_file', DEFAULT)).toBe('read_file');
    expect(toWireName('mcp.server:tool', GEMINI)).toBe('mcp.server:tool');
  });

  it('become legal, recognisable and unique, and map back (B14)', () => {
    const names = ['a.b/c', 'a_b_c', 'a.b.c', 'x'.repeat(80), `${'x'.repeat(79)}y`, '\u{1f600}!'];
    const map = createNameMap(names, DEFAULT);
    const wire = names.map((name) => map.toWire(name));
    expect(wire[0]).toMatch(/^a_b_c_[0-9a-f]{6}$/);
    expect(wire[1]).toBe('a_b_c');
    expect(wire[3]).toMatch(/^x{57}_[0-9a-f]{6}$/);
    expect(new Set(wire).size).toBe(names.length);
    for (const [index, name] of names.entries()) {
      expect(wire[index]).toMatch(new RegExp(DEFAULT.pattern));
      expect(map.fromWire(wire[index] ?? '')).toBe(name);
    }
  });

  it('replace an empty name, and leave an unknown one for the resolver', () => {
    expect(toWireName('', DEFAULT)).toBe(INVALID_TOOL_NAME);
    expect(createNameMap(['get'], DEFAULT).fromWire('Get')).toBe('Get');
  });

  it('respect a rule for the first character', () => {
    expect(toWireName('1tool', GEMINI)).toMatch(new RegExp(GEMINI.pattern));
    expect(toWireName('tool 1', GEMINI)).toMatch(/^tool_1_[0-9a-f]{6}$/);
  });

  it('are one to one for any set of names, one of them made to collide', () => {
    const collides = toWireName('a b', DEFAULT);
    const name = fc.oneof(
      fc.constantFrom('a b', 'a_b', 'a.b', collides, 'A B'),
      fc.string({ unit: 'binary', maxLength: 90 }),
    );
    fc.assert(
      fc.property(fc.uniqueArray(name), fc.constantFrom(DEFAULT, GEMINI), (names, rule) => {
        const map = createNameMap(names, rule);
        const wire = names.map((item) => map.toWire(item));
        expect(new Set(wire).size).toBe(names.length);
        for (const [index, item] of names.entries()) {
          expect(wire[index]).toMatch(new RegExp(rule.pattern));
          expect(map.fromWire(wire[index] ?? '')).toBe(item);
        }
      }),
      { numRuns: 500 },
    );
  });
});
