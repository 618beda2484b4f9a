import { closeSync, constants, openSync } from 'node:fs';

const FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Calls `work` with a name for the folder `top/segments…` that stays that folder whatever is renamed meanwhile.
 * Returns null without calling when a component is missing or is a link.
 */
export function withPinnedFolder<T>(
  top: string,
  segments: readonly string[],
  work: (folder: string) => T,
): T | null {
  let descriptor: number;
  try {
    descriptor = openSync(top, constants.O_RDONLY | constants.O_DIRECTORY);
  } catch {
    return null;
  }
  try {
    for (const segment of segments) {
      const next = openSync(nameOf(descriptor, segment), FLAGS);
      closeSync(descriptor);
      descriptor = next;
    }
  } catch {
    closeSync(descriptor);
    return null;
  }
  try {
    return work(nameOf(descriptor, ''));
  } finally {
    closeSync(descriptor);
  }
}

function nameOf(descriptor: number, entry: string): string {
  return `/proc/self/fd/${descriptor}/${entry}`;
}
