/** A small file that several processes change: read, change and write under a lock, replaced in one step. */
import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../errors.ts';

const LOCK_TRIES = 100;
const LOCK_WAIT_MS = 50;
/** A lock this old belongs to a process that died between two file operations. */
const STALE_LOCK_MS = 10_000;

/** The content, or undefined when the file does not exist. Throws ConfigError when it cannot be read. */
export async function readIfThere(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new ConfigError(`${file} cannot be read: ${error.message}`, { file }, { cause: error });
  });
}

/**
 * Runs `change` on the present content and stores what it returns. A new file has mode 0600, in a folder of mode
 * 0700; an existing one keeps its mode, and a link is followed. Throws ConfigError, or what `change` throws.
 */
export async function updateFile(
  file: string,
  change: (present: string | undefined) => string | Promise<string>,
): Promise<void> {
  await makeFolder(dirname(file));
  const release = await lock(`${file}.lock`);
  try {
    const content = await change(await readIfThere(file));
    const target = await realpath(file).catch(() => file);
    await replaceFile(target, content);
  } finally {
    await release();
  }
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: Error) => {
    throw new ConfigError(`${folder} cannot be made: ${error.message}`, {}, { cause: error });
  });
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
  const mode = (await stat(file).catch(() => null))?.mode ?? 0o600;
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.chmod(mode & 0o777);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
    await syncFolder(dirname(file));
  } catch (cause) {
    await rm(temporary, { force: true });
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError(`${file} cannot be written: ${reason}`, { file }, { cause });
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
