/**
 * The one module that starts processes. Every child gets its own session, the marks of its owner and call, and an
 * entry in the registry before anybody hears of it.
 */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { ToolFailure } from '../errors.ts';
import { CALL_VARIABLE, OWNER_VARIABLE } from './call-marks.ts';
import { ChildRegistry } from './child-registry.ts';
import { signalQuietly } from './end-processes.ts';
import { READY_DESCRIPTOR } from './limit-wrapper.ts';
import { ownerKey } from './owner.ts';
import { startTimeOf } from './process-table.ts';

/** Descriptor on which a launcher reads the arguments that must not appear in process lists. */
export const ARGUMENTS_DESCRIPTOR = 8;
const FIRST_EXTRA = 3;
const MAX_EXTRA = ARGUMENTS_DESCRIPTOR - FIRST_EXTRA;

export interface StartRequest {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Mark of the call. */
  readonly mark: string;
  readonly kind: string;
  readonly session: string | null;
  readonly call: string;
  readonly stdin: 'closed' | 'pipe';
  readonly extraPipes: number;
  /** Content readable at `ARGUMENTS_DESCRIPTOR`. */
  readonly privateArguments?: Uint8Array;
  /** Open a pipe at `READY_DESCRIPTOR` and wait for the first byte on it. */
  readonly awaitReady: boolean;
}

export interface StartedProcess {
  readonly process: ChildProcess;
  readonly pid: number;
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly pipes: readonly Readable[];
  /** True when the wrapper said it runs, false when the process ended before; true at once without `awaitReady`. */
  readonly ready: Promise<boolean>;
}

export class ProcessManager {
  readonly registry: ChildRegistry;
  readonly #running = new Set<number>();

  constructor(home: string) {
    this.registry = new ChildRegistry(home);
  }

  /** Throws ToolFailure `unavailable` when the program cannot be started. */
  async start(request: StartRequest): Promise<StartedProcess> {
    const feed =
      request.privateArguments === undefined
        ? null
        : unnamedFile(this.registry.folder(), request.privateArguments);
    let child: ChildProcess;
    try {
      child = spawn(request.file, [...request.args], {
        cwd: request.cwd,
        env: {
          ...request.env,
          [CALL_VARIABLE]: request.mark,
          [OWNER_VARIABLE]: ownerKey,
        },
        detached: true,
        stdio: stdioOf(request, feed),
      });
    } catch (cause) {
      throw cannotStart(request.file, cause);
    } finally {
      if (feed !== null) closeSync(feed);
    }
    return this.#own(child, request);
  }

  async #own(child: ChildProcess, request: StartRequest): Promise<StartedProcess> {
    const { pid, stdout, stderr } = child;
    if (pid === undefined || stdout === null || stderr === null) {
      const [cause] = await once(child, 'error');
      throw cannotStart(request.file, cause);
    }
    this.registry.add({
      pid,
      start_time: startTimeOf(pid),
      kind: request.kind,
      session: request.session,
      call: request.call,
      group: pid,
    });
    this.#running.add(pid);
    child.once('exit', () => this.#running.delete(pid));
    child.on('error', () => {});
    const pipes = Array.from({ length: request.extraPipes }, (_, at) =>
      readableAt(child, FIRST_EXTRA + at),
    );
    const ready = request.awaitReady
      ? heldUntil(firstByte(readableAt(child, READY_DESCRIPTOR)), [stdout, stderr, ...pipes])
      : Promise.resolve(true);
    return { process: child, pid, stdin: child.stdin, stdout, stderr, pipes, ready };
  }

  /** The last resort when this process ends with children alive. */
  endNow(): void {
    for (const pid of this.#running) {
      signalQuietly(-pid, 'SIGKILL');
      signalQuietly(pid, 'SIGKILL');
    }
    if (this.#running.size === 0) this.registry.remove();
  }
}

const managers = new Map<string, ProcessManager>();

function endAll(): void {
  for (const manager of managers.values()) manager.endNow();
}

/** The manager of this process for one TOOLWRIGHT_HOME. */
export function processManager(home: string): ProcessManager {
  const known = managers.get(home);
  if (known !== undefined) return known;
  // One listener for all homes: Node warns of a leak when there are more than ten.
  if (managers.size === 0) process.once('exit', endAll);
  const manager = new ProcessManager(home);
  managers.set(home, manager);
  return manager;
}

function stdioOf(request: StartRequest, feed: number | null): StdioOptions {
  if (request.extraPipes > MAX_EXTRA) {
    throw new RangeError(`at most ${MAX_EXTRA} extra pipes can be given to a child`);
  }
  const stdio: (number | 'ignore' | 'pipe')[] = [
    request.stdin === 'closed' ? 'ignore' : 'pipe',
    'pipe',
    'pipe',
  ];
  for (let at = 0; at < request.extraPipes; at++) stdio.push('pipe');
  if (feed === null && !request.awaitReady) return stdio;
  while (stdio.length < ARGUMENTS_DESCRIPTOR) stdio.push('ignore');
  stdio.push(feed ?? 'ignore');
  if (request.awaitReady) stdio.push('pipe');
  return stdio;
}

/** A file without a name, positioned at its start, so that a child can read it and nobody else can find it. */
function unnamedFile(folder: string, content: Uint8Array): number {
  const path = join(folder, `arguments-${process.hrtime.bigint()}`);
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL;
  const descriptor = openSync(path, flags, 0o600);
  unlinkSync(path);
  writeSync(descriptor, content, 0, content.length, 0);
  return descriptor;
}

function readableAt(child: ChildProcess, descriptor: number): Readable {
  const stream = child.stdio[descriptor];
  if (stream && 'read' in stream) return stream;
  throw new TypeError(`no pipe at descriptor ${descriptor}`);
}

function firstByte(stream: Readable): Promise<boolean> {
  return new Promise((resolve) => {
    stream.once('data', () => {
      resolve(true);
      stream.destroy();
    });
    stream.once('close', () => resolve(false));
    stream.once('error', () => resolve(false));
  });
}

/**
 * Node drops unread output when a child exits, and one may exit before it counts as started. A listener for `readable`
 * holds the output back until whoever waits for the start had the chance to listen.
 */
async function heldUntil<T>(start: Promise<T>, streams: readonly Readable[]): Promise<T> {
  const hold = () => {};
  for (const stream of streams) stream.on('readable', hold);
  const result = await start;
  for (const stream of streams) stream.removeListener('readable', hold);
  return result;
}

function cannotStart(file: string, cause: unknown): ToolFailure {
  const detail = cause instanceof Error ? cause.message : String(cause);
  return new ToolFailure('unavailable', `${file} could not be started: ${detail}`, {
    details: { file },
  });
}
