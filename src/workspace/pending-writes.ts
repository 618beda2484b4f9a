import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { errorCode } from './failures.ts';
import { removeQuietly, TEMP_NAME } from './temp-file.ts';

/**
 * A note of each temporary file while it exists: a link `<pid>-<start time>.tw-<hex>` whose target is its path. After
 * a crash the next start removes what dead processes left, without searching any tree.
 */
export class PendingWrites {
  readonly #folder: string | null;
  readonly #owner: string;
  #made = false;

  constructor(folder: string | null) {
    this.#folder = folder;
    this.#owner = `${process.pid}-${startTime(process.pid) ?? 0}`;
  }

  /** Notes a temporary file about to be made. Returns the function that drops the note. */
  note(path: string, name: string): () => void {
    const folder = this.#folder;
    if (folder === null) return () => {};
    if (!this.#made) mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#made = true;
    const link = join(folder, `${this.#owner}${name}`);
    symlinkSync(path, link);
    return () => removeQuietly(link);
  }
}

const NOTE = /^(\d+)-(\d+)(\.tw-[0-9a-f]{16})$/;

/** Removes temporary files of processes that no longer run. Returns their paths. A missing folder is no fault. */
export function cleanTempFiles(folder: string): readonly string[] {
  const removed: string[] = [];
  for (const entry of namesIn(folder)) {
    const note = NOTE.exec(entry);
    if (note === null) continue;
    if (startTime(Number(note[1])) === note[2]) continue;
    const link = join(folder, entry);
    const path = targetOf(link);
    if (path !== null && basename(path) === note[3] && TEMP_NAME.test(basename(path))) {
      const found = lstatSync(path, { throwIfNoEntry: false });
      if (found?.isFile() === true) {
        removeQuietly(path);
        removed.push(path);
      }
    }
    removeQuietly(link);
  }
  return removed;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

function targetOf(link: string): string | null {
  try {
    return readlinkSync(link);
  } catch {
    return null;
  }
}

/** A process' start time in clock ticks, which tells it from a later one with the same number; null when none runs. */
function startTime(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return process.platform === 'linux' ? null : aliveElsewhere(pid);
  }
}

function aliveElsewhere(pid: number): string | null {
  try {
    process.kill(pid, 0);
    return '0';
  } catch {
    return null;
  }
}
