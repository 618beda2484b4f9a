import { spawn } from 'node:child_process';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { SessionLockedError } from '../errors.ts';
import type { DurableEvent } from './events.ts';
import { latestSession } from './latest-session.ts';
import { createSessionFolders, sessionPaths, sessionsFolder } from './paths.ts';
import { readEvents } from './read-log.ts';
import { deleteSession, exportSession, listSessions, showSession } from './store.ts';
import { sampleRun } from './testing/sample-events.ts';
import { freshHome, freshPaths, openSession, removeHomes } from './testing/session-fixture.ts';
import type { EventLog, SessionPaths } from './types.ts';

afterAll(removeHomes);

function appendAll(log: EventLog, events: readonly DurableEvent[]): void {
  for (const { v, seq, ts, session_id, run_id, type, ...payload } of events) {
    // Type and payload come from one event, which the compiler cannot see here.
    log.append({ run_id }, type, payload as never);
  }
}

async function storedSession(home: string, id: string): Promise<SessionPaths> {
  const paths = sessionPaths(home, id);
  await createSessionFolders(paths);
  const session = await openSession(paths, { sessionId: id });
  appendAll(session.log, sampleRun().events);
  await session.close();
  return paths;
}

describe('stored sessions', () => {
  it('are listed with task and end, newest first; broken folders are left out', async () => {
    const home = await freshHome();
    await storedSession(home, 'one');
    await storedSession(home, 'two');
    await mkdir(join(sessionsFolder(home), 'empty'));
    const list = await listSessions(home);
    expect(list.map(({ session_id }) => session_id)).toEqual(['two', 'one']);
    expect(list[0]).toMatchObject({
      task: 'Fix it',
      agent_type: 'coding',
      stop_reason: 'completed',
      events: 15,
    });
    expect(await listSessions(await freshHome())).toEqual([]);
  });

  it('are shown as the state of their log', async () => {
    const home = await freshHome();
    const paths = await storedSession(home, 'one');
    const shown = await showSession(paths);
    expect(shown).toMatchObject({ session_id: 'one', damage: [], holder: null });
    expect(shown.state.tasks).toMatchObject([{ task: 'Fix it', success: true }]);
    await expect(showSession(sessionPaths(home, 'none'))).rejects.toThrow(/no session none/);
  });

  it('know which was used last, with the pointer and without it', async () => {
    const home = await freshHome();
    expect(await latestSession(home)).toBeNull();
    await storedSession(home, 'ses_01A');
    await storedSession(home, 'ses_01B');
    await storedSession(home, 'ses_01A');
    expect(await latestSession(home)).toBe('ses_01A');
    await rm(join(home, 'users', 'local', 'last-session'));
    expect(await latestSession(home)).toBe('ses_01B');
    await writeFile(join(home, 'users', 'local', 'last-session'), '../../etc');
    expect(await latestSession(home)).toBe('ses_01B');
  });

  it('are deleted, but not while somebody works on them', async () => {
    const home = await freshHome();
    const paths = await storedSession(home, 'one');
    const session = await openSession(paths);
    await expect(deleteSession(paths)).rejects.toThrow(SessionLockedError);
    expect(await showSession(paths)).toMatchObject({ holder: { pid: process.pid } });
    await session.close();
    await deleteSession(paths);
    await expect(stat(paths.root)).rejects.toThrow('ENOENT');
    expect(await listSessions(home)).toEqual([]);
  });
});

