import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SpillWriter } from '../types.ts';
import { OutputCapture } from './output-capture.ts';

function makeCapture() {
  const spilled: Buffer[] = [];
  let opened = 0;
  const spill: SpillWriter = {
    totalBytes: 0,
    write: (bytes) => void spilled.push(Buffer.from(bytes)),
    finish: () => Promise.resolve('tool-output/x.txt'),
  };
  const capture = new OutputCapture(() => {
    opened++;
    return spill;
  });
  return { capture, spilled: () => Buffer.concat(spilled), opened: () => opened };
}

/** Pushes in pieces through one buffer that is reused, as the pipes do. */
function pushAll(capture: OutputCapture, bytes: Buffer, sizes: readonly number[]): void {
  const shared = Buffer.alloc(Math.max(...sizes));
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    const piece = bytes.subarray(at, at + size);
    shared.set(piece);
    capture.push('stdout', shared.subarray(0, piece.length));
    at += piece.length;
  }
}

describe('OutputCapture', () => {
  it('keeps short output whole, without a spill', () => {
    const { capture, opened } = makeCapture();
    capture.push('stdout', Buffer.from('a\n'));
    capture.push('stderr', Buffer.from('b'));
    expect(capture.sections()).toEqual({ text: '[stdout]\na\n[stderr]\nb', missingChars: 0 });
    expect(opened()).toBe(0);
  });

  it('keeps characters that arrive in pieces whole', () => {
    const { capture } = makeCapture();
    pushAll(capture, Buffer.from('中文🙂é'), [1]);
    expect(capture.sections().text).toBe('[stdout]\n中文🙂é');
  });

  it('counts exactly what it leaves out, and spills everything', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 50_000, max: 200_000 }),
        fc.constantFrom('x', 'é', '中', '🙂', 'x中🙂'),
        fc.array(fc.integer({ min: 1, max: 65_536 }), { minLength: 1, maxLength: 5 }),
        (count, unit, sizes) => {
          const text = unit.repeat(count);
          const bytes = Buffer.from(text);
          const { capture, spilled } = makeCapture();
          pushAll(
            capture,
            bytes,
            sizes.map((size) => Math.max(size, 500)),
          );
          const { text: shown, missingChars } = capture.sections();
          const body = shown.replace('[stdout]\n', '').replace('\n[...]\n', '');
          expect(body).not.toContain('\ufffd');
          expect([...body].length + missingChars).toBe([...text].length);
          if (bytes.length > 65_536) expect(spilled().equals(bytes)).toBe(true);
          expect(capture.stdoutBytes).toBe(bytes.length);
        },
      ),
      { numRuns: 25 },
    );
  });
});
