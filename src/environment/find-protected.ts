import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isProtectedPath } from '../workspace/protected-names.ts';
import { PROTECTED_GIT_NAMES } from './protected-mounts.ts';

const MAX_DEPTH = 4;
const MAX_FOLDERS = 2000;
const PASSED_OVER = new Set(['node_modules', 'target', 'dist', 'build', 'vendor', '__pycache__']);

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/**
 * Protected paths below the first level of a workspace, those of nested repositories included, as paths relative to
 * it. Looks 4 levels deep and into at most 2,000 folders, not into what is usually ignored.
 */
export async function findNestedProtected(workspace: string): Promise<string[][]> {
  const found: string[][] = [];
  const queue: string[][] = [[]];
  for (let looked = 0; looked < MAX_FOLDERS; looked++) {
    const at = queue.shift();
    if (at === undefined) break;
    for (const entry of await entriesOf(join(workspace, ...at))) {
      const path = [...at, entry.name];
      if (entry.name === '.git') {
        if (at.length > 0) found.push(...insideGit(path, entry.isDirectory()));
      } else if (isProtectedPath(path)) {
        if (at.length > 0) found.push(path);
      } else if (entry.isDirectory() && at.length + 1 < MAX_DEPTH && !isPassedOver(entry.name)) {
        queue.push(path);
      }
    }
  }
  return found;
}

function insideGit(git: readonly string[], directory: boolean): string[][] {
  if (!directory) return [[...git]];
  return PROTECTED_GIT_NAMES.map((name) => [...git, ...name.split('/')]);
}

function isPassedOver(name: string): boolean {
  return PASSED_OVER.has(name) || name.startsWith('.venv') || name === '.tox';
}
