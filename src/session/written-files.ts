/**
 * What the tools of a session last left in each file, by its logical name: resume compares it with what is there.
 */
import type { SessionEvent } from './events.ts';

export interface WrittenFile {
  readonly path: string;
  /** Null: the last change removed it. */
  readonly sha256: string | null;
}

export class WrittenFiles {
  readonly #files: Map<string, string | null>;

  constructor(files: readonly WrittenFile[] = []) {
    this.#files = new Map(files.map(({ path, sha256 }) => [path, sha256]));
  }

  get list(): readonly WrittenFile[] {
    return [...this.#files].map(([path, sha256]) => ({ path, sha256 }));
  }

  /** Events in order; sub-agents work on the same files. */
  apply(event: SessionEvent): void {
    if (event.type !== 'tool_finished') return;
    for (const { path, after } of event.files_changed) this.#files.set(path, after);
  }
}
