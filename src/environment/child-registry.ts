import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ownRunFolder, thisBoot } from './owner.ts';

export const REGISTRY_FILE = 'children.jsonl';

/** One child as the reaper needs it to be sure that it is ours. */
export interface ChildRecord {
  readonly pid: number;
  readonly start_time: string | null;
  readonly boot_id: string;
  readonly kind: string;
  readonly session: string | null;
  readonly call: string;
  readonly group: number;
}

/**
 * The list of children of this process, for whoever must clean up after it was killed. One `write` for a child and
 * no sync: the list has to survive our death, not that of the machine, after which no child is left either.
 */
export class ChildRegistry {
  readonly #home: string;
  #descriptor: number | null = null;

  constructor(home: string) {
    this.#home = home;
  }

  /** The run folder, made on first use. */
  folder(): string {
    const folder = ownRunFolder(this.#home);
    if (this.#descriptor === null) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      this.#descriptor = openSync(join(folder, REGISTRY_FILE), 'a', 0o600);
    }
    return folder;
  }

  add(record: Omit<ChildRecord, 'boot_id'>): void {
    this.folder();
    const line = `${JSON.stringify({ ...record, boot_id: thisBoot })}\n`;
    if (this.#descriptor !== null) writeSync(this.#descriptor, line);
  }

  /** Removes the run folder; called when no child is left. */
  remove(): void {
    if (this.#descriptor === null) return;
    closeSync(this.#descriptor);
    this.#descriptor = null;
    rmSync(ownRunFolder(this.#home), { recursive: true, force: true });
  }
}
