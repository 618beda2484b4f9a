import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fakeSession } from '../testing/fake-session.ts';
import { createSpill } from './spill.ts';

const KIB = 1024;
const CAP = KIB * KIB;
const HEAD = CAP - 64 * KIB;
const SECRET = 'sk-canary-0123456789abcdef';
const SHOWN = '[redacted:KEY]';

async function spilled(bytes: Uint8Array, piece: number): Promise<string> {
  const fake = fakeSession({ limits: { spillMib: 1 } });
  fake.session.redactor.add('KEY', SECRET);
  const spill = createSpill(fake.session, 'call_1');
  for (let at = 0; at < bytes.length; at += piece) spill.write(bytes.subarray(at, at + piece));
  expect(spill.totalBytes).toBe(bytes.length);
  expect(await spill.finish()).toBe('tool-output/call_1.txt');
  return readFileSync(join(fake.session.paths.toolOutput, 'call_1.txt'), 'utf8');
}

/** Text of a size in bytes, with something at given places; every line tells where it is. */
function text(bytes: number, places: readonly (readonly [number, string])[] = []): Buffer {
  const lines: string[] = [];
  for (let at = 0; at < bytes; at += 32) lines.push(`${String(at).padStart(28, '.')} 中`);
  const whole = Buffer.from(lines.join('')).subarray(0, bytes);
  for (const [at, inserted] of places) whole.write(inserted, at);
  return whole;
}

const PIECES = [7, 4096, 65_536, 1_000_003];

describe('the whole output of a call', () => {
  it.each(PIECES)('below the cap it is exact, but for secrets (pieces of %i)', async (piece) => {
    const bytes = text(CAP - 32, [
      [100, SECRET],
      [HEAD - 10, SECRET],
      [HEAD + 100, SECRET],
    ]);
    expect(await spilled(bytes, piece)).toBe(bytes.toString().replaceAll(SECRET, SHOWN));
  });

  it.each(PIECES)(
    'above it head and tail stay, and the count between (pieces of %i)',
    async (piece) => {
      const size = 3 * CAP;
      const bytes = text(size);
      const kept = await spilled(bytes, piece);
      const found = /^(.*)\n\[\.\.\. ([\d,]+) bytes omitted \.\.\.\]\n(.*)$/s.exec(kept);
      const [, head = '', count = '', tail = ''] = found ?? [];
      expect(bytes.toString().startsWith(head)).toBe(true);
      expect(bytes.toString().endsWith(tail.replace(/^\ufffd+/, ''))).toBe(true);
      expect(HEAD - Buffer.byteLength(head)).toBeLessThan(4);
      expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(64 * KIB + 6);
      const shown = Buffer.byteLength(head) + Buffer.byteLength(tail);
      expect(Math.abs(Number(count.replaceAll(',', '')) + shown - size)).toBeLessThan(10);
    },
  );

  it('shows no part of a secret at any cut', async () => {
    for (let shift = 1; shift < SECRET.length; shift += 4) {
      const size = 2 * CAP;
      const bytes = text(size, [
        [HEAD - shift, SECRET],
        [size - 64 * KIB - shift, SECRET],
        [size - SECRET.length, SECRET],
      ]);
      const kept = await spilled(bytes, 65_536);
      const part = SECRET.slice(-8);
      expect(kept).not.toContain(part);
      expect(kept).not.toContain(SECRET.slice(0, 8));
      expect(kept.endsWith(SHOWN)).toBe(true);
    }
  });

  it('makes no file for no output', async () => {
    const fake = fakeSession();
    expect(await createSpill(fake.session, 'call_2').finish()).toBeNull();
    expect(existsSync(join(fake.session.paths.toolOutput, 'call_2.txt'))).toBe(false);
  });
});
