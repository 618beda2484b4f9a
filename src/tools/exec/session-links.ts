import { lstatSync, mkdirSync, readlinkSync, symlinkSync, unlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { SessionPaths } from '../../session/types.ts';

/**
 * Restores the links by which code in the scratchpad reaches the session folders under their usual names. Returns
 * the names at which something else stands, which is left alone.
 */
export function restoreSessionLinks(paths: SessionPaths): string[] {
  const { scratchpad, input, output } = paths;
  mkdirSync(join(scratchpad, 'tmp'), { recursive: true });
  const targets: Readonly<Record<string, string>> = {
    input: relative(scratchpad, input),
    inputs: relative(scratchpad, input),
    output: relative(scratchpad, output),
    outputs: relative(scratchpad, output),
    scratchpad: '.',
    scratch: '.',
  };
  return Object.entries(targets)
    .filter(([name, target]) => !restoreLink(join(scratchpad, name), target))
    .map(([name]) => name);
}

function restoreLink(path: string, target: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isSymbolicLink()) {
    if (readlinkSync(path) === target) return true;
    unlinkSync(path);
  } else if (stat !== undefined) {
    return false;
  }
  symlinkSync(target, path);
  return true;
}
