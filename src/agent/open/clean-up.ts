import { join } from 'node:path';
import { reapOrphans } from '../../environment/reap-orphans.ts';
import type { EventLog } from '../../session/types.ts';
import { cleanTempFiles } from '../../workspace/workspace-fs.ts';

/** By then the first request is on its way, or nobody waits for it. */
const LATER_MS = 250;
const MOST_NAMED = 5;

/** Notes of temporary files, of all sessions of this user, so that any start finds what a killed one left. */
export function pendingWritesFolder(home: string): string {
  return join(home, 'run', 'pending-writes');
}

/** The clean-up of what killed processes of this program left: their children and half-written files. */
export interface CleanUp {
  /** Resolves when it is done, beginning it when it has not begun. Never rejects. */
  finish(): Promise<void>;
}

/** Begins soon, off the way to the first request. What was found is a `warning`. */
export function cleanUpLater(home: string, log: EventLog): CleanUp {
  let begun: Promise<void> | null = null;
  const begin = () => {
    begun ??= cleanUp(home, log);
    return begun;
  };
  const timer = setTimeout(begin, LATER_MS).unref();
  return {
    finish: () => {
      clearTimeout(timer);
      return begin();
    },
  };
}

async function cleanUp(home: string, log: EventLog): Promise<void> {
  const warn = (code: string, message: string) =>
    log.append({ run_id: null }, 'warning', { code, message });
  try {
    const ended = await reapOrphans(home);
    const removed = cleanTempFiles(pendingWritesFolder(home));
    if (ended > 0)
      warn('orphans_ended', `Ended ${ended} processes that a killed run had left behind.`);
    if (removed.length > 0)
      warn('temp_files_removed', `Removed half-written files of a killed run: ${named(removed)}.`);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    warn('cleanup_failed', `Cleaning up after a killed run failed: ${message}.`);
  }
}

function named(paths: readonly string[]): string {
  const more = paths.length > MOST_NAMED ? ` and ${paths.length - MOST_NAMED} more` : '';
  return `${paths.slice(0, MOST_NAMED).join(', ')}${more}`;
}
