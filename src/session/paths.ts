/**
 * The folder of a session (cli.md section 5) and the rule that it is private: folders 0700, files 0600, checked and
 * put right at every start.
 */
import { chmod, lstat, readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ConfigError } from '../errors.ts';
import { errorCode, errorMessage } from './fs-error.ts';
import { makeFolders } from './make-folders.ts';
import type { SessionPaths } from './types.ts';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Is this a name a session (or user) folder may have? Never `.`, `..`, a path or an option. */
export function validSessionId(id: string): boolean {
  return NAME.test(id);
}

/** The absolute folders of one session; touches nothing. Throws ConfigError for a name that is no folder name. */
export function sessionPaths(home: string, sessionId: string, user = 'local'): SessionPaths {
  for (const [what, name] of [
    ['session', sessionId],
    ['user', user],
  ] as const) {
    if (!validSessionId(name)) {
      throw new ConfigError(
        `"${name}" is not a ${what} name: use 1 to 64 letters, digits, ".", "_" or "-", starting with a letter or digit`,
        { [what]: name },
      );
    }
  }
  const absoluteHome = resolve(home);
  const userFolder = join(absoluteHome, 'users', user);
  const root = join(userFolder, 'sessions', sessionId);
  const state = join(root, '.session');
  return {
    home: absoluteHome,
    user,
    root,
    input: join(root, 'input'),
    output: join(root, 'output'),
    scratchpad: join(root, 'scratchpad'),
    state,
    events: join(state, 'events.jsonl'),
    audit: join(state, 'audit.jsonl'),
    blobs: join(state, 'blobs'),
    toolOutput: join(state, 'tool-output'),
    venv: join(userFolder, 'venv'),
  };
}

/** The folder that holds all sessions of a user. */
export function sessionsFolder(home: string, user = 'local'): string {
  return dirname(sessionPaths(home, 'any', user).root);
}

const OPEN_TO_OTHERS = 0o077;

/** Makes one entry private; returns true when it was not. Entries of other owners and links are left alone. */
async function makePrivate(path: string, kind: 'folder' | 'file'): Promise<boolean> {
  const stat = await lstat(path);
  if (kind === 'folder' ? !stat.isDirectory() : !stat.isFile()) return false;
  if ((stat.mode & OPEN_TO_OTHERS) === 0) return false;
  if (process.getuid !== undefined && stat.uid !== process.getuid()) return false;
  await chmod(path, kind === 'folder' ? 0o700 : stat.mode & 0o700);
  return true;
}

async function makeFolder(path: string): Promise<void> {
  try {
    await makeFolders(path, 0o700);
  } catch (error) {
    throw new ConfigError(
      `the session folder ${path} cannot be made (${errorMessage(error)}): give another TOOLWRIGHT_HOME or the right to write there`,
      { path, code: errorCode(error) },
    );
  }
}

async function requireRealFolder(path: string): Promise<void> {
  if ((await lstat(path)).isDirectory()) return;
  throw new ConfigError(
    `${path} must be a folder, not a link or file: move it away and start again`,
    { path },
  );
}

async function privateFilesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(folder, entry.name));
  const changed = await Promise.all(files.map((file) => makePrivate(file, 'file')));
  return files.filter((_, index) => changed[index]);
}

/**
 * Makes the folders of a session and closes them, the files of `.session/` and the files directly in the home to
 * other users. Returns what was open and has been closed, for one warning to the person. Throws ConfigError when the
 * folder cannot be made or one of its parts is a link.
 */
export async function createSessionFolders(paths: SessionPaths): Promise<{ fixed: string[] }> {
  const users = join(paths.home, 'users');
  const sessions = dirname(paths.root);
  const parents = [paths.home, users, dirname(sessions), sessions];
  const own = [
    paths.root,
    paths.input,
    paths.output,
    paths.scratchpad,
    paths.state,
    paths.blobs,
    paths.toolOutput,
  ];
  for (const folder of [paths.state, ...own]) await makeFolder(folder);
  await Promise.all(own.map(requireRealFolder));
  const folders = [...parents, ...own];
  const opened = await Promise.all(folders.map((folder) => makePrivate(folder, 'folder')));
  const files = await Promise.all([privateFilesIn(paths.home), privateFilesIn(paths.state)]);
  return { fixed: [...folders.filter((_, index) => opened[index]), ...files.flat()] };
}
