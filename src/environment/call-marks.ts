/**
 * Every process of a call carries `TOOLWRIGHT_CALL=<mark>`, every process of ours `TOOLWRIGHT_OWNER=<owner key>`.
 */
import { allPids, initialEnvironment, lastPid } from './process-table.ts';

export const CALL_VARIABLE = 'TOOLWRIGHT_CALL';
export const OWNER_VARIABLE = 'TOOLWRIGHT_OWNER';

/** The value of a variable in a NUL-separated environment, or null. */
export function variableIn(environment: string, name: string): string | null {
  const entry = environment.split('\0').find((text) => text.startsWith(`${name}=`));
  return entry === undefined ? null : entry.slice(name.length + 1);
}

/**
 * Finds processes by call mark. A process keeps the mark it was first seen with, so a look costs one listing of
 * `/proc` and one read for each process that is new since the last look.
 */
export class MarkIndex {
  readonly #marks = new Map<number, string | null>();
  #lastPid = 0;

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
      const mark = this.#markOf(pid);
      return mark !== null && wanted.has(mark);
    });
  }

  #select(matches: (mark: string) => boolean): number[] {
    this.#forgetAfterWrap();
    const found: number[] = [];
    const alive = new Set(allPids());
    for (const pid of alive) {
      const mark = this.#markOf(pid);
      if (mark !== null && matches(mark)) found.push(pid);
    }
    for (const pid of this.#marks.keys()) if (!alive.has(pid)) this.#marks.delete(pid);
    return found;
  }

  #markOf(pid: number): string | null {
    const known = this.#marks.get(pid);
    if (known !== undefined) return known;
    const environment = initialEnvironment(pid);
    const mark = environment === null ? null : variableIn(environment, CALL_VARIABLE);
    this.#marks.set(pid, mark);
    return mark;
  }

  #forgetAfterWrap(): void {
    const newest = lastPid();
    if (newest < this.#lastPid) this.#marks.clear();
    this.#lastPid = newest;
  }
}
