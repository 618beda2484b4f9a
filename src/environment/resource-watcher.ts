import { statfsSync } from 'node:fs';
import type { OwnedChild } from './owned-child.ts';
import { residentKib } from './process-table.ts';
import type { SpawnLimits } from './types.ts';

const PERIOD_MS = 500;

/**
 * Ends children that pass their memory or process limit, and all of them when the disk runs full. It looks every
 * 500 ms, so a limit is a bound on what lasts, not on a peak.
 */
export class ResourceWatcher {
  readonly #volume: string;
  readonly #diskFloorMib: number | undefined;
  readonly #watched = new Map<OwnedChild, SpawnLimits>();
  #timer: NodeJS.Timeout | null = null;
  #rounds = 0;

  constructor(volume: string, diskFloorMib: number | undefined) {
    this.#volume = volume;
    this.#diskFloorMib = diskFloorMib;
  }

  add(child: OwnedChild, limits: SpawnLimits): void {
    this.#watched.set(child, limits);
    this.#timer ??= setInterval(() => this.#look(), PERIOD_MS).unref();
  }

  remove(child: OwnedChild): void {
    this.#watched.delete(child);
    if (this.#watched.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  #look(): void {
    this.#rounds++;
    const full = this.#rounds % 2 === 0 && this.#diskIsFull();
    for (const [child, limits] of this.#watched) {
      if (full) void child.kill('disk');
      else lookAt(child, limits);
      child.checkLost();
    }
  }

  #diskIsFull(): boolean {
    if (this.#diskFloorMib === undefined) return false;
    try {
      const { bavail, bsize } = statfsSync(this.#volume);
      return (bavail * bsize) / 1_048_576 < this.#diskFloorMib;
    } catch {
      return false;
    }
  }
}

function lookAt(child: OwnedChild, limits: SpawnLimits): void {
  const pids = child.processes();
  if (limits.processes !== undefined && pids.length > limits.processes) {
    void child.kill('pids');
    return;
  }
  if (limits.memoryMib === undefined) return;
  const kib = pids.reduce((sum, pid) => sum + residentKib(pid), 0);
  if (kib > limits.memoryMib * 1024) void child.kill('memory');
}
