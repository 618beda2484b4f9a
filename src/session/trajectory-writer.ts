/**
 * Keeps the trajectory file of a running task up to date (agent.md section 5). It can fail without harming the run.
 */

import { access } from 'node:fs/promises';
import { dirname, join, parse } from 'node:path';
import type { DurableEvent, SessionEvent } from './events.ts';
import { createFileAtomic, writeFileAtomic } from './fs-atomic.ts';
import { errorMessage } from './fs-error.ts';
import { makeFolders } from './make-folders.ts';
import { renderTrajectory, type Trajectory, trajectoryOf, trajectoryPieces } from './trajectory.ts';
import type { EventLog } from './types.ts';

const SHORTEST_PAUSE_MS = 2000;
const PAUSE_PER_WRITE = 10;
const HIGHEST_NUMBER = 10_000;

/** `trajectories/trajectory_YYYYMMDD_HHMMSS.json`, in local time. */
export function defaultTrajectoryPath(folder: string, now: Date = new Date()): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${now.getFullYear()}${two(now.getMonth() + 1)}${two(now.getDate())}`;
  const time = `${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}`;
  return join(folder, 'trajectories', `trajectory_${day}_${time}.json`);
}

/** The name itself, then with `_1`, `_2` ... before its extension. */
function* numberedPaths(file: string): Generator<string> {
  const { dir, name, ext } = parse(file);
  yield file;
  for (let number = 1; number < HIGHEST_NUMBER; number += 1)
    yield join(dir, `${name}_${number}${ext}`);
}

/** The first of the numbered names that is not taken now. */
export async function freeTrajectoryPath(file: string): Promise<string> {
  for (const path of numberedPaths(file)) {
    const free = await access(path).then(
      () => false,
      () => true,
    );
    if (free) return path;
  }
  throw new Error(`every numbered name of ${file} is taken`);
}

const CHUNK_UNITS = 64 * 1024;

/** The same text in few pieces. Between two of them other work of the process goes on. */
function* inChunks(pieces: Iterable<string>): Generator<string> {
  let chunk = '';
  for (const piece of pieces) {
    chunk += piece;
    if (chunk.length < CHUNK_UNITS) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

export interface TrajectoryWriterOptions {
  readonly log: EventLog;
  /** Wanted path; never overwritten: a number is appended when it exists. */
  readonly file: string;
  /** Durable events of the session so far, for a task that is resumed. */
  readonly previous?: readonly DurableEvent[];
  /** A run of the task; default: the last task of the session. */
  readonly runId?: string;
  /** Told the path just before the file is made there. */
  readonly onFile?: (file: string) => void;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

export interface TrajectoryWriter {
  /** The file in use, null before the first write and after a write failed. */
  readonly file: string | null;
  /** Writes the last state and stops listening; never throws. */
  finish(): Promise<void>;
}

class FileTrajectoryWriter implements TrajectoryWriter {
  readonly #options: TrajectoryWriterOptions;
  readonly #events: DurableEvent[];
  readonly #unsubscribe: () => void;
  #file: string | null = null;
  #failed = false;
  #writing: Promise<void> | null = null;
  #notBefore = 0;

  constructor(options: TrajectoryWriterOptions) {
    this.#options = options;
    this.#events = [...(options.previous ?? [])];
    this.#unsubscribe = options.log.subscribe((event) => this.#onEvent(event));
  }

  get file(): string | null {
    return this.#failed ? null : this.#file;
  }

  async finish(): Promise<void> {
    await this.#options.log.flush().catch(() => undefined);
    this.#unsubscribe();
    await this.#writing;
    await this.#write();
  }

  #onEvent(event: SessionEvent): void {
    if (event.sub !== undefined) return;
    // Without `sub` an event is durable.
    this.#events.push(event as DurableEvent);
    if (event.type === 'run_started' && this.#file === null) this.#writeSoon();
    else if (event.type === 'step_finished' && this.#now() >= this.#notBefore) this.#writeSoon();
  }

  #now(): number {
    return this.#options.now?.() ?? performance.now();
  }

  #writeSoon(): void {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null;
    });
  }

  async #write(): Promise<void> {
    if (this.#failed) return;
    const started = this.#now();
    try {
      const trajectory = trajectoryOf(this.#events, this.#options.runId);
      if (trajectory === null) return;
      await this.#store(trajectory);
    } catch (error) {
      this.#fail(error);
    }
    const ended = this.#now();
    this.#notBefore = ended + Math.max(SHORTEST_PAUSE_MS, PAUSE_PER_WRITE * (ended - started));
  }

  async #store(trajectory: Trajectory): Promise<void> {
    if (this.#file !== null) {
      const chunks = inChunks(trajectoryPieces(trajectory));
      return writeFileAtomic(this.#file, chunks, { mode: 0o600 });
    }
    const text = renderTrajectory(trajectory);
    await makeFolders(dirname(this.#options.file));
    for (;;) {
      const path = await freeTrajectoryPath(this.#options.file);
      this.#options.onFile?.(path);
      // Another process may have taken the name meanwhile.
      if (!(await createFileAtomic(path, text))) continue;
      this.#file = path;
      return;
    }
  }

  #fail(error: unknown): void {
    this.#failed = true;
    const message = `the trajectory ${this.#file ?? this.#options.file} cannot be written (${errorMessage(error)}); "sessions export --format trajectory" still gives it`;
    this.#options.log.append({ run_id: null }, 'warning', { code: 'trajectory_failed', message });
  }
}

/**
 * Listens to the log and writes: at the start of the run, after steps (no sooner than 2 s and ten times the duration
 * of the last write after it), and at `finish`. A failed write is one warning and the end of writing.
 */
export function createTrajectoryWriter(options: TrajectoryWriterOptions): TrajectoryWriter {
  return new FileTrajectoryWriter(options);
}
