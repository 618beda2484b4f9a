import { spawn } from 'node:child_process';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { type LogFileSystem, nodeLogFileSystem } from './group-commit.ts';
import { readEvents } from './read-log.ts';
import { freshPaths, openSession, removeHomes } from './testing/session-fixture.ts';
import type { EventLog } from './types.ts';

afterAll(removeHomes);

function warn(log: EventLog, message: string) {
  return log.append({ run_id: null }, 'warning', { code: 'test', message });
}

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: injected`), { code });
}

/** Fails one operation from its `from`-th call on. */
function failing(operation: keyof LogFileSystem, code: string, from: number): LogFileSystem {
  let calls = 0;
  const check = (name: keyof LogFileSystem): void => {
    if (name !== operation) return;
    calls += 1;
    if (calls >= from) throw systemError(code);
  };
  return {
    async write(fd, bytes) {
      check('write');
      return nodeLogFileSystem.write(fd, bytes);
    },
    async datasync(fd) {
      check('datasync');
      return nodeLogFileSystem.datasync(fd);
    },
  };
}

describe('write and sync errors (R04)', () => {
  it.each([
    ['datasync', 'EIO'],
    ['write', 'EIO'],
    ['write', 'EROFS'],
    ['datasync', 'ENOSPC'],
  ] as const)(
    '%s %s: nothing is acknowledged any more, and it is never tried again',
    async (operation, code) => {
      let calls = 0;
      const fs = failing(operation, code, 2);
      const session = await openSession(await freshPaths(), {
        fs: {
          write: fs.write,
          datasync(fd) {
            calls += 1;
            return fs.datasync(fd);
          },
        },
      });
      await warn(session.log, 'first').acknowledged;
      const second = warn(session.log, 'second');
      await expect(second.acknowledged).rejects.toThrow(code);
      expect(session.log.failed).not.toBeNull();
      const callsAtFailure = calls;
      await expect(warn(session.log, 'third').written).rejects.toThrow(code);
      await expect(session.log.flush()).rejects.toThrow(code);
      expect(calls).toBe(callsAtFailure);
      await session.close();
      const reopened = await openSession(session.paths);
      expect(reopened.recovered.events[0]).toMatchObject({ message: 'first' });
      await reopened.close();
    },
  );

  it('writes that take only a part are continued', async () => {
    const session = await openSession(await freshPaths(), {
      fs: {
        write: (fd, bytes) => nodeLogFileSystem.write(fd, bytes.subarray(0, 5)),
        datasync: nodeLogFileSystem.datasync,
      },
    });
    await warn(session.log, 'in pieces').acknowledged;
    await session.close();
    expect((await readEvents(session.paths.events)).events[0]).toMatchObject({
      message: 'in pieces',
    });
  });
});

describe('a full disk (R06)', () => {
  it('uses the reserve to write the end, says so, and goes on when there is space', async () => {
    const paths = await freshPaths();
    let full = false;
    const reserve = join(paths.state, 'reserve');
    const session = await openSession(paths, {
      fs: {
        async write(fd, bytes) {
          const reserved = await stat(reserve).catch(() => null);
          if (full && reserved !== null) {
            await nodeLogFileSystem.write(fd, bytes.subarray(0, 10));
            throw systemError('ENOSPC');
          }
          return nodeLogFileSystem.write(fd, bytes);
        },
        datasync: nodeLogFileSystem.datasync,
      },
    });
    await expect
      .poll(() =>
        stat(reserve).then(
          ({ size }) => size,
          () => 0,
        ),
      )
      .toBe(1024 * 1024);
    full = true;
    await warn(session.log, 'the end').acknowledged;
    expect(session.log.diskFull).toBe(true);
    await session.log.flush();
    const { events, damage } = await readEvents(paths.events);
    expect(damage).toEqual([]);
    expect(events).toMatchObject([{ message: 'the end' }, { code: 'disk_full' }]);
    await session.close();
    const again = await openSession(paths);
    await warn(again.log, 'more').acknowledged;
    await again.close();
    expect((await stat(reserve)).size).toBe(1024 * 1024);
  });
});

describe('no rights (R07)', () => {
  it.skipIf(process.getuid?.() === 0)(
    'a folder that cannot be written is refused with the reason (skipped as root)',
    async () => {
      const paths = await freshPaths();
      await chmod(paths.state, 0o500);
      await expect(openSession(paths)).rejects.toThrow(/cannot be locked for writing: EACCES/);
      await chmod(paths.state, 0o700);
    },
  );
});

describe('a replaced holder', () => {
  it('that wakes writes nothing', async () => {
    const paths = await freshPaths();
    const old = await openSession(paths);
    await warn(old.log, 'mine').acknowledged;
    const record = JSON.parse(await readFile(join(paths.state, 'lock.1'), 'utf8'));
    await writeFile(join(paths.state, 'lock.1'), JSON.stringify({ ...record, start_time: '1' }));
    const taker = await openSession(paths);
    await warn(taker.log, 'taken over').acknowledged;
    await expect(warn(old.log, 'too late').acknowledged).rejects.toThrow(/taken over this session/);
    await taker.close();
    await old.close();
    const { events } = await readEvents(paths.events);
    expect(events).toMatchObject([{ message: 'mine' }, { message: 'taken over' }]);
  });
});

describe('power loss (R02)', () => {
  it('every state the disk may be in between two syncs opens with the acknowledged prefix', async () => {
    const paths = await freshPaths();
    const trace: ({ write: Buffer } | { synced: number })[] = [];
    let written = 0;
    const session = await openSession(paths, {
      fs: {
        async write(fd, bytes) {
          trace.push({ write: Buffer.from(bytes) });
          return nodeLogFileSystem.write(fd, bytes);
        },
        async datasync(fd) {
          const covered = written;
          await nodeLogFileSystem.datasync(fd);
          trace.push({ synced: covered });
        },
      },
    });
    for (let index = 0; index < 200; index += 1) {
      const receipt = warn(session.log, `${index} ${'x'.repeat(index)}`);
      void receipt.written.then(() => {
        written = index + 1;
      });
      if (index % 3 === 0) await receipt.written;
      if (index % 7 === 0) await receipt.acknowledged;
    }
    await session.close();
    const target = await freshPaths();
    await fc.assert(
      fc.asyncProperty(
        fc.nat(trace.length),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (length, part) => {
          const steps = trace.slice(0, length);
          const writes = steps.flatMap((step) => ('write' in step ? [step.write] : []));
          const acknowledged = Math.max(
            0,
            ...steps.map((step) => ('synced' in step ? step.synced : 0)),
          );
          const all = Buffer.concat(writes);
          // The last sector may hold anything: here a part of what was written, then NUL bytes.
          const keep = acknowledgedBytes(all, acknowledged);
          const torn = keep + Math.floor((all.length - keep) * part);
          const disk = Buffer.concat([all.subarray(0, torn), Buffer.alloc(torn % 512)]);
          await writeFile(target.events, disk);
          const { events, readOnly } = await readEvents(target.events);
          expect(readOnly).toBeNull();
          expect(events.length).toBeGreaterThanOrEqual(acknowledged);
          expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
        },
      ),
      { numRuns: 100 },
    );
  });

  function acknowledgedBytes(all: Buffer, lines: number): number {
    let position = 0;
    for (let count = 0; count < lines; count += 1) position = all.indexOf(10, position) + 1;
    return position;
  }
});

describe('kill -9 (R01)', () => {
  const WRITER = `
    import { acquireLock } from ${JSON.stringify(join(import.meta.dirname, 'lock.ts'))};
    import { openEventLog } from ${JSON.stringify(join(import.meta.dirname, 'event-log.ts'))};
    import { createRedactor } from ${JSON.stringify(join(import.meta.dirname, 'redact.ts'))};
    import { writeSync } from 'node:fs';
    const paths = JSON.parse(process.argv[1]);
    const lock = await acquireLock(paths);
    const { log } = await openEventLog({ paths, sessionId: 'test', redactor: createRedactor(), lock });
    for (let n = 0; ; n += 1) {
      const receipt = log.append({ run_id: null }, 'warning', { code: 'c', message: 'n'.repeat(n % 300) });
      receipt.acknowledged.then(() => writeSync(1, receipt.seq + '\\n'));
      if (n % 5 === 0) await receipt.written;
      if (n % 25 === 0) await new Promise((resolve) => setImmediate(resolve));
    }`;

  async function killedAfter(paths: object, milliseconds: number): Promise<number[]> {
    const child = spawn(process.execPath, [
      '--input-type=module',
      '-e',
      WRITER,
      JSON.stringify(paths),
    ]);
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    let errors = '';
    child.stderr.on('data', (chunk) => {
      errors += chunk;
    });
    await expect.poll(() => output.length + errors.length, { timeout: 10_000 }).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('close', resolve));
    expect(errors).toBe('');
    return output.split('\n').slice(0, -1).map(Number);
  }

  it('at random moments loses nothing acknowledged and doubles nothing', async () => {
    const paths = await freshPaths();
    let before = 0;
    for (const milliseconds of [0, 13, 40, 90]) {
      const acknowledged = await killedAfter(paths, milliseconds);
      const session = await openSession(paths);
      const { events } = session.recovered;
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      expect(events.length).toBeGreaterThanOrEqual(acknowledged.at(-1) ?? 0);
      expect(acknowledged[0]).toBeGreaterThan(before);
      await session.close();
      before = (await readEvents(paths.events)).lastSeq;
    }
  });
});
