import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Redactor } from '../../session/types.ts';
import type { SpillWriter, ToolSession } from '../types.ts';

const CHUNK = 64 * 1024;
const TAIL_BYTES = 64 * 1024;
const MIB = 1024 * 1024;

/** The logical address of a call's whole output. */
export function spillAddress(callId: string): string {
  return `tool-output/${callId}.txt`;
}

/**
 * Whole output of one call, redacted, in `tool-output/<call_id>.txt`. Above the cap the file holds head and tail and
 * says how much is missing. Writes go to the page cache at once, so nothing piles up in memory behind a slow disk.
 */
export function createSpill(session: ToolSession, callId: string): SpillWriter {
  return new Spill(session, callId);
}

class Spill implements SpillWriter {
  totalBytes = 0;
  private readonly session: ToolSession;
  private readonly callId: string;
  private readonly file: string;
  private readonly headLimit: number;
  private readonly decoder = new TextDecoder('utf-8');
  private readonly redactor: ReturnType<Redactor['stream']>;
  private descriptor: number | null = null;
  private waiting: Buffer[] = [];
  private waitingBytes = 0;
  private headBytes = 0;
  private tail: Buffer = Buffer.alloc(0);
  private lost = 0;
  private broken = false;

  constructor(session: ToolSession, callId: string) {
    this.session = session;
    this.callId = callId;
    this.file = join(session.paths.toolOutput, `${callId}.txt`);
    this.headLimit = Math.max(TAIL_BYTES, session.limits.spillMib * MIB - TAIL_BYTES);
    this.redactor = session.redactor.stream();
  }

  write(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.totalBytes += bytes.length;
    this.keep(this.redactor.push(this.decoder.decode(bytes, { stream: true })));
  }

  private keep(text: string): void {
    if (text === '' || this.broken) return;
    const bytes = Buffer.from(text);
    const room = Math.max(0, this.headLimit - this.headBytes);
    const head = bytes.subarray(0, room);
    this.headBytes += head.length;
    this.queue(head);
    if (bytes.length > room) this.keepTail(bytes.subarray(room));
  }

  private queue(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.waiting.push(bytes);
    this.waitingBytes += bytes.length;
    if (this.waitingBytes >= CHUNK) this.flush();
  }

  private keepTail(bytes: Buffer): void {
    const joined = Buffer.concat([this.tail, bytes]);
    const over = Math.max(0, joined.length - TAIL_BYTES);
    this.lost += over;
    this.tail = joined.subarray(over);
  }

  private flush(): void {
    if (this.waitingBytes === 0 || this.broken) return;
    const bytes = Buffer.concat(this.waiting);
    this.waiting = [];
    this.waitingBytes = 0;
    try {
      this.descriptor ??= this.open();
      for (let done = 0; done < bytes.length; ) {
        done += writeSync(this.descriptor, bytes, done);
      }
    } catch {
      // A full disk costs the copy, not the call: finish() then reports no address.
      this.broken = true;
    }
  }

  private open(): number {
    mkdirSync(this.session.paths.toolOutput, { recursive: true, mode: 0o700 });
    return openSync(this.file, 'w', 0o600);
  }

  async finish(): Promise<string | null> {
    this.keep(this.redactor.push(this.decoder.decode()) + this.redactor.end());
    if (this.lost > 0) {
      this.queue(Buffer.from(`\n[... ${this.lost.toLocaleString('en-US')} bytes omitted ...]\n`));
    }
    this.queue(this.tail);
    this.flush();
    if (this.descriptor === null) return null;
    closeSync(this.descriptor);
    this.descriptor = null;
    if (this.broken) {
      await unlink(this.file).catch(() => {});
      return null;
    }
    await makeRoom(this.session, `${this.callId}.txt`);
    return spillAddress(this.callId);
  }
}

/** Removes the oldest spill files above the session's cap; the newest one always stays. */
async function makeRoom(session: ToolSession, newest: string): Promise<void> {
  const folder = session.paths.toolOutput;
  const names = await readdir(folder).catch(() => []);
  const files = await Promise.all(
    names.map(async (name) => {
      const found = await stat(join(folder, name)).catch(() => null);
      return { name, size: found?.size ?? 0, time: found?.mtimeMs ?? 0 };
    }),
  );
  let over = files.reduce((sum, file) => sum + file.size, 0) - session.limits.spillSessionMib * MIB;
  const oldest = files.filter(({ name }) => name !== newest).sort((a, b) => a.time - b.time);
  const removed: string[] = [];
  for (const file of oldest) {
    if (over <= 0) break;
    await unlink(join(folder, file.name)).catch(() => {});
    over -= file.size;
    removed.push(file.name);
  }
  if (removed.length === 0) return;
  const message = `kept outputs passed ${session.limits.spillSessionMib} MiB; removed the oldest: ${removed.join(', ')}`;
  const noted = session.log.append({ run_id: null }, 'warning', { code: 'spill_removed', message });
  noted.written.catch(() => {});
  noted.acknowledged.catch(() => {});
}
