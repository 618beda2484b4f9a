import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEndsBuffer } from './ends-buffer.ts';

describe('createEndsBuffer', () => {
  it('gives head and tail of any pieces and counts what is between them', () => {
    const pieces = fc.array(fc.string({ unit: 'grapheme', maxLength: 40 }));
    fc.assert(
      fc.property(pieces, fc.integer({ min: 1, max: 16 }), (texts, each) => {
        const buffer = createEndsBuffer(each);
        for (const text of texts) buffer.push(text);
        const whole = texts.join('');
        const missing = Math.max(0, whole.length - 2 * each);
        const tail = whole.slice(Math.min(whole.length, each) + missing);
        const joint = missing > 0 ? '\n' : '';
        expect(buffer.read()).toEqual({
          text: `${whole.slice(0, each)}${joint}${tail}`.toWellFormed(),
          missing,
        });
      }),
    );
  });
});
