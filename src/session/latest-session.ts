/**
 * Which session was used last: a small pointer file, so that finding it does not depend on how many sessions exist.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { writeFileAtomic } from './fs-atomic.ts';
import { errorCode } from './fs-error.ts';
import { sessionPaths, sessionsFolder, validSessionId } from './paths.ts';
import type { SessionPaths } from './types.ts';

function pointerFile(sessionsOfUser: string): string {
  return join(dirname(sessionsOfUser), 'last-session');
}

/** Remembers this session as the last one used. Not synced: a lost pointer only costs a look at the folder names. */
export async function rememberSession(paths: SessionPaths): Promise<void> {
  const file = pointerFile(dirname(paths.root));
  await writeFileAtomic(file, `${basename(paths.root)}\n`, { mode: 0o600, sync: false });
}

async function exists(home: string, id: string, user: string): Promise<boolean> {
  if (!validSessionId(id)) return false;
  const { events } = sessionPaths(home, id, user);
  return stat(events).then(
    () => true,
    () => false,
  );
}

/** Names of the session folders, nothing else looked at; newest made ids last. */
export async function sessionNames(home: string, user = 'local'): Promise<string[]> {
  try {
    return (await readdir(sessionsFolder(home, user))).filter(validSessionId).sort();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

async function pointed(home: string, user: string): Promise<string | null> {
  try {
    return (await readFile(pointerFile(sessionsFolder(home, user)), 'utf8')).trim();
  } catch {
    return null;
  }
}

/** The session used last, or null when there is none. Without the pointer: the one with the newest id. */
export async function latestSession(home: string, user = 'local'): Promise<string | null> {
  const last = await pointed(home, user);
  if (last !== null && (await exists(home, last, user))) return last;
  const names = await sessionNames(home, user);
  const made = names.filter((name) => name.startsWith('ses_'));
  for (const name of [...made.reverse(), ...names]) if (await exists(home, name, user)) return name;
  return null;
}
