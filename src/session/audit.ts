/**
 * The hash-chained record of every decision and its outcome (safety.md section 10).
 */
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError, ToolwrightError } from '../errors.ts';
import { decodeAuditLine, encodeAuditLine, FIRST_PREV } from './audit-line.ts';
import { errorCode, errorMessage } from './fs-error.ts';
import { type LogFileSystem, nodeLogFileSystem } from './group-commit.ts';
import { compactTime, cutTail } from './log-recovery.ts';
import type { AuditEntry, AuditLog, Redactor, SessionPaths } from './types.ts';

export interface AuditLogOptions {
  readonly paths: SessionPaths;
  readonly sessionId: string;
  readonly redactor: Redactor;
  /** Injected in tests that need faults. */
  readonly fs?: LogFileSystem;
  readonly now?: () => Date;
}

export interface AuditHead {
  readonly seq: number;
  readonly hash: string;
}

const EMPTY_HEAD: AuditHead = { seq: 0, hash: FIRST_PREV };
const PREVIEW_CHARACTERS = 512;
const TAIL_STEP = 64 * 1024;
const NEWLINE = 10;

/** The last whole line of a file and the number of bytes after it. */
async function lastLine(handle: FileHandle): Promise<{ line: Buffer | null; tornBytes: number }> {
  const { size } = await handle.stat();
  for (let length = Math.min(TAIL_STEP, size); ; length = Math.min(length * 2, size)) {
    const bytes = Buffer.alloc(length);
    await handle.read(bytes, 0, length, size - length);
    const end = bytes.lastIndexOf(NEWLINE);
    const start = end <= 0 ? -1 : bytes.lastIndexOf(NEWLINE, end - 1);
    if (start < 0 && length < size) continue;
    const line = end < 0 ? null : bytes.subarray(start + 1, end);
    return { line, tornBytes: length - end - 1 };
  }
}

/** Where the chain goes on. A last line that does not fit its hash is not repaired: verifying reports it. */
function headOf(line: Buffer | null): AuditHead {
  if (line === null) return EMPTY_HEAD;
  const decoded = decodeAuditLine(line);
  if (decoded !== null) return { seq: decoded.seq, hash: decoded.hash };
  const text = line.toString('utf8');
  return {
    seq: Number(/"seq":(\d{1,15})/.exec(text)?.[1] ?? 0),
    hash: /"hash":"([0-9a-f]{64})"\}$/.exec(text)?.[1] ?? FIRST_PREV,
  };
}

async function recoverHead(paths: SessionPaths, now: Date): Promise<AuditHead> {
  let handle: FileHandle;
  try {
    handle = await open(paths.audit, 'r');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return EMPTY_HEAD;
    throw error;
  }
  try {
    const { size } = await handle.stat();
    const { line, tornBytes } = await lastLine(handle);
    if (tornBytes > 0) {
      const kept = join(paths.state, `audit.torn-${compactTime(now)}`);
      await cutTail(paths.audit, size - tornBytes, tornBytes, kept);
    }
    return headOf(line);
  } finally {
    await handle.close();
  }
}

/** Cut after redaction, so that no part of a secret is left at the cut. */
function withShortPreview<T extends Pick<AuditEntry, 'args_preview'>>(details: T): T {
  const preview = details.args_preview;
  if (preview === undefined || preview.length <= PREVIEW_CHARACTERS) return details;
  return { ...details, args_preview: preview.slice(0, PREVIEW_CHARACTERS).toWellFormed() };
}

class FileAuditLog implements AuditLog {
  readonly #options: AuditLogOptions;
  readonly #handle: FileHandle;
  readonly #fs: LogFileSystem;
  /** Of the last line made, and of the last one that is in the file. */
  #head: AuditHead;
  #written: AuditHead;
  #tail: Promise<void> = Promise.resolve();
  #failed: Error | null = null;
  #closing: Promise<void> | null = null;

  constructor(options: AuditLogOptions, handle: FileHandle, head: AuditHead) {
    this.#options = options;
    this.#handle = handle;
    this.#fs = options.fs ?? nodeLogFileSystem;
    this.#head = head;
    this.#written = head;
  }

  write(entry: AuditEntry): Promise<void> {
    if (this.#failed !== null) return Promise.reject(this.#failed);
    const { line, hash } = encodeAuditLine(this.#json(entry));
    const head = { seq: this.#head.seq + 1, hash };
    this.#head = head;
    const written = this.#tail.then(async () => {
      await this.#writeLine(line);
      this.#written = head;
    });
    this.#tail = written.catch(() => undefined);
    return written;
  }

  head(): AuditHead {
    return this.#written;
  }

  async flush(): Promise<void> {
    await this.#tail;
    if (this.#failed !== null) throw this.#failed;
    await this.#fs.datasync(this.#handle.fd);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Members in the order of safety.md section 10; `hash` follows. */
  #json(entry: AuditEntry): string {
    const { run_id, step, call_id, actor, event, ...details } = entry;
    const redacted = this.#options.redactor.value(details, 'strict');
    return JSON.stringify({
      v: 1,
      seq: this.#head.seq + 1,
      ts: (this.#options.now?.() ?? new Date()).toISOString(),
      user: this.#options.paths.user,
      session: this.#options.sessionId,
      run_id,
      step,
      call_id,
      actor,
      event,
      ...withShortPreview(redacted),
      prev: this.#head.hash,
    });
  }

  async #writeLine(line: string): Promise<void> {
    if (this.#failed !== null) throw this.#failed;
    try {
      const bytes = Buffer.from(line, 'utf8');
      let position = 0;
      while (position < bytes.length) {
        position += await this.#fs.write(this.#handle.fd, bytes.subarray(position));
      }
    } catch (error) {
      this.#failed = new ToolwrightError(
        'audit_failed',
        `the audit log ${this.#options.paths.audit} cannot be written (${errorMessage(error)}): only reading goes on; free space or check the disk, then resume`,
        {},
        { cause: error },
      );
      throw this.#failed;
    }
  }

  async #close(): Promise<void> {
    await this.#tail;
    this.#failed ??= new ToolwrightError('audit_failed', 'the audit log is closed');
    await this.#fs.datasync(this.#handle.fd).catch(() => undefined);
    await this.#handle.close();
  }
}

/**
 * Opens (or begins) the audit log of a session whose lock the caller holds; a last line without its end is cut off and
 * kept as `audit.torn-<time>`. Throws ConfigError when it cannot be opened.
 */
export async function openAuditLog(options: AuditLogOptions): Promise<AuditLog> {
  try {
    const head = await recoverHead(options.paths, options.now?.() ?? new Date());
    const handle = await open(options.paths.audit, 'a', 0o600);
    return new FileAuditLog(options, handle, head);
  } catch (error) {
    throw new ConfigError(
      `the audit log ${options.paths.audit} cannot be opened for writing: ${errorMessage(error)}`,
      { file: options.paths.audit, code: errorCode(error) },
    );
  }
}
