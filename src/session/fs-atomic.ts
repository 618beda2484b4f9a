/**
 * Files that are whole or absent: written under a random temporary name in the same folder, synced, then renamed or
 * linked to their name, and the folder synced.
 */
import { randomBytes } from 'node:crypto';
import { type FileHandle, link, open, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode, whenDescriptorsAllow } from './fs-error.ts';

export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function existingMode(file: string): Promise<number | null> {
  try {
    return (await stat(file)).mode & 0o777;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

export interface AtomicOptions {
  /** Permission bits; default: those of the file that is replaced, else 0600. */
  readonly mode?: number;
  /** False: whole after a crash of the process, but perhaps not there after a power loss. Default true. */
  readonly sync?: boolean;
}

/** Whole, or in pieces that are asked for one after the other. */
type Content = string | Uint8Array | Generator<string>;

async function fill(handle: FileHandle, content: Content, options: AtomicOptions): Promise<void> {
  try {
    await handle.writeFile(content);
    if (options.mode !== undefined && options.mode !== 0o600) await handle.chmod(options.mode);
    if (options.sync !== false) await handle.datasync();
  } finally {
    await handle.close();
  }
}

/** Writes `content` next to `file` and returns the temporary name; nothing is left behind on failure. */
async function writeBeside(
  file: string,
  content: Content,
  options: AtomicOptions,
): Promise<string> {
  const name = `.${basename(file)}.${randomBytes(8).toString('hex')}.tmp`;
  const temporary = join(dirname(file), name);
  const handle = await whenDescriptorsAllow(() => open(temporary, 'wx', 0o600));
  try {
    await fill(handle, content, options);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
  return temporary;
}

const TEMPORARY = /^\.(.+)\.[0-9a-f]{16}\.tmp$/;

/** The file a temporary name stands for, in the same folder; null for any other name. */
export function targetOfTemporary(path: string): string | null {
  const target = TEMPORARY.exec(basename(path))?.[1];
  return target === undefined ? null : join(dirname(path), target);
}

/**
 * Replaces `file` by `content`: after a crash at any point it holds the old or the new content, whole. The mode is the
 * given one, else that of the file it replaces, else 0600.
 */
export async function writeFileAtomic(
  file: string,
  content: Content,
  options: AtomicOptions = {},
): Promise<void> {
  const mode = options.mode ?? (await existingMode(file)) ?? 0o600;
  const temporary = await writeBeside(file, content, { ...options, mode });
  try {
    await rename(temporary, file);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
  if (options.sync !== false) await syncFolder(dirname(file));
}

/** Makes `file` with `content`, mode 0600; returns false, changing nothing, when the name is taken. */
export async function createFileAtomic(
  file: string,
  content: string | Uint8Array,
  options: Pick<AtomicOptions, 'sync'> = {},
): Promise<boolean> {
  const temporary = await writeBeside(file, content, options);
  try {
    await link(temporary, file);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await unlink(temporary).catch(() => undefined);
  }
  if (options.sync !== false) await syncFolder(dirname(file));
  return true;
}
