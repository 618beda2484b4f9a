import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { ToolFailure } from '../errors.ts';
import type { Grant } from '../workspace/types.ts';
import { endCommand } from './end-command.ts';
import { signalQuietly } from './end-processes.ts';
import { Leftovers } from './leftovers.ts';
import { type PipePair, readState, type ShellReport } from './shell-channel.ts';
import { type ShellOptions, type ShellProcess, startShell } from './shell-process.ts';
import { commandText } from './shell-script.ts';
import type { EndedBy, Exit } from './types.ts';

/** How long a stopped command's result waits for the end of its processes; the ending itself goes on. */
const RESULT_MS = 500;

export interface ShellCommand {
  readonly callId: string;
  readonly grant: Grant;
  /** Without NUL. */
  readonly command: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** The bytes are only valid during the call. */
  readonly onOutput: (stream: 'stdout' | 'stderr', bytes: Uint8Array) => void;
}

export interface ShellResult {
  /** Null when the command was ended before it had a status. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly endedBy: EndedBy;
  /** The shell's folder afterwards. */
  readonly folder: string;
  /** Processes the command left running. */
  readonly leftovers: readonly number[];
  /** This call began in a new shell, in the state the last finished call left. */
  readonly replaced: boolean;
}

/** What is known of a result before its end. */
interface Active {
  readonly shell: ShellProcess;
  readonly pair: PipePair;
  readonly callId: string;
  readonly report: Promise<ShellReport>;
  readonly replaced: boolean;
}

interface Expected {
  readonly token: string;
  readonly take: (report: ShellReport) => void;
}

/**
 * One bash that evaluates command after command in itself, so that folder, variables, functions, aliases and options
 * stay. Each command has pipes nobody else writes to and an empty standard input. Commands run one after the other.
 * `run` rejects only when no shell can be started (ToolFailure).
 */
export class PersistentShell {
  readonly #options: ShellOptions;
  readonly #leftovers = new Leftovers();
  #shell: ShellProcess | null = null;
  #queue: Promise<unknown> = Promise.resolve();
  #expected: Expected | null = null;
  /** State files of the present shell, newest first; the newest may be in the making. */
  #stateFiles: readonly string[] = [];
  #saved: Buffer | null = null;
  #folder: string;
  #lost = false;

  constructor(options: ShellOptions) {
    this.#options = options;
    this.#folder = options.folder;
  }

  /** The folder the last finished call left. */
  get folder(): string {
    return this.#folder;
  }

  run(command: ShellCommand): Promise<ShellResult> {
    return this.#enqueue(() => this.#run(command));
  }

