import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { Fifo } from './fifo.ts';
import { STATE_END } from './shell-script.ts';

/** Pairs of pipes a shell has for the calls that leave a process holding one. */
const PAIRS = 12;
const MAX_STATE = 16 * 1024 * 1024;

export interface PipePair {
  readonly stdout: Fifo;
  readonly stderr: Fifo;
}

/** How a command ended, as the shell reports it. */
export interface ShellReport {
  readonly token: string;
  readonly code: number;
  readonly folder: string;
}

/** A private folder with the named pipes between us and one shell. */
export class ShellChannel {
  readonly folder: string;
  readonly statusPath: string;
  readonly #names: readonly { readonly stdout: string; readonly stderr: string }[];
  readonly #held: PipePair[] = [];
  #next = 0;
  #pair: PipePair | null = null;
  #status: Fifo | null = null;
  #pending = '';
  #states = 0;
  #report: (report: ShellReport) => void = () => {};

  constructor(parent: string) {
    this.folder = join(parent, `shell-${randomBytes(8).toString('hex')}`);
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    this.statusPath = join(this.folder, 'status');
    this.#names = Array.from({ length: PAIRS }, (_, at) => ({
      stdout: join(this.folder, `stdout-${at}`),
      stderr: join(this.folder, `stderr-${at}`),
    }));
  }

  /** Every pipe the shell must make before `open`. */
  get pipes(): string[] {
    return [this.statusPath, ...this.#names.flatMap(({ stdout, stderr }) => [stdout, stderr])];
  }

  /** Opens what the shell has made; throws when something else stands there. */
  open(onReport: (report: ShellReport) => void): void {
    this.#report = onReport;
    this.#status = new Fifo(this.statusPath);
    this.#status.listen((bytes) => this.#read(bytes));
  }

  /** Pipes nobody holds, or null when this shell has none left or its pipes were tampered with. */
  pair(): PipePair | null {
    if (this.#status?.isIntact() !== true) return null;
    if (this.#pair !== null) return this.#pair;
    const names = this.#names[this.#next++];
    if (names === undefined) return null;
    try {
      this.#pair = { stdout: new Fifo(names.stdout), stderr: new Fifo(names.stderr) };
      return this.#pair;
    } catch {
      return null;
    }
  }

  /** Delivers the rest of the output. True when a process that was left behind still holds a pipe. */
  settle(pair: PipePair): boolean {
    const states = [pair.stdout.settle(), pair.stderr.settle()];
    if (!states.includes('held')) return false;
    this.#held.push(pair);
    this.#pair = null;
    return true;
  }

  /** A name for the next saved state; names alternate, so the one before stays whole. */
  nextStateFile(): string {
    return join(this.folder, `state-${this.#states++ % 2}`);
  }

  close(): void {
    for (const pair of [this.#pair, ...this.#held]) {
      pair?.stdout.close();
      pair?.stderr.close();
    }
    this.#status?.close();
  }

  removeFolder(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #read(bytes: Uint8Array): void {
    this.#pending += Buffer.from(bytes).toString('latin1');
    for (;;) {
      const [token, code, folder, rest] = splitReport(this.#pending);
      if (rest === undefined) return;
      this.#pending = rest;
      this.#report({
        token: token ?? '',
        code: Number(code),
        folder: Buffer.from(folder ?? '', 'latin1').toString('utf8'),
      });
    }
  }
}

/** The first three NUL-ended fields and the rest; no rest when they are not complete. */
function splitReport(text: string): string[] {
  const fields: string[] = [];
  let from = 0;
  for (let at = 0; at < 3; at++) {
    const end = text.indexOf('\0', from);
    if (end < 0) return fields;
    fields.push(text.slice(from, end));
    from = end + 1;
  }
  return [...fields, text.slice(from)];
}

/** The content of a state file that was written to its last line; null for any other file. */
export function readState(path: string): Buffer | null {
  try {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const descriptor = openSync(path, flags);
    try {
      const stat = fstatSync(descriptor);
      if (!stat.isFile() || stat.size > MAX_STATE) return null;
      const content = readFileSync(descriptor);
      return content.toString('latin1').endsWith(`\n${STATE_END}\n`) ? content : null;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return null;
  }
}
