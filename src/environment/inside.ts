import { sep } from 'node:path';

/** True when `path` is `folder` or lies below it; both absolute and normalised. Compares whole components. */
export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
