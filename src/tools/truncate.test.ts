import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countCharacters, cutText } from './truncate.ts';

const address = 'tool-output/call_1.txt';

describe('cutText', () => {
  it('leaves a text that fits alone, counted in characters', () => {
    expect(cutText('😀'.repeat(10), { limit: 10, keep: 'head', address })).toBeNull();
    expect(countCharacters('a😀\ud800中')).toBe(4);
  });

  it('writes the exact marker', () => {
    const cut = cutText('x'.repeat(40_000), { limit: 27_655, keep: 'head', address });
    expect(cut?.text.slice(27_655)).toBe(
      '\n[... 12,345 of 40,000 characters omitted; whole text: tool-output/call_1.txt, by read_file or grep_search ...]',
    );
  });

  it('cuts at a line end within 200 characters, else never inside a grapheme', () => {
    const lines = cutText(`${'a'.repeat(50)}\n${'b'.repeat(500)}`, {
      limit: 100,
      keep: 'head',
      address,
    });
    expect(lines?.text.startsWith(`${'a'.repeat(50)}\n[...`)).toBe(true);
    const family = '👨‍👩‍👧‍👦';
    const cut = cutText(family.repeat(100), { limit: 50, keep: 'ends', address: null });
    const [head = '', tail = ''] = cut?.text.split(/\n?\[\.\.\. .* \.\.\.\]\n?/) ?? [];
    expect(head).toBe(family.repeat(head.length / family.length));
    expect(tail).toBe(family.repeat(tail.length / family.length));
  });

  it('keeps a third at the start and two thirds at the end, and counts what was missing before', () => {
    const cut = cutText(`${'h'.repeat(500)}${'t'.repeat(500)}`, {
      limit: 300,
      keep: 'ends',
      address,
      missing: 1000,
    });
    expect(cut).toMatchObject({ omitted: 1700, total: 2000 });
    expect(cut?.text).toMatch(/^h{100}\n\[.*\]\nt{200}$/s);
  });

  it('keeps no line end where the head may hold nothing', () => {
    expect(cutText('\na', { limit: 1, keep: 'ends', address })).toMatchObject({ omitted: 1 });
  });

  it('holds its limit and loses nothing unaccounted, whatever the text', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', '\n', '😀', '中', 'é', '👍🏽', ' ', '\r'),
      maxLength: 600,
    });
    fc.assert(
      fc.property(
        text,
        fc.integer({ min: 1, max: 300 }),
        fc.constantFrom('head', 'ends'),
        (value, limit, keep) => {
          const cut = cutText(value, { limit, keep: keep as 'head' | 'ends', address });
          const total = [...value].length;
          if (cut === null) {
            expect(total).toBeLessThanOrEqual(limit);
            return;
          }
          expect(cut.total).toBe(total);
          const kept = total - cut.omitted;
          expect(kept).toBeLessThanOrEqual(limit);
          expect(cut.omitted).toBeGreaterThan(0);
          const at = cut.text.indexOf('[... ');
          expect(value.startsWith(cut.text.slice(0, at).replace(/\n$/, ''))).toBe(true);
          expect(cut.text.isWellFormed()).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('cuts a line of 100 MB quickly', () => {
    const started = performance.now();
    expect(cutText('中'.repeat(30_000_000), { limit: 16_000, keep: 'ends', address })?.total).toBe(
      30_000_000,
    );
    expect(performance.now() - started).toBeLessThan(1500);
  });
});
