import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeLine } from './event-line.ts';
import type { DurableEvent } from './events.ts';
import { readEvents } from './read-log.ts';
import { freshPaths, linesOf, openSession, removeHomes } from './testing/session-fixture.ts';
import type { SessionPaths } from './types.ts';

afterAll(removeHomes);

const WARNINGS = [
  'plain',
  'line\u2028separator \u2029 and é 日本 😀',
  'quote " back \\ nul \0',
  'last',
];

async function writtenSession(): Promise<{ paths: SessionPaths; bytes: Buffer }> {
  const paths = await freshPaths();
  const session = await openSession(paths);
  for (const message of WARNINGS) {
    session.log.append({ run_id: null }, 'warning', { code: 'x', message });
  }
  await session.close();
  return { paths, bytes: await readFile(paths.events) };
}

function messages(events: readonly DurableEvent[]): string[] {
  return events.map((event) => (event.type === 'warning' ? event.message : event.type));
}

describe('the line format', () => {
  it('is plain JSON with epoch and, last, the length and CRC of the bytes before it', async () => {
    const { paths } = await writtenSession();
    for (const line of await linesOf(paths)) {
      const keys = Object.keys(JSON.parse(line));
      expect(keys.slice(0, 6)).toEqual(['v', 'seq', 'ts', 'session_id', 'run_id', 'type']);
      expect(keys.slice(-2)).toEqual(['epoch', '_k']);
      const body = line.slice(0, line.lastIndexOf(',"_k":"'));
      expect(encodeLine(`${body.slice(0, body.lastIndexOf(',"epoch"'))}}`, 1)).toBe(`${line}\n`);
      expect(JSON.parse(line)._k).toMatch(new RegExp(`^${Buffer.byteLength(body)}:[0-9a-f]{8}$`));
    }
  });

  it('gives back any JSON event', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(), (value, epoch) => {
        const line = encodeLine(JSON.stringify({ v: 1, value }), epoch);
        expect(line.indexOf('\n')).toBe(line.length - 1);
        expect(JSON.parse(line).value).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

describe('a damaged log', () => {
  let whole: Buffer;
  let paths: SessionPaths;
  beforeAll(async () => {
    ({ paths, bytes: whole } = await writtenSession());
  });

  const starts = () => {
    const positions = [0];
    for (let at = whole.indexOf(10); at >= 0; at = whole.indexOf(10, at + 1))
      positions.push(at + 1);
    return positions;
  };

  it('cut at each byte of the last 3 lines gives exactly the whole lines (R03)', async () => {
    const lineStarts = starts();
    for (let cut = lineStarts[1] ?? 0; cut < whole.length; cut += 1) {
      await writeFile(paths.events, whole.subarray(0, cut));
      const read = await readEvents(paths.events);
      const wholeLines = lineStarts.filter((start) => start > 0 && start <= cut).length;
      expect(messages(read.events)).toEqual(WARNINGS.slice(0, wholeLines));
      expect(read.readOnly).toBeNull();
      expect(read.goodBytes + read.tailBytes).toBe(cut);
      expect(read.tailBytes).toBe(cut - (lineStarts[wholeLines] ?? 0));
    }
  });

  it('with any byte of a middle line flipped is read-only and keeps the other lines', async () => {
    const [, second = 0, third = 0] = starts();
    for (let at = second; at < third; at += 1) {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ 0x04;
      await writeFile(paths.events, bytes);
      const read = await readEvents(paths.events);
      expect(read.readOnly?.line).toBe(2);
      expect(messages(read.events).at(-1)).toBe('last');
    }
  });

  it('with a block of NUL bytes at the end is cut; in the middle it is read-only', async () => {
    await writeFile(paths.events, Buffer.concat([whole, Buffer.alloc(4096)]));
    expect(await readEvents(paths.events)).toMatchObject({ readOnly: null, tailBytes: 4096 });
    const [, , third = 0] = starts();
    const middle = [whole.subarray(0, third), Buffer.alloc(512), whole.subarray(third)];
    await writeFile(paths.events, Buffer.concat(middle));
    expect((await readEvents(paths.events)).readOnly).toEqual({ line: 3 });
  });

  it('with a line removed, repeated or swapped is read-only', async () => {
    const lines = whole.toString().trimEnd().split('\n');
    const [a, b, c, d] = lines;
    for (const edited of [
      [a, c, d],
      [a, b, b, c, d],
      [a, c, b, d],
    ]) {
      await writeFile(paths.events, `${edited.join('\n')}\n`);
      expect((await readEvents(paths.events)).readOnly).not.toBeNull();
    }
  });

  it('never throws and never invents an event, for random damage', async () => {
    const good = new Set((await readEventsOf(whole)).map((event) => JSON.stringify(event)));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 5 }),
        fc.nat(whole.length),
        async (changes, cut) => {
          const bytes = Buffer.from(whole.subarray(0, cut));
          for (const [at, value] of changes) if (at < cut) bytes[at] = value;
          for (const event of await readEventsOf(bytes)) {
            expect(good.has(JSON.stringify(event))).toBe(true);
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  async function readEventsOf(bytes: Buffer): Promise<DurableEvent[]> {
    await writeFile(paths.events, bytes);
    return (await readEvents(paths.events)).events;
  }
});

describe('opening a damaged log', () => {
  it('keeps the torn bytes in a file, warns once, and goes on', async () => {
    const { paths, bytes } = await writtenSession();
    const torn = bytes.subarray(0, bytes.length - 7);
    await writeFile(paths.events, torn);
    const session = await openSession(paths);
    expect(session.recovered.tornBytes).toBeGreaterThan(0);
    expect(session.recovered.events).toHaveLength(3);
    session.log.append({ run_id: null }, 'warning', { code: 'x', message: 'after' });
    await session.close();
    const kept = (await readdir(paths.state)).filter((name) => name.startsWith('events.torn-'));
    expect(kept).toHaveLength(1);
    const keptBytes = await readFile(join(paths.state, kept[0] ?? ''));
    expect(keptBytes.equals(torn.subarray(torn.length - keptBytes.length))).toBe(true);
    const read = await readEvents(paths.events);
    expect(read.damage).toEqual([]);
    expect(read.events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    expect(read.events[3]).toMatchObject({ type: 'warning', code: 'log_tail_cut' });
  });

  it('refuses to append after damage in the middle, and changes no byte', async () => {
    const { paths, bytes } = await writtenSession();
    bytes[30] = 0;
    await writeFile(paths.events, bytes);
    const session = await openSession(paths);
    expect(session.recovered.readOnly).toEqual({ line: 1 });
    const receipt = session.log.append({ run_id: null }, 'warning', { code: 'x', message: 'no' });
    await expect(receipt.written).rejects.toThrow(/line 1 of .* can only be read/);
    await expect(session.log.flush()).rejects.toThrow(/line 1/);
    expect(await session.log.events()).toHaveLength(3);
    await session.close();
    expect((await readFile(paths.events)).equals(bytes)).toBe(true);
  });

  it('refuses a newer format politely', async () => {
    const paths = await freshPaths();
    await writeFile(paths.events, encodeLine('{"v":2,"seq":1}', 1));
    await expect(openSession(paths)).rejects.toThrow(/newer toolwright/);
  });

  it('reads unknown types and fields and goes on', async () => {
    const paths = await freshPaths();
    await writeFile(
      paths.events,
      encodeLine('{"v":1,"seq":1,"type":"from_the_future","x":[1]}', 1),
    );
    const session = await openSession(paths);
    expect(session.recovered.events[0]).toMatchObject({ type: 'from_the_future', x: [1] });
    await session.close();
  });

  it('reports and ignores what a replaced holder wrote', async () => {
    const paths = await freshPaths();
    const line = (seq: number, message: string, epoch: number) =>
      encodeLine(JSON.stringify({ v: 1, seq, type: 'warning', code: 'x', message }), epoch);
    await writeFile(
      paths.events,
      line(1, 'a', 1) +
        line(2, 'stale', 1) +
        line(2, 'b', 2) +
        line(3, 'late', 1) +
        line(3, 'c', 2),
    );
    const read = await readEvents(paths.events);
    expect(messages(read.events)).toEqual(['a', 'b', 'c']);
    expect(read.damage.map(({ reason }) => reason)).toEqual(['stale_epoch', 'stale_epoch']);
    expect(read.readOnly).toBeNull();
  });

  it('reads a log of 100 MB', async () => {
    const paths = await freshPaths();
    const text = 'x'.repeat(60_000);
    const lines = Array.from({ length: 1750 }, (_, index) =>
      encodeLine(JSON.stringify({ v: 1, seq: index + 1, type: 'warning', message: text }), 1),
    );
    await writeFile(paths.events, lines.join(''));
    expect((await readEvents(paths.events)).events).toHaveLength(1750);
  });
});
