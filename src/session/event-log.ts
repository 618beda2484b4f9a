/**
 * The append-only truth of a session: `events.jsonl` (safety.md section 13, agent.md section 4).
 */
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ConfigError, ToolwrightError } from '../errors.ts';
import { storeBlob } from './blobs.ts';
import type {
  DurableEvent,
  DurablePayloads,
  DurableType,
  EventScope,
  TransientPayloads,
  TransientType,
} from './events.ts';
import { syncFolder } from './fs-atomic.ts';
import { errorCode, errorMessage } from './fs-error.ts';
import { type Batch, GroupCommit, type LogFileSystem, nodeLogFileSystem } from './group-commit.ts';
import { rememberSession } from './latest-session.ts';
import { Listeners } from './listeners.ts';
import type { SessionLock } from './lock.ts';
import { recoverLog } from './log-recovery.ts';
import { LoggedEvent } from './logged-event.ts';
import { ENVELOPE_VERSION, type LogDamage, type LogRead, readEvents } from './read-log.ts';
import { freeReserve, keepReserve } from './reserve.ts';
import type { Appended, EventListener, EventLog, Redactor, SessionPaths } from './types.ts';

export interface EventLogOptions {
  readonly paths: SessionPaths;
  readonly sessionId: string;
  readonly redactor: Redactor;
  readonly lock: SessionLock;
  /** Injected in tests that need faults. */
  readonly fs?: LogFileSystem;
  readonly now?: () => Date;
}

export interface RecoveredLog {
  readonly events: DurableEvent[];
  /** Bytes of a damaged tail that were cut off and kept as `events.torn-<time>`. */
  readonly tornBytes: number;
  /** Set when a line in the middle is damaged: nothing can be appended, reading and export still work. */
  readonly readOnly: { readonly line: number } | null;
  readonly damage: readonly LogDamage[];
}

const SESSION_SCOPE: EventScope = { run_id: null };

function logFailed(message: string, cause?: unknown): ToolwrightError {
  return new ToolwrightError('log_failed', message, {}, { cause });
}

/** Receipt of an append; the event object is made, and its line written at once, only when somebody asks for it. */
class Receipt implements Appended {
  readonly seq: number;
  readonly #logged: LoggedEvent;
  readonly #batch: Batch<LoggedEvent>;
  readonly #commit: GroupCommit<LoggedEvent>;

  constructor(
    seq: number,
    logged: LoggedEvent,
    batch: Batch<LoggedEvent>,
    commit: GroupCommit<LoggedEvent>,
  ) {
    this.seq = seq;
    this.#logged = logged;
    this.#batch = batch;
    this.#commit = commit;
  }

  get event(): DurableEvent {
    return this.#logged.event;
  }

  get written(): Promise<void> {
    this.#commit.hurry(this.#batch);
    return this.#batch.written.promise;
  }

  get acknowledged(): Promise<void> {
    return this.#batch.acknowledged.promise;
  }
}

interface OpenedFile {
  readonly epoch: number;
  readonly handle: FileHandle | null;
  readonly size: number;
  readonly lastSeq: number;
  readonly foldersSynced: Promise<void>;
  readonly background: Promise<unknown>;
}

class FileEventLog implements EventLog {
  readonly sessionId: string;
  readonly #options: EventLogOptions;
  readonly #opened: OpenedFile;
  readonly #listeners: Listeners;
  readonly #commit: GroupCommit<LoggedEvent>;
  #lastSeq: number;
  #shownSeq: number;
  #failed: Error | null = null;
  #diskFull = false;
  #closing: Promise<void> | null = null;

