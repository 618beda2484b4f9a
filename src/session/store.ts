/**
 * Stored sessions: list, show, export, delete. Nothing here runs at the start of a task.
 */
import { randomBytes } from 'node:crypto';
import { rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ConfigError } from '../errors.ts';
import type { DurableEvent } from './events.ts';
import { exportMarkdown } from './export-markdown.ts';
import { foldSession } from './fold.ts';
import { sessionNames } from './latest-session.ts';
import { acquireLock, lockHolder } from './lock.ts';
import { type LogDamage, readEvents } from './read-log.ts';
import { createRedactor } from './redact.ts';
import type { SessionState } from './session-state.ts';
import { type SessionSummary, summariseSession } from './session-summary.ts';
import { renderTrajectory, trajectoryOf } from './trajectory.ts';
import type { SessionPaths } from './types.ts';

export type ExportFormat = 'md' | 'json' | 'trajectory';

/** Newest first by last event; a folder without a readable log is left out. */
export async function listSessions(home: string, user = 'local'): Promise<SessionSummary[]> {
  const summaries: SessionSummary[] = [];
  for (const name of await sessionNames(home, user)) {
    const summary = await summariseSession(home, name, user).catch(() => null);
    if (summary !== null) summaries.push(summary);
  }
  return summaries.sort((a, b) => (b.last_at ?? '').localeCompare(a.last_at ?? ''));
}

async function requireSession(paths: SessionPaths): Promise<void> {
  const found = await stat(paths.events).catch(() => null);
  if (found !== null) return;
  throw new ConfigError(
    `there is no session ${basename(paths.root)} in ${dirname(paths.root)}: "sessions list" shows the names`,
    { session: basename(paths.root) },
  );
}

export interface ShownSession {
  readonly session_id: string;
  readonly state: SessionState;
  readonly damage: readonly LogDamage[];
  /** The process that works on it now. */
  readonly holder: { readonly pid: number; readonly host: string } | null;
}

export async function showSession(paths: SessionPaths): Promise<ShownSession> {
  await requireSession(paths);
  const { events, damage } = await readEvents(paths.events);
  return {
    session_id: basename(paths.root),
    state: foldSession(events),
    damage,
    holder: await lockHolder(paths),
  };
}

function ofTask(events: readonly DurableEvent[], runId: string | undefined): DurableEvent[] {
  if (runId === undefined) return [...events];
  const wanted = events.filter((event) => event.run_id === runId || event.parent_run_id === runId);
  if (wanted.length > 0) return wanted;
  throw new ConfigError(`this session has no run ${runId}: "sessions show" lists its runs`, {
    run: runId,
  });
}

/**
 * The text of an export, key-shaped text hidden. All good lines of a damaged log are in it. `runId` limits it to one
 * run; for `trajectory` it names a run of the wanted task (default the last one).
 */
export async function exportSession(
  paths: SessionPaths,
  format: ExportFormat,
  runId?: string,
): Promise<string> {
  await requireSession(paths);
  const { events, damage } = await readEvents(paths.events);
  const wanted = ofTask(events, runId);
  if (format === 'trajectory') {
    const trajectory = trajectoryOf(events, runId);
    if (trajectory === null) throw new ConfigError('this session has no task yet: run one first');
    return renderTrajectory(trajectory);
  }
  const sessionId = basename(paths.root);
  const shown = createRedactor().value(wanted, 'strict');
  if (format === 'md') return exportMarkdown(sessionId, shown);
  return `${JSON.stringify({ session_id: sessionId, damage, events: shown }, null, 2)}\n`;
}

/** Removes a session for good. Throws SessionLockedError when a live process works on it. */
export async function deleteSession(paths: SessionPaths): Promise<void> {
  await requireSession(paths);
  await acquireLock(paths);
  const doomed = join(dirname(paths.root), `.deleted-${randomBytes(8).toString('hex')}`);
  await rename(paths.root, doomed);
  await rm(doomed, { recursive: true, force: true });
}
