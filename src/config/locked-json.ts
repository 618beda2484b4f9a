/** A small JSON file that several processes change: read, change and write under a lock, replaced in one step. */
import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../errors.ts';

const LOCK_TRIES = 100;
const LOCK_WAIT_MS = 50;
/** A lock this old belongs to a process that died between two file operations. */
const STALE_LOCK_MS = 10_000;

/** The parsed content, or undefined when the file does not exist. Throws ConfigError when it is not JSON. */
export async function readJsonFile(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new ConfigError(`${file} cannot be read: ${error.message}`, { file }, { cause: error });
  });
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new ConfigError(`${file} is damaged (not JSON). Move it away.`, { file }, { cause });
  }
}

/** Runs `change` on the present content and stores what it returns, mode 0600, in a folder of mode 0700. */
export async function updateJsonFile(
  file: string,
  change: (present: unknown) => unknown,
): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const release = await lock(`${file}.lock`);
  try {
    await replaceFile(file, `${JSON.stringify(change(await readJsonFile(file)), null, 2)}\n`);
  } finally {
    await release();
  }
}

async function lock(path: string): Promise<() => Promise<void>> {
  for (let attempt = 0; attempt < LOCK_TRIES; attempt++) {
    const handle = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return null;
      throw new ConfigError(`${path} cannot be made: ${error.message}`, {}, { cause: error });
    });
    if (handle !== null) {
      await handle.close();
      return () => rm(path, { force: true });
    }
    await dropStale(path);
    await sleep(LOCK_WAIT_MS);
  }
  throw new ConfigError(`${path} is held by another process. Remove it when none runs.`);
}

async function dropStale(path: string): Promise<void> {
  const info = await stat(path).catch(() => null);
  if (info !== null && Date.now() - info.mtimeMs > STALE_LOCK_MS) await rm(path, { force: true });
}

async function replaceFile(file: string, text: string): Promise<void> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
