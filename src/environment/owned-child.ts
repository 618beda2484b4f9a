import type { Readable, Writable } from 'node:stream';
import { endProcesses, signalQuietly } from './end-processes.ts';
import type { StartedProcess } from './process-manager.ts';
import { isRunning } from './process-table.ts';
import type { Child, EndedBy, Exit, SpawnRequest } from './types.ts';

/** How long a pipe that others hold is waited for after the direct child has exited. */
const HELD_PIPE_MS = 500;
const LOST_LOOKS = 2;
/** Shell form of an end by SIGXFSZ. */
const FILE_SIZE_CODE = 153;

/** What the environment knows about the processes of a child. */
export interface ProcessFinder {
  /** Processes of the call that run commands, as far as they live. */
  inside(): readonly number[];
  /** Those of them that are below the child in the process tree; quicker. */
  tree(): readonly number[];
  /** Processes whose end by KILL takes the others with them, or process groups as negative numbers. */
  holders(): readonly number[];
}

/** A started process with its end: drained pipes, time limit, cancellation, and TERM, 2 s, KILL for its whole tree. */
export class OwnedChild implements Child {
  readonly pid: number;
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly pipes: readonly Readable[];
  readonly exited: Promise<Exit>;
  readonly #started: StartedProcess;
  readonly #finder: ProcessFinder;
  readonly #begun = performance.now();
  #endedBy: EndedBy | null = null;
  #over = false;
  #ending: Promise<void> | null = null;
  #reportLost: () => void = () => {};
  #missed = 0;

  constructor(started: StartedProcess, request: SpawnRequest, finder: ProcessFinder) {
    this.#started = started;
    this.#finder = finder;
    this.pid = started.pid;
    this.stdin = started.stdin;
    this.stdout = started.stdout;
    this.stderr = started.stderr;
    this.pipes = started.pipes;
    this.exited = this.#untilExited();
    this.#watchTime(request);
    this.#feed(request);
  }

  get running(): boolean {
    return !this.#over;
  }

  /** Processes of this child that are alive now. */
  processes(): readonly number[] {
    return this.#finder.inside();
  }

  /** Those of them that are below it in the process tree. */
  descendants(): readonly number[] {
    return this.#finder.tree();
  }

  kill(reason: 'timeout' | 'cancel' | 'memory' | 'pids' | 'disk'): Promise<void> {
    if (!this.#over) this.#endedBy ??= reason;
    this.#ending ??= this.#endAll().finally(() => {
      this.#ending = null;
    });
    return this.#ending;
  }

  /** Called in intervals: settles the result when the process is gone and its exit was not reported for a second. */
  checkLost(): void {
    this.#missed = this.#over || isRunning(this.pid) ? 0 : this.#missed + 1;
    if (this.#missed > LOST_LOOKS) this.#reportLost();
  }

  async #endAll(): Promise<void> {
    for (const pid of this.#finder.holders()) if (pid < 0) signalQuietly(pid, 'SIGTERM');
    await endProcesses({
      find: () => (this.#over ? [] : [this.pid]).concat(this.#finder.inside()),
      holders: () => this.#finder.holders(),
    });
  }

  #watchTime(request: SpawnRequest): void {
    const limit = request.limits?.timeoutMs;
    const timer = limit === undefined ? null : setTimeout(() => void this.kill('timeout'), limit);
    const cancel = () => void this.kill('cancel');
    if (request.signal?.aborted) cancel();
    request.signal?.addEventListener('abort', cancel, { once: true });
    void this.exited.then(() => {
      if (timer !== null) clearTimeout(timer);
      request.signal?.removeEventListener('abort', cancel);
    });
  }

  #feed(request: SpawnRequest): void {
    this.stdin?.on('error', () => {});
    if (typeof request.stdin === 'object') this.stdin?.end(request.stdin.bytes);
  }

  async #untilExited(): Promise<Exit> {
    const streams = [this.stdout, this.stderr, ...this.pipes];
    const drained = Promise.all(streams.map(untilClosed));
    const [code, signal] = await this.#untilEnded();
    this.#over = true;
    await Promise.race([drained, this.#untilHeldByOthers(streams)]);
    for (const stream of streams) releaseStream(stream);
    return {
      code,
      signal,
      ended_by: this.#reasonOf(code, signal),
      duration_ms: Math.round(performance.now() - this.#begun),
      leftovers: this.#finder.inside().length,
    };
  }

  #untilEnded(): Promise<[number | null, NodeJS.Signals | null]> {
    return new Promise((resolve) => {
      this.#started.process.once('exit', (code, signal) => resolve([code, signal]));
      this.#reportLost = () => {
        this.#endedBy ??= 'lost';
        resolve([null, null]);
      };
    });
  }

  /** Waits in rounds: a reader that is still taking what was written before the exit gets its time. */
  async #untilHeldByOthers(streams: readonly Readable[]): Promise<void> {
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, HELD_PIPE_MS));
      const unread = streams.some((stream) => stream.readableLength > 0);
      if (!unread || this.#finder.inside().length > 0) return;
    }
  }

  #reasonOf(code: number | null, signal: NodeJS.Signals | null): EndedBy {
    if (this.#endedBy !== null) return this.#endedBy;
    return signal === 'SIGXFSZ' || code === FILE_SIZE_CODE ? 'file_size' : 'exit';
  }
}

function untilClosed(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.closed || stream.readableEnded) resolve();
    stream.once('end', resolve);
    stream.once('close', resolve);
    stream.once('error', resolve);
  });
}

/** Late output of a process that was left behind is read and dropped, so that it is not ended by a broken pipe. */
function releaseStream(stream: Readable): void {
  if (stream.readableEnded || stream.destroyed) return;
  stream.removeAllListeners('data');
  stream.resume();
  if ('unref' in stream && typeof stream.unref === 'function') stream.unref();
}