describe('exports', () => {
  it('as JSON give every event, also of a damaged log', async () => {
    const paths = await storedSession(await freshHome(), 'one');
    const { events } = await readEvents(paths.events);
    const whole = JSON.parse(await exportSession(paths, 'json'));
    expect(whole).toEqual({ session_id: 'one', damage: [], events });
    const bytes = await readFile(paths.events);
    bytes[40] = 0;
    await writeFile(paths.events, bytes);
    const damaged = JSON.parse(await exportSession(paths, 'json'));
    expect(damaged.events).toHaveLength(events.length - 1);
    expect(damaged.damage).toEqual([{ line: 1, reason: 'bad_line' }]);
  });

  it('as Markdown read in order, and no text breaks out of its block or reaches the terminal', async () => {
    const paths = await freshPaths();
    const session = await openSession(paths);
    const script = sampleRun();
    appendAll(session.log, script.events.slice(0, 8));
    session.log.append({ run_id: 'run_1' }, 'tool_finished', {
      call_id: 'c9',
      name: 'bash\u001b]0;x\u0007',
      success: true,
      result: '```\n# Not a heading\n\u001b[31mred',
      error: null,
      id: null,
      error_kind: null,
      metadata: {},
      duration_ms: 1,
      spill: null,
      files_changed: [],
    });
    await session.close();
    const text = await exportSession(paths, 'md');
    expect(text).toContain('# Session test\n\n## Task');
    expect(text).toContain('````\n```\n# Not a heading\nred\n````');
    expect(text).not.toContain('\u001b');
    expect(text.indexOf('Looking.')).toBeLessThan(text.indexOf('exit code 1'));
  });

  it('can be limited to one run, and name an unknown one', async () => {
    const paths = await storedSession(await freshHome(), 'one');
    const one = JSON.parse(await exportSession(paths, 'json', 'run_1'));
    expect(one.events[0].type).toBe('run_started');
    await expect(exportSession(paths, 'md', 'run_x')).rejects.toThrow(/no run run_x/);
  });

  it('hide key-shaped text', async () => {
    const paths = await freshPaths();
    const session = await openSession(paths);
    const key = `ghp_${'a1B2'.repeat(9)}`;
    session.log.append({ run_id: null }, 'warning', { code: 'x', message: key });
    await session.close();
    expect(await exportSession(paths, 'json')).not.toContain(key);
    expect(await exportSession(paths, 'md')).not.toContain(key);
  });
});

describe('many processes', () => {
  const WRITER = `
    import { acquireLock } from ${JSON.stringify(join(import.meta.dirname, 'lock.ts'))};
    import { openEventLog } from ${JSON.stringify(join(import.meta.dirname, 'event-log.ts'))};
    import { createRedactor } from ${JSON.stringify(join(import.meta.dirname, 'redact.ts'))};
    const [paths, name] = [JSON.parse(process.argv[1]), process.argv[2]];
    for (let n = 0; n < 1000; ) {
      const lock = await acquireLock(paths).catch(() => null);
      if (lock === null) { await new Promise((r) => setTimeout(r, 1 + Math.random() * 5)); continue; }
      const { log } = await openEventLog({ paths, sessionId: 'test', redactor: createRedactor(), lock });
      for (let turn = 0; turn < 100; turn += 1, n += 1) {
        log.append({ run_id: null }, 'warning', { code: name, message: String(n) });
      }
      await log.close();
      await lock.release();
    }`;

  function writer(paths: SessionPaths, name: string): Promise<string> {
    const args = ['--input-type=module', '-e', WRITER, JSON.stringify(paths), name];
    const child = spawn(process.execPath, args);
    let errors = '';
    child.stderr.on('data', (chunk) => {
      errors += chunk;
    });
    return new Promise((resolve) => child.once('close', () => resolve(errors)));
  }

  it('two that take turns write 1,000 events each into one unbroken log', async () => {
    const paths = await freshPaths();
    expect(await Promise.all([writer(paths, 'a'), writer(paths, 'b')])).toEqual(['', '']);
    const { events, damage } = await readEvents(paths.events);
    expect(damage).toEqual([]);
    expect(events).toHaveLength(2000);
    for (const name of ['a', 'b']) {
      const own = events.flatMap((event) =>
        event.type === 'warning' && event.code === name ? [Number(event.message)] : [],
      );
      expect(own).toEqual(Array.from({ length: 1000 }, (_, index) => index));
    }
  });
});
