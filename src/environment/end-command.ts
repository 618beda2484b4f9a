import { setTimeout as wait } from 'node:timers/promises';
import { endProcesses, GRACE_MS, signalQuietly } from './end-processes.ts';
import { isRunning } from './process-table.ts';

/** How long a shell may take to go on after the processes it waited for are gone. */
const GO_ON_MS = 250;
const LOOK_MS = 20;

export interface EndCommandOptions {
  /** Processes of the command that live now, without the shell's own. */
  readonly find: () => Promise<readonly number[]>;
  /** Resolves when the shell reports that the command has ended. */
  readonly reported: Promise<unknown>;
  /** Ends the shell itself at once. */
  readonly endShell: () => Promise<void>;
}

/**
 * Ends everything a command of a shell runs: TERM, then KILL after 2 s. A shell that does not go on by itself then
 * (a loop of its own, or one that starts program after program) is ended too. Resolves when nothing is left.
 */
export async function endCommand(options: EndCommandOptions): Promise<void> {
  const { find, reported, endShell } = options;
  const started = performance.now();
  let goesOn = false;
  void reported.then(() => {
    goesOn = true;
  });
  const first = await find();
  for (const pid of first) signalQuietly(pid, 'SIGTERM');
  while (!goesOn && first.some(isRunning) && performance.now() - started < GRACE_MS) {
    await Promise.race([reported, wait(LOOK_MS)]);
  }
  if (!goesOn && first.some(isRunning)) {
    for (const pid of await find()) signalQuietly(pid, 'SIGKILL');
  }
  await Promise.race([reported, wait(GO_ON_MS)]);
  if (!goesOn) await endShell();
  await endRest(find, Math.max(0, GRACE_MS - (performance.now() - started)));
}

/** What stays after the shell went on: processes in the background. */
async function endRest(find: () => Promise<readonly number[]>, graceMs: number): Promise<void> {
  let left = await find();
  const ending = endProcesses({ find: () => left, graceMs });
  for (;;) {
    if (await Promise.race([ending.then(() => true), wait(LOOK_MS, false)])) return;
    left = await find();
  }
}
