import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutToWidth, displayWidth } from './width.ts';

describe('display width', () => {
  it.each([
    ['abc', 3],
    ['中文', 4],
    ['👩‍👩‍👧‍👦', 2],
    ['é', 1],
    ['a\tb', 9],
    ['·', 1],
  ])('%j takes %i columns', (text, columns) => {
    expect(displayWidth(text)).toBe(columns);
  });

  it('never lets a cut line be wider than asked', () => {
    const alphabet = fc.constantFrom('a', '中', '👩‍👩‍👧‍👦', 'é', '\t', '한', ' ', '​', '🇩🇪');
    const columns = fc.oneof(fc.integer({ min: 1, max: 10 }), fc.constant(80));
    fc.assert(
      fc.property(fc.array(alphabet, { maxLength: 120 }), columns, (parts, width) => {
        expect(displayWidth(cutToWidth(parts.join(''), width))).toBeLessThanOrEqual(width);
      }),
    );
  });

  it('keeps a line that fits as it is', () => {
    expect(cutToWidth('中文字', 6)).toBe('中文字');
    expect(cutToWidth('中文字', 5)).toBe('中文…');
  });
});
