import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anthropicMarks, type MarkableBlock } from './cache-marks.ts';

const text: MarkableBlock = { type: 'text', text: 'x' };
const blank: MarkableBlock = { type: 'text', text: ' ' };
const thinking: MarkableBlock = { type: 'thinking' };
const base = { toolCount: 2, systemCount: 1, previousTail: null, retention: 'short' as const };
const many = (count: number) => Array.from({ length: count }, () => text);

describe('cache marks', () => {
  it('stand on the last tool, the system and the last block', () => {
    expect(anthropicMarks({ ...base, messages: [[text], [text, text]] })).toEqual({
      ...{ lastTool: true, lastSystem: true, prefixTtl: '5m' },
      blocks: [{ message: 1, block: 1 }],
    });
    const empty = anthropicMarks({ ...base, toolCount: 0, systemCount: 0, messages: [] });
    expect(empty).toMatchObject({ lastTool: false, lastSystem: false, blocks: [] });
  });

  it('reach the tail of the previous request, or 15 blocks back when that is farther', () => {
    const near = anthropicMarks({ ...base, previousTail: 3, messages: [many(3), many(4)] });
    expect(near.blocks).toEqual([
      { message: 0, block: 2 },
      { message: 1, block: 3 },
    ]);
    const far = anthropicMarks({ ...base, previousTail: 3, messages: [many(3), many(40)] });
    expect(far.blocks).toEqual([
      { message: 1, block: 24 },
      { message: 1, block: 39 },
    ]);
  });

  it('never stand on a blank or thinking block', () => {
    const marks = anthropicMarks({
      ...base,
      previousTail: 2,
      messages: [
        [text, thinking],
        [text, blank, { type: 'redacted_thinking' }],
      ],
    });
    expect(marks.blocks).toEqual([
      { message: 0, block: 0 },
      { message: 1, block: 0 },
    ]);
  });

  it('last an hour on the prefix when asked to, and are none when asked for none', () => {
    const messages = [[text]];
    expect(anthropicMarks({ ...base, messages, retention: 'long' }).prefixTtl).toBe('1h');
    expect(anthropicMarks({ ...base, messages, retention: 'none' })).toMatchObject({
      ...{ lastTool: false, lastSystem: false, blocks: [] },
    });
  });

  it('are at most four in 200 steps, and each request finds a mark of the one before within 20 blocks', () => {
    const step = fc.record({
      turn: fc.integer({ min: 1, max: 6 }),
      results: fc.integer({ min: 1, max: 6 }),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 200, maxLength: 200 }), (steps) => {
        const messages: { role: string; content: MarkableBlock[] }[] = [
          { role: 'user', content: many(2) },
        ];
        let earlier: number[] = [];
        let before: number | null = null;
        for (const { turn, results } of steps) {
          messages.push({ role: 'assistant', content: many(turn) });
          messages.push({ role: 'user', content: many(results) });
          const marks = anthropicMarks({
            ...base,
            previousTail: before,
            messages: messages.map((message) => message.content),
          });
          expect(marks.blocks.length + 2).toBeLessThanOrEqual(4);
          const sizes = messages.map((message) => message.content.length);
          const flat = marks.blocks.map(
            ({ message, block }) =>
              sizes.slice(0, message).reduce((sum, size) => sum + size, 0) + block,
          );
          if (earlier.length > 0) {
            const reach = flat.some((mark) =>
              earlier.some((old) => mark >= old && mark - old < 20),
            );
            expect(reach).toBe(true);
          }
          earlier = flat;
          before = sizes.reduce((sum, size) => sum + size, 0);
        }
      }),
      { numRuns: 3 },
    );
  });
});
