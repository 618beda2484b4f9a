import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openAuditLog } from '../../session/audit.ts';
import { openEventLog, type RecoveredLog } from '../../session/event-log.ts';
import { acquireLock, type SessionLock } from '../../session/lock.ts';
import { makeFolders } from '../../session/make-folders.ts';
import { createSessionFolders } from '../../session/paths.ts';
import type { AuditLog, EventLog, Redactor, SessionPaths } from '../../session/types.ts';

/** What is held open on disk for a session. */
export interface SessionFiles {
  readonly paths: SessionPaths;
  readonly lock: SessionLock;
  readonly log: EventLog;
  readonly audit: AuditLog;
  readonly recovered: RecoveredLog;
}

/** Makes the folders, takes the lock and opens both logs. Throws ConfigError or SessionLockedError. */
export async function openSessionFiles(
  paths: SessionPaths,
  sessionId: string,
  redactor: Redactor,
): Promise<SessionFiles> {
  const { fixed } = await createSessionFolders(paths);
  const lock = await acquireLock(paths);
  try {
    const options = { paths, sessionId, redactor };
    const [{ log, recovered }, audit] = await Promise.all([
      openEventLog({ ...options, lock }),
      openAuditLog(options),
    ]);
    if (fixed.length > 0)
      log.append({ run_id: null }, 'warning', {
        code: 'permissions_fixed',
        message: `Other users could read ${fixed.join(', ')}; this was corrected.`,
      });
    return { paths, lock, log, audit, recovered };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

export async function closeSessionFiles(files: SessionFiles): Promise<void> {
  await files.log.close();
  await files.audit.close();
  await files.lock.release();
}

/** Keeps a whole result under `tool-output/<callId>.txt`, unless the tool has already put it there. */
export async function storeResult(
  paths: SessionPaths,
  callId: string,
  text: string,
): Promise<void> {
  const file = join(paths.toolOutput, `${callId}.txt`);
  await writeFile(file, text, { flag: 'wx', mode: 0o600 }).catch(() => undefined);
}

/** Keeps the stack of a defect for whoever reports it; returns the sentence for the person. */
export async function keepDefect(paths: SessionPaths, error: unknown): Promise<string> {
  const file = join(paths.state, 'defects.log');
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  await makeFolders(paths.state);
  await writeFile(file, `${new Date().toISOString()} ${stack}\n`, { flag: 'a', mode: 0o600 });
  return `A defect of the program ended the run; please report it with ${file}.`;
}
