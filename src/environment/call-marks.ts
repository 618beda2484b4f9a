/**
 * Every process of a call carries `TOOLWRIGHT_CALL=<mark>`, every process of ours `TOOLWRIGHT_OWNER=<owner key>`.
 */
import {
  allPids,
  exists,
  initialEnvironment,
  lastPid,
  leadsProcess,
  pidLimit,
} from './process-table.ts';

export const CALL_VARIABLE = 'TOOLWRIGHT_CALL';
export const OWNER_VARIABLE = 'TOOLWRIGHT_OWNER';

/** The value of a variable in a NUL-separated environment, or null. */
export function variableIn(environment: string, name: string): string | null {
  const entry = environment.split('\0').find((text) => text.startsWith(`${name}=`));
  return entry === undefined ? null : entry.slice(name.length + 1);
}

/** More new pids than this since the last look: listing all processes is cheaper. */
const MOST_NEW = 64;
/** No machine starts more, so pids cannot have gone all the way round unnoticed in a shorter time. */
const MOST_PIDS_PER_MS = 20;

/**
 * Finds processes by call mark. A process keeps the mark it was first seen with. The kernel gives out pids in order,
 * so a look costs one read for each pid given out since the last one, and a listing of `/proc` only after many.
 */
export class MarkIndex {
  /** Every pid that was looked at, and the marks of those that have one. */
  readonly #known = new Set<number>();
  readonly #marks = new Map<number, string>();
  /** Pids given out before the last look whose processes were not there yet, or were gone already. */
  #unseen: readonly number[] = [];
  #lastPid = 0;
  #lookedUpTo = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;
  readonly #roundMs = pidLimit() / MOST_PIDS_PER_MS;

  /** Pids of living processes whose mark is one of those given. */
  find(wanted: ReadonlySet<string>): number[] {
    return this.#select((mark) => wanted.has(mark));
  }

  /** Pids of living processes whose mark begins with a text. */
  findPrefix(prefix: string): number[] {
    return this.#select((mark) => mark.startsWith(prefix));
  }

  /** Those of the given living processes whose mark is one of those wanted. */
  among(pids: readonly number[], wanted: ReadonlySet<string>): number[] {
    this.#forgetAfterWrap();
    return pids.filter((pid) => {
      this.#look(pid);
      return wanted.has(this.#marks.get(pid) ?? '');
    });
  }

  #select(matches: (mark: string) => boolean): number[] {
    const mayBeRound = performance.now() - this.#lookedAt > this.#roundMs;
    this.#lookedAt = performance.now();
    const first = this.#lookedUpTo + 1;
    const wrapped = this.#forgetAfterWrap();
    this.#lookedUpTo = this.#lastPid;
    if (mayBeRound || wrapped || this.#lookedUpTo - first > MOST_NEW) this.#listAll();
    else this.#lookAt(first);
    const found: number[] = [];
    for (const [pid, mark] of this.#marks) {
      if (!matches(mark)) continue;
      if (exists(pid)) found.push(pid);
      else this.#marks.delete(pid);
    }
    return found;
  }

  #listAll(): void {
    const alive = new Set(allPids());
    for (const pid of alive) this.#look(pid);
    for (const pid of this.#known) if (!alive.has(pid)) this.#forget(pid);
    this.#unseen = [];
  }

  /** Reads the marks of the pids from this one to the last one, and once more of those that were missing before. */
  #lookAt(first: number): void {
    const missing = this.#unseen;
    const unseen: number[] = [];
    for (let pid = first; pid <= this.#lookedUpTo; pid += 1)
      if (exists(pid)) this.#look(pid);
      else unseen.push(pid);
    for (const pid of missing) if (exists(pid)) this.#look(pid);
    this.#unseen = unseen;
  }

  #look(pid: number): void {
    if (this.#known.has(pid)) return;
    this.#known.add(pid);
    const environment = initialEnvironment(pid);
    const mark = environment === null ? null : variableIn(environment, CALL_VARIABLE);
    if (mark !== null && leadsProcess(pid)) this.#marks.set(pid, mark);
  }

  #forget(pid: number): void {
    this.#known.delete(pid);
    this.#marks.delete(pid);
  }

  #forgetAfterWrap(): boolean {
    const newest = lastPid();
    const wrapped = newest < this.#lastPid;
    if (wrapped) {
      this.#known.clear();
      this.#marks.clear();
    }
    this.#lastPid = newest;
    return wrapped || newest < this.#lookedUpTo;
  }
}
