import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

let known: Promise<string | null> | null = null;

/** The ripgrep program: the one of the optional package, else `rg` on PATH, else null. Looked for once. */
export function findRipgrep(): Promise<string | null> {
  known ??= look();
  return known;
}

async function look(): Promise<string | null> {
  const packaged = await fromPackage();
  if (packaged !== null && isProgram(packaged)) return packaged;
  const name = process.platform === 'win32' ? 'rg.exe' : 'rg';
  const folders = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => folder.startsWith('/'));
  return folders.map((folder) => join(folder, name)).find(isProgram) ?? null;
}

async function fromPackage(): Promise<string | null> {
  try {
    const { rgPath } = await import('@vscode/ripgrep');
    return rgPath;
  } catch {
    return null;
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