  /** Ends this shell and all it started; the next command begins in a fresh one at the start folder. */
  restart(): Promise<void> {
    return this.#enqueue(async () => {
      await this.#dispose();
      this.#saved = null;
      this.#folder = this.#options.folder;
      this.#lost = false;
    });
  }

  /** Ends the shell and every process its calls left. */
  close(): Promise<void> {
    return this.#dispose();
  }

  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => {});
    return result;
  }

  async #run(command: ShellCommand): Promise<ShellResult> {
    const { shell, pair } = await this.#ready(command.grant);
    const active = this.#send(shell, pair, command);
    const stop = stopOf(command);
    const first = await Promise.race([active.report, shell.child.exited, stop.promise]);
    stop.clear();
    if (typeof first === 'string') return this.#stop(active, first);
    this.#expected = null;
    const held = shell.channel.settle(pair);
    if ('ended_by' in first) return this.#afterExit(active, first);
    return this.#afterReport(active, first, held);
  }

  async #afterReport(active: Active, report: ShellReport, held: boolean): Promise<ShellResult> {
    this.#folder = report.folder;
    let leftovers = await this.#processesOf(active);
    if (held && leftovers.length === 0) {
      // Somebody has the pipe: perhaps a process that was just becoming another program.
      await wait(5);
      leftovers = await this.#processesOf(active);
    }
    for (const pid of leftovers) this.#leftovers.add(pid);
    return this.#result(active, { code: report.code, endedBy: 'exit', leftovers });
  }

  #afterExit(active: Active, exit: Exit): ShellResult {
    this.#forget();
    return this.#result(active, { code: exit.code, signal: exit.signal, endedBy: exit.ended_by });
  }

  /** Time is over or the call was cancelled: the result comes soon, the ending goes on before the next command. */
  async #stop(active: Active, reason: 'timeout' | 'cancel'): Promise<ShellResult> {
    const { shell, pair } = active;
    let reported = false;
    void active.report.then((report) => {
      reported = true;
      this.#folder = report.folder;
    });
    const ending = endCommand({
      find: () => this.#processesOf(active),
      reported: Promise.race([active.report, shell.child.exited]),
      endShell: () => this.#endAtOnce(shell),
    }).finally(() => {
      this.#expected = null;
      shell.channel.settle(pair);
      if (!reported) this.#forget();
    });
    const ended = await Promise.race([ending.then(() => true), wait(RESULT_MS, false)]);
    if (!ended) this.#queue = Promise.allSettled([this.#queue, ending]);
    pair.stdout.listen(null);
    pair.stderr.listen(null);
    return this.#result(active, { code: null, endedBy: reason });
  }

  async #endAtOnce(shell: ShellProcess): Promise<void> {
    for (const pid of shell.own) signalQuietly(pid, 'SIGKILL');
    await shell.child.kill('cancel');
  }

  #result(
    active: Active,
    end: Pick<ShellResult, 'code' | 'endedBy'> & Partial<ShellResult>,
  ): ShellResult {
    return {
      signal: null,
      folder: this.#folder,
      leftovers: [],
      replaced: active.replaced,
      ...end,
    };
  }

  #send(shell: ShellProcess, pair: PipePair, command: ShellCommand): Active {
    const token = randomUUID();
    const stateFile = shell.channel.nextStateFile();
    const { promise: report, resolve } = Promise.withResolvers<ShellReport>();
    this.#expected = {
      token,
      take: (value) => {
        this.#stateFiles = [stateFile, ...this.#stateFiles].slice(0, 2);
        resolve(value);
      },
    };
    pair.stdout.listen((bytes) => command.onOutput('stdout', bytes));
    pair.stderr.listen((bytes) => command.onOutput('stderr', bytes));
    shell.child.stdin?.write(
      commandText({
        command: command.command,
        mark: this.#options.environment.markOf(command.callId),
        stdout: pair.stdout.path,
        stderr: pair.stderr.path,
        status: shell.channel.statusPath,
        token,
        stateFile,
      }),
    );
    const replaced = this.#lost;
    this.#lost = false;
    return { shell, pair, callId: command.callId, report, replaced };
  }

  /** A shell with a free pair of pipes; a new one when there is none, or when its pipes are used up. */
  async #ready(grant: Grant): Promise<{ shell: ShellProcess; pair: PipePair }> {
    for (let attempt = 0; attempt < 2; attempt++) {
      const shell = this.#shell ?? (await this.#start(grant));
      const pair = shell.channel.pair();
      if (pair !== null) return { shell, pair };
      await this.#dispose();
    }
    throw new ToolFailure('unavailable', 'The pipes of a new shell could not be opened.');
  }

  async #start(grant: Grant): Promise<ShellProcess> {
    const state = this.#lost ? { saved: this.#saved, folder: this.#folder } : null;
    const shell = await startShell(this.#options, grant, state);
    this.#shell = shell;
    shell.channel.open((report) => {
      if (report.token === this.#expected?.token) this.#expected.take(report);
    });
    void shell.child.exited.then(() => {
      if (this.#shell === shell && this.#expected === null) this.#forget();
    });
    return shell;
  }

  async #processesOf({ shell, callId }: Active): Promise<readonly number[]> {
    const found = await this.#options.environment.processesOf(shell.id, callId);
    return found.filter((pid) => !shell.own.has(pid) && !this.#leftovers.has(pid));
  }

  /** The shell is gone: keeps the state it saved last and removes its folder. */
  #forget(): void {
    const shell = this.#shell;
    if (shell === null) return;
    this.#shell = null;
    this.#expected = null;
    this.#lost = true;
    for (const file of this.#stateFiles) {
      const saved = readState(file);
      if (saved === null) continue;
      this.#saved = saved;
      break;
    }
    this.#stateFiles = [];
    shell.channel.close();
    shell.channel.removeFolder();
  }

  async #dispose(): Promise<void> {
    const shell = this.#shell;
    if (shell !== null) {
      shell.child.stdin?.end();
      await shell.child.kill('cancel');
      await shell.child.exited;
      this.#forget();
    }
    await this.#leftovers.end();
  }
}

function stopOf({ signal, timeoutMs }: ShellCommand): {
  readonly promise: Promise<'timeout' | 'cancel'>;
  readonly clear: () => void;
} {
  const { promise, resolve } = Promise.withResolvers<'timeout' | 'cancel'>();
  const timer = setTimeout(() => resolve('timeout'), timeoutMs);
  const cancel = () => resolve('cancel');
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true });
  const clear = () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
  };
  return { promise, clear };
}
