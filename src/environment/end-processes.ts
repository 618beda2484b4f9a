import { setTimeout as wait } from 'node:timers/promises';
import { isRunning } from './process-table.ts';

/** Milliseconds between TERM and KILL. */
export const GRACE_MS = 2000;
const GIVE_UP_MS = 3000;
/** Looks at a holder that holds nothing before it is ended: usually it ends by itself at once. */
const EMPTY_LOOKS = 6;

/** Sends a signal; a process (or group, by a negative number) that is gone or not ours is passed over. */
export function signalQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone already, which is what the signal was for.
  }
}

export interface EndOptions {
  /** Looks again for the processes to end; asked until it names none that still runs. */
  readonly find: () => readonly number[];
  /** The processes that hold the others (a namespace's init) and end after them; KILL to one ends all at once. */
  readonly holders?: () => readonly number[];
  /** Milliseconds before KILL; default 2000. */
  readonly graceMs?: number;
}

/** TERM, the grace time, then KILL until none is left. Resolves when none is, or 3 s after the first KILL. */
export async function endProcesses(options: EndOptions): Promise<void> {
  const grace = options.graceMs ?? GRACE_MS;
  const started = performance.now();
  const told = new Set<number>();
  let pause = 2;
  let empty = 0;
  for (;;) {
    const elapsed = performance.now() - started;
    const left = options.find().filter(isRunning);
    if (left.length === 0 || elapsed >= grace + GIVE_UP_MS) return;
    const holders = options.holders?.() ?? [];
    const held = left.filter((pid) => !holders.includes(pid));
    empty = held.length === 0 ? empty + 1 : 0;
    if (elapsed >= grace || empty > EMPTY_LOOKS) {
      for (const pid of [...holders, ...left]) signalQuietly(pid, 'SIGKILL');
    } else {
      for (const pid of held.filter((each) => !told.has(each))) {
        told.add(pid);
        signalQuietly(pid, 'SIGTERM');
      }
    }
    await wait(pause);
    pause = Math.min(pause * 2, 50, Math.max(1, grace - elapsed));
  }
}
