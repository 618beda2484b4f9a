/** A session in a fresh temporary home, for tests. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventLogOptions, openEventLog, type RecoveredLog } from '../event-log.ts';
import { acquireLock, type SessionLock } from '../lock.ts';
import { createSessionFolders, sessionPaths } from '../paths.ts';
import { createRedactor } from '../redact.ts';
import type { EventLog, SessionPaths } from '../types.ts';

const homes: string[] = [];

export async function freshHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'toolwright-test-'));
  homes.push(home);
  return home;
}

/** To be called after all tests of a file. */
export async function removeHomes(): Promise<void> {
  await Promise.all(homes.splice(0).map((home) => rm(home, { recursive: true, force: true })));
}

export async function freshPaths(sessionId = 'test'): Promise<SessionPaths> {
  const paths = sessionPaths(await freshHome(), sessionId);
  await createSessionFolders(paths);
  return paths;
}

export interface OpenSession {
  readonly paths: SessionPaths;
  readonly lock: SessionLock;
  readonly log: EventLog;
  readonly recovered: RecoveredLog;
  close(): Promise<void>;
}

/** Locks the session and opens its log. */
export async function openSession(
  paths: SessionPaths,
  options: Partial<EventLogOptions> = {},
): Promise<OpenSession> {
  const lock = await acquireLock(paths);
  const { log, recovered } = await openEventLog({
    paths,
    sessionId: 'test',
    redactor: createRedactor(),
    lock,
    ...options,
  });
  return {
    paths,
    lock,
    log,
    recovered,
    async close() {
      await log.close();
      await lock.release();
    },
  };
}

export async function linesOf(paths: SessionPaths): Promise<string[]> {
  return (await readFile(paths.events, 'utf8')).split('\n').filter((line) => line !== '');
}
