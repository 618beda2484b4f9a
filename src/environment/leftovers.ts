import { endProcesses } from './end-processes.ts';
import { isRunning, parentOf, startTimeOf } from './process-table.ts';

/** Processes that finished calls left running. A child of one belongs to the same call. */
export class Leftovers {
  readonly #known = new Map<number, string | null>();

  /** True for a known process and for one started by a known process, which is known from then on. */
  has(pid: number): boolean {
    if (this.#isKnown(pid)) return true;
    if (this.#known.size === 0 || !this.#isKnown(parentOf(pid))) return false;
    this.add(pid);
    return true;
  }

  add(pid: number): void {
    this.#known.set(pid, startTimeOf(pid));
  }

  running(): number[] {
    return [...this.#known.keys()].filter((pid) => this.#isKnown(pid) && isRunning(pid));
  }

  /** Ends all of them. */
  async end(): Promise<void> {
    await endProcesses({ find: () => this.running() });
    this.#known.clear();
  }

  #isKnown(pid: number): boolean {
    const start = this.#known.get(pid);
    if (start === undefined) return false;
    if (start === startTimeOf(pid)) return true;
    this.#known.delete(pid);
    return false;
  }
}
