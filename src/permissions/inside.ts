import { isAbsolute, posix } from 'node:path';

/** Whether an absolute path is the root or below it; compared by components, never by string prefix. */
export function isInside(absolute: string, root: string): boolean {
  const rest = posix.relative(root, absolute);
  return rest === '' || (rest !== '..' && !rest.startsWith('../') && !isAbsolute(rest));
}
