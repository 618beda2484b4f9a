import { realpathSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';

/**
 * Whether an absolute path, all its links followed, lies in one of the roots. For advice (may a command that names it
 * run unasked?) only: between this answer and an open a link can change, so file access never relies on it.
 */
export function insideRoots(absolute: string, roots: readonly string[]): boolean {
  const target = realPathOf(absolute);
  if (target === null) return false;
  return roots.some((root) => {
    const real = realPathOf(root);
    if (real === null) return false;
    const rest = relative(real, target);
    return rest === '' || (rest !== '..' && !rest.startsWith(`..${sep}`));
  });
}

/** Links resolved in the part that exists; null when that cannot be told (no permission, a loop, a dangling link). */
function realPathOf(absolute: string): string | null {
  const missing: string[] = [];
  for (let path = absolute; ; path = dirname(path)) {
    try {
      return join(realpathSync.native(path), ...missing);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : null;
      if (code !== 'ENOENT' || dirname(path) === path) return null;
      missing.unshift(basename(path));
    }
  }
}
