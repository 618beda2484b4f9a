import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from './fs-error.ts';

/** The nearest folder on the way to `path` that exists; `path` itself when it does. */
export async function nearestFolder(path: string): Promise<string> {
  for (let folder = path; ; folder = dirname(folder)) {
    const found = await stat(folder).catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT' && dirname(folder) !== folder) return null;
      throw error;
    });
    if (found !== null) return folder;
  }
}

/**
 * Makes a folder and what is missing above it, one by one: the recursive mkdir of Node never returns where the file
 * system lets nobody make folders (/proc).
 */
export async function makeFolders(path: string, mode = 0o777): Promise<void> {
  const existing = await nearestFolder(path);
  const missing: string[] = [];
  for (let folder = path; folder !== existing; folder = dirname(folder)) missing.unshift(folder);
  for (const folder of missing) {
    await mkdir(folder, { mode }).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error;
    });
  }
}
