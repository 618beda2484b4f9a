import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseEvent, readFrame } from './frames.ts';
import { createSseReader, FrameTooLargeError } from './sse.ts';

function read(bytes: Uint8Array, sizes: readonly number[]): string[] {
  const reader = createSseReader();
  const frames: string[] = [];
  let turn = 0;
  for (let at = 0; at < bytes.length; ) {
    const size = sizes[turn % sizes.length] ?? 1;
    frames.push(...reader.push(bytes.subarray(at, at + size)));
    at += size;
    turn += 1;
  }
  return [...frames, ...reader.end()];
}

describe('server-sent events', () => {
  it('gives the same frames for every split and line ending', () => {
    const line = fc
      .string({ unit: 'grapheme', maxLength: 12 })
      .filter((text) => !/[\r\n]/.test(text) && /^[^:\s{[]/.test(text));
    const frame = fc.array(line, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(
        fc.array(frame, { maxLength: 6 }),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
        fc.boolean(),
        (frames, eol, sizes, last) => {
          const text = frames
            .map((lines) => lines.map((entry) => `data: ${entry}${eol}`).join(''))
            .join(eol);
          const bytes = Buffer.from(text + (last ? eol : ''));
          expect(read(bytes, sizes)).toEqual(frames.map((lines) => lines.join('\n')));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('refuses a frame above its limit, also without a line end', () => {
    const reader = createSseReader(100);
    expect(() => reader.push(Buffer.from(`data: ${'x'.repeat(200)}`))).toThrow(FrameTooLargeError);
    const lines = createSseReader(100);
    expect(() => lines.push(Buffer.from('data: xxxxxxxxxxxxxxxx\n'.repeat(20)))).toThrow(
      FrameTooLargeError,
    );
  });

  it('parses 10 MB a second', () => {
    const frame = `data: ${JSON.stringify({ choices: [{ delta: { content: 'some words of text' } }] })}\n\n`;
    const bytes = Buffer.from(frame.repeat(Math.ceil(4_000_000 / frame.length)));
    const started = process.cpuUsage();
    const reader = createSseReader();
    for (let at = 0; at < bytes.length; at += 4096) {
      for (const text of reader.push(bytes.subarray(at, at + 4096))) parseEvent(text);
    }
    const { user, system } = process.cpuUsage(started);
    expect(bytes.length / (user + system)).toBeGreaterThan(10);
  });
});

describe('frames', () => {
  it('keeps what can be read of a broken one', () => {
    expect(readFrame('{"a":1')).toEqual({ events: [], lost: 1, done: false });
    expect(readFrame('{"a": data: {"b":1}')).toEqual({ events: [{ b: 1 }], lost: 1, done: false });
    expect(readFrame('{"a":\n{"b":1}\n[DONE]')).toEqual({
      events: [{ b: 1 }],
      lost: 1,
      done: true,
    });
  });

  it('keeps raw control characters inside strings', () => {
    expect(readFrame('{"a":"x\ty"}').events).toEqual([{ a: 'x\ty' }]);
  });
});
