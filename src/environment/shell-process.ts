import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ToolFailure } from '../errors.ts';
import type { Grant } from '../workspace/types.ts';
import { ShellChannel } from './shell-channel.ts';
import { openingText, restoringText } from './shell-script.ts';
import type { Child, ExecutionEnvironment } from './types.ts';

export interface ShellOptions {
  readonly environment: ExecutionEnvironment;
  /** Folder for the private channel folders of shells. */
  readonly runFolder: string;
  /** Where a fresh shell starts, absolute. */
  readonly folder: string;
  readonly network: boolean;
}

/** A started bash with its channel. */
export interface ShellProcess {
  /** Call id under which the shell itself was spawned. */
  readonly id: string;
  readonly child: Child;
  readonly channel: ShellChannel;
  /** The shell's own processes. */
  readonly own: ReadonlySet<number>;
}

/** What a new shell takes over from one that ended. */
export interface ShellState {
  /** Text the ended shell saved; null for none. */
  readonly saved: Buffer | null;
  readonly folder: string;
}

/** Starts bash without login or rc files. Throws ToolFailure `unavailable` when it does not come up. */
export async function startShell(
  options: ShellOptions,
  grant: Grant,
  state: ShellState | null,
): Promise<ShellProcess> {
  const channel = new ShellChannel(options.runFolder);
  const id = `shell-${randomBytes(6).toString('hex')}`;
  const child = await options.environment.spawn({
    callId: id,
    grant,
    argv: ['bash', '--noprofile', '--norc'],
    cwd: options.folder,
    stdin: 'pipe',
    profile: 'command',
    network: options.network,
    channelDirs: [channel.folder],
  });
  const ready = readyOrProblem(child);
  child.stdin?.write(openingText(channel.pipes));
  const problem = await ready;
  if (problem !== null) {
    channel.removeFolder();
    throw new ToolFailure('unavailable', `No shell could be started: ${problem}`);
  }
  if (state !== null) restore(child, channel, state);
  return { id, child, channel, own: new Set(await options.environment.processesOf(id)) };
}

function restore(child: Child, channel: ShellChannel, state: ShellState): void {
  let file: string | null = null;
  if (state.saved !== null) {
    file = join(channel.folder, 'restored');
    writeFileSync(file, state.saved, { mode: 0o644 });
  }
  child.stdin?.write(restoringText(file, state.folder));
}

/** Null when the shell said that it is ready, else what it said instead. Both outputs are read to their ends. */
function readyOrProblem(child: Child): Promise<string | null> {
  let problem = '';
  child.stderr.on('data', (bytes: Buffer) => {
    problem = (problem + bytes.toString('utf8')).slice(0, 500);
  });
  return new Promise((resolve) => {
    let said = '';
    child.stdout.on('data', (bytes: Buffer) => {
      said = (said + bytes.toString('latin1')).slice(0, 100);
      if (said.includes('ready\n')) resolve(null);
    });
    void child.exited.then((exit) => resolve(problem || `exit code ${exit.code ?? exit.signal}`));
  });
}
