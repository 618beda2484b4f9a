import { constants, type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isSecretName } from './protected-names.ts';

const MAX_BYTES = 1 << 20;

async function readRegular(path: string): Promise<string> {
  let file: FileHandle | null = null;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stat = await file.stat();
    if (!stat.isFile() || stat.size > MAX_BYTES) return '';
    return await file.readFile('utf8');
  } catch {
    return '';
  } finally {
    await file?.close();
  }
}

/**
 * Texts of the `.env` files right in a folder, templates left out, no link followed. Their values are to be hidden:
 * tools do not open these files, but commands can. Never rejects; a file that cannot be read is passed over.
 */
export async function readEnvironmentFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((): string[] => []);
  const wanted = names.filter((name) => /^\.env(\.|$)/.test(name) && isSecretName([name]));
  return Promise.all(wanted.map((name) => readRegular(join(folder, name))));
}
