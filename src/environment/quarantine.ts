import { cpSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Saved } from './fingerprint.ts';

/** Moves what stands at `path` into a new folder of the quarantine, also over a border of file systems. */
export function moveToQuarantine(quarantine: string, path: string): string {
  const folder = join(quarantine, `${Date.now()}-${process.hrtime.bigint()}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const target = join(folder, basename(path));
  try {
    renameSync(path, target);
  } catch {
    cpSync(path, target, { recursive: true, verbatimSymlinks: true, dereference: false });
    rmSync(path, { recursive: true, force: true });
  }
  return target;
}

/** Puts a saved state back at a path where nothing stands. */
export function restore(path: string, saved: Saved): void {
  if (saved.type === 'link') symlinkSync(saved.target, path);
  if (saved.type === 'file' && saved.content !== null) {
    writeFileSync(path, saved.content, { mode: saved.mode, flag: 'wx' });
  }
  if (saved.type === 'dir') {
    mkdirSync(path);
    for (const [name, entry] of saved.entries) restore(join(path, name), entry);
  }
}
