import { realpathSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';

/**
 * Where an absolute path leads, all its links followed as the kernel does (a link before the `..` after it): its
 * place below one of the roots, or null outside of them. For advice (may a command that names it run unasked?) only:
 * between this answer and an open a link can change, so file access never relies on it.
 */
export function placeInRoots(absolute: string, roots: readonly string[]): string | null {
  const target = realPathOf(absolute);
  if (target === null) return null;
  for (const root of roots) {
    const real = realPathOf(root);
    const rest = real === null ? '..' : relative(real, target);
    if (rest !== '..' && !rest.startsWith(`..${sep}`)) return rest;
  }
  return null;
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
