import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';

/** The absolute path of a program on PATH, or null. */
export function findProgram(name: string, path: string | undefined): string | null {
  for (const folder of (path ?? '').split(':').filter((entry) => entry.startsWith('/'))) {
    const candidate = join(folder, name);
    try {
      accessSync(candidate, constants.X_OK);
      if (statSync(candidate).isFile()) return candidate;
    } catch {
      // Not in this folder.
    }
  }
  return null;
}