  constructor(options: EventLogOptions, opened: OpenedFile) {
    this.sessionId = options.sessionId;
    this.#options = options;
    this.#opened = opened;
    this.#lastSeq = opened.lastSeq;
    this.#shownSeq = opened.lastSeq;
    this.#listeners = new Listeners(opened.lastSeq, (error) => this.#listenerRemoved(error));
    this.#commit = new GroupCommit({
      fd: opened.handle?.fd ?? -1,
      size: opened.size,
      fs: options.fs ?? nodeLogFileSystem,
      checkHolder: () => this.#checkHolder(),
      storeBlob: (content) => storeBlob(options.paths.blobs, content),
      foldersSynced: opened.foldersSynced,
      freeSpace: () => this.#freeSpace(),
      onAcknowledged: (records) => this.#show(records),
      onFailed: (error) => {
        this.#failed = error;
      },
    });
  }

  get failed(): Error | null {
    return this.#failed;
  }

  get diskFull(): boolean {
    return this.#diskFull;
  }

  append<T extends DurableType>(scope: EventScope, type: T, payload: DurablePayloads[T]): Appended {
    const seq = this.#lastSeq + 1;
    const json = JSON.stringify({
      v: ENVELOPE_VERSION,
      seq,
      ts: this.#timestamp(),
      session_id: this.sessionId,
      ...scope,
      type,
      ...payload,
    });
    const logged = new LoggedEvent(json, this.#opened.epoch, this.#options.redactor);
    if (this.#failed === null) this.#lastSeq = seq;
    const batch = this.#commit.add(logged);
    return new Receipt(seq, logged, batch, this.#commit);
  }

  emit<T extends TransientType>(scope: EventScope, type: T, payload: TransientPayloads[T]): void {
    if (!this.#listeners.any) return;
    const redacted = this.#options.redactor.value(payload, 'known');
    const base = { ts: this.#timestamp(), session_id: this.sessionId };
    this.#listeners.showTransient(scope, type, redacted, base);
  }

  subscribe(listener: EventListener): () => void {
    return this.#listeners.add(listener);
  }

  flush(): Promise<void> {
    return this.#commit.flush();
  }

  async events(): Promise<DurableEvent[]> {
    await this.flush().catch(() => undefined);
    return (await readEvents(this.#options.paths.events)).events;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Nothing is accepted from now on; `reason` is the error of every later append. */
  fail(reason: Error): void {
    this.#commit.fail(reason);
  }

  async #close(): Promise<void> {
    await this.flush().catch(() => undefined);
    this.#commit.fail(logFailed('the event log is closed'));
    await this.#opened.background;
    await this.#opened.handle?.close();
  }

  #timestamp(): string {
    return (this.#options.now?.() ?? new Date()).toISOString();
  }

  #checkHolder(): void {
    if (this.#options.lock.holds()) return;
    throw logFailed(
      'another process has taken over this session: this one stops writing; resume the session to go on',
    );
  }

  async #freeSpace(): Promise<boolean> {
    if (!(await freeReserve(this.#options.paths))) return false;
    this.#diskFull = true;
    this.append(SESSION_SCOPE, 'warning', {
      code: 'disk_full',
      message: `the disk that holds ${this.#options.paths.root} is full: free some space, then resume`,
    });
    return true;
  }

  #show(records: readonly LoggedEvent[]): void {
    for (const record of records) {
      this.#shownSeq += 1;
      this.#listeners.showDurable(this.#shownSeq, () => record.event);
    }
  }

  #listenerRemoved(error: unknown): void {
    this.append(SESSION_SCOPE, 'warning', {
      code: 'listener_removed',
      message: `a reader of the events failed and was removed: ${errorMessage(error)}`,
    });
  }
}

/** A crash of the machine must not lose the folders and lock numbers that acknowledged lines depend on. */
async function syncFolders(paths: SessionPaths): Promise<void> {
  const folders = [paths.state, paths.root, dirname(paths.root)];
  await Promise.all(folders.map(syncFolder));
}

async function openForAppend(paths: SessionPaths): Promise<FileHandle> {
  try {
    return await open(paths.events, 'a', 0o600);
  } catch (error) {
    throw new ConfigError(
      `the event log ${paths.events} cannot be opened for writing: ${errorMessage(error)}`,
      { file: paths.events, code: errorCode(error) },
    );
  }
}

function readOnlyReason(paths: SessionPaths, line: number): ToolwrightError {
  return logFailed(
    `line ${line} of ${paths.events} is damaged, so this session can only be read: export it, and start a new one`,
  );
}

async function openFile(options: EventLogOptions, read: LogRead): Promise<OpenedFile> {
  const { paths } = options;
  // A session copied without its lock files must not look like one written by a replaced holder.
  const epoch = Math.max(options.lock.epoch, read.lastEpoch + 1);
  const common = { epoch, size: read.goodBytes, lastSeq: read.lastSeq };
  if (read.readOnly !== null) {
    const done = Promise.resolve();
    return { ...common, handle: null, foldersSynced: done, background: done };
  }
  const handle = await openForAppend(paths);
  const foldersSynced = syncFolders(paths);
  foldersSynced.catch(() => undefined);
  const background = Promise.allSettled([
    foldersSynced,
    keepReserve(paths),
    rememberSession(paths),
  ]);
  return { ...common, handle, foldersSynced, background };
}

/**
 * Opens (or begins) the log of a session whose lock the caller holds, after cutting a torn tail. A log damaged in the
 * middle opens read-only: `failed` is set and every append is refused. Throws ConfigError when it was written by a
 * newer version or cannot be opened.
 */
export async function openEventLog(
  options: EventLogOptions,
): Promise<{ log: EventLog; recovered: RecoveredLog }> {
  const { paths } = options;
  const read = await recoverLog(paths, options.now?.() ?? new Date());
  const opened = await openFile(options, read);
  const log = new FileEventLog(options, opened);
  if (read.readOnly !== null) log.fail(readOnlyReason(paths, read.readOnly.line));
  else if (read.tailBytes > 0) {
    log.append(SESSION_SCOPE, 'warning', {
      code: 'log_tail_cut',
      message: `${read.tailBytes} damaged bytes at the end of the event log were cut off and kept as events.torn-<time>`,
    });
  }
  const tornBytes = read.readOnly === null ? read.tailBytes : 0;
  const { events, damage } = read;
  return { log, recovered: { events, tornBytes, readOnly: read.readOnly, damage } };
}
