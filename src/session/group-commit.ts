/**
 * Group commit: what is queued in one turn of the event loop, or while a `write` runs, is the next write, begun at once
 * when somebody waits for it; what is written while an `fdatasync` runs, or in
 * the 2 ms before one begins, is covered by it. After a write or sync error nothing is acknowledged any more.
 */
import { fdatasync, ftruncate, write, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { errorCode } from './fs-error.ts';

/** The two operations a log rests on; replaced in tests that inject faults. */
export interface LogFileSystem {
  /** Appends; returns how many bytes were taken, perhaps fewer than given. */
  write(fd: number, bytes: Uint8Array): Promise<number>;
  datasync(fd: number): Promise<void>;
}

/** Up to here a write goes into the page cache on this thread: waking another thread for it costs several times more. */
const DIRECT_BYTES = 64 * 1024;

export const nodeLogFileSystem: LogFileSystem = {
  write: (fd, bytes) =>
    bytes.length <= DIRECT_BYTES
      ? new Promise((resolve) => resolve(writeSync(fd, bytes)))
      : new Promise((resolve, reject) => {
          write(fd, bytes, (error, written) => (error === null ? resolve(written) : reject(error)));
        }),
  datasync: (fd) =>
    new Promise((resolve, reject) => {
      fdatasync(fd, (error) => (error === null ? resolve() : reject(error)));
    }),
};

const truncateTo = promisify(ftruncate);

/** One queued line: made only when its batch is written, together with the bytes that must be stored before it. */
export interface LogRecord {
  encode(): { readonly line: string; readonly blobs: readonly Uint8Array[] };
}

/** The promises all records of one batch share. A rejection nobody waits for is no fault of the process. */
export class Batch<R extends LogRecord> {
  readonly records: R[] = [];
  readonly written = Promise.withResolvers<void>();
  readonly acknowledged = Promise.withResolvers<void>();

  constructor() {
    this.written.promise.catch(() => undefined);
    this.acknowledged.promise.catch(() => undefined);
  }

  reject(error: Error): void {
    this.written.reject(error);
    this.acknowledged.reject(error);
  }
}

export interface CommitOptions<R extends LogRecord> {
  readonly fd: number;
  /** Present length of the file. */
  readonly size: number;
  readonly fs: LogFileSystem;
  /** Throws when another process has taken over. */
  readonly checkHolder: () => void;
  readonly storeBlob: (content: Uint8Array) => Promise<unknown>;
  /** Must be done before anything is acknowledged: the folder entries of the log. */
  readonly foldersSynced: Promise<void>;
  /** Frees space on a full disk; false when there is none left to free. */
  readonly freeSpace: () => Promise<boolean>;
  /** Called with the records of each batch once acknowledged, in order. */
  readonly onAcknowledged: (records: readonly R[]) => void;
  readonly onFailed: (error: Error) => void;
}

/** A step makes several batches within a few milliseconds; one sync covers them. */
const SYNC_DELAY_MS = 2;

export class GroupCommit<R extends LogRecord> {
  readonly #options: CommitOptions<R>;
  #size: number;
  #next = new Batch<R>();
  #unsynced: Batch<R>[] = [];
  #syncing: readonly Batch<R>[] = [];
  #writing: Batch<R> | null = null;
  #scheduled = false;
  #later: NodeJS.Immediate | null = null;
  #syncTimer: NodeJS.Timeout | null = null;
  /** Somebody waits for a flush: what is written is synced at once. */
  #urgent = false;
  #failed: Error | null = null;

  constructor(options: CommitOptions<R>) {
    this.#options = options;
    this.#size = options.size;
  }

  /** Queues a record; its batch begins with the next turn of the event loop, or when the running write ends. */
  add(record: R): Batch<R> {
    const batch = this.#next;
    batch.records.push(record);
    if (this.#failed !== null) {
      this.#next = new Batch();
      batch.reject(this.#failed);
    } else if (!this.#scheduled) {
      this.#later ??= setImmediate(() => this.hurry(batch));
    }
    return batch;
  }

  /** Begins the write of a batch that is still queued on the next microtask. */
  hurry(batch: Batch<R>): void {
    if (batch !== this.#next || this.#scheduled || this.#failed !== null) return;
    if (this.#later !== null) clearImmediate(this.#later);
    this.#later = null;
    this.#scheduled = true;
    queueMicrotask(() => void this.#writeBatches());
  }

  /** Resolves when everything added so far is acknowledged; rejects when the log has failed. */
  async flush(): Promise<void> {
    if (this.#failed !== null) throw this.#failed;
    this.#urgent = true;
    this.hurry(this.#next);
    this.#syncNow();
    const last = this.#next.records.length > 0 ? this.#next : this.#lastInFlight();
    try {
      await last?.acknowledged.promise;
    } finally {
      this.#urgent = false;
    }
  }

  fail(error: Error): void {
    if (this.#failed !== null) return;
    this.#failed = error;
    const open = [...this.#syncing, ...this.#unsynced, this.#writing, this.#next];
    this.#unsynced = [];
    this.#next = new Batch();
    for (const batch of open) batch?.reject(error);
    this.#options.onFailed(error);
  }

  #lastInFlight(): Batch<R> | undefined {
    return this.#writing ?? this.#unsynced.at(-1) ?? this.#syncing.at(-1);
  }

  async #writeBatches(): Promise<void> {
    while (this.#next.records.length > 0 && this.#failed === null) {
      const batch = this.#next;
      this.#next = new Batch();
      this.#writing = batch;
      try {
        await this.#writeBatch(batch);
      } catch (error) {
        this.fail(toError(error));
      }
      this.#writing = null;
    }
    this.#scheduled = false;
  }

  async #writeBatch(batch: Batch<R>): Promise<void> {
    const encoded = batch.records.map((record) => record.encode());
    for (const blob of encoded.flatMap(({ blobs }) => blobs)) {
      await this.#withSpace(() => this.#options.storeBlob(blob));
    }
    this.#options.checkHolder();
    const bytes = Buffer.from(encoded.map(({ line }) => line).join(''), 'utf8');
    await this.#withSpace(() => this.#writeAll(bytes));
    if (this.#failed !== null) return;
    this.#size += bytes.length;
    batch.written.resolve();
    this.#unsynced.push(batch);
    this.#syncSoon();
  }

  #syncSoon(): void {
    if (this.#urgent) this.#syncNow();
    else this.#syncTimer ??= setTimeout(() => this.#syncNow(), SYNC_DELAY_MS);
  }

  #syncNow(): void {
    if (this.#syncTimer !== null) clearTimeout(this.#syncTimer);
    this.#syncTimer = null;
    if (this.#syncing.length === 0) void this.#syncBatches();
  }

  async #writeAll(bytes: Buffer): Promise<void> {
    const { fd, fs } = this.#options;
    let position = 0;
    while (position < bytes.length) {
      const taken = await fs.write(fd, bytes.subarray(position));
      if (taken === 0) throw new Error('the file system takes no more bytes');
      position += taken;
    }
  }

  /** A full disk is met once with the reserved space; what was half written is taken back first. */
  async #withSpace(operation: () => Promise<unknown>): Promise<void> {
    try {
      await operation();
    } catch (error) {
      if (errorCode(error) !== 'ENOSPC') throw error;
      await truncateTo(this.#options.fd, this.#size);
      if (!(await this.#options.freeSpace())) throw error;
      await operation();
    }
  }

  async #syncBatches(): Promise<void> {
    while (this.#unsynced.length > 0) {
      const batches = this.#unsynced;
      this.#unsynced = [];
      this.#syncing = batches;
      try {
        await Promise.all([
          this.#options.fs.datasync(this.#options.fd),
          this.#options.foldersSynced,
        ]);
      } catch (error) {
        this.fail(toError(error));
        return;
      }
      this.#acknowledge(batches);
      if (this.#failed !== null) return;
      if (!this.#urgent) break;
    }
    this.#syncing = [];
    if (this.#unsynced.length > 0) this.#syncSoon();
  }

  #acknowledge(batches: readonly Batch<R>[]): void {
    if (this.#failed !== null) return;
    for (const batch of batches) {
      this.#options.onAcknowledged(batch.records);
      batch.acknowledged.resolve();
    }
  }
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
