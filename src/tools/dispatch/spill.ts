import { readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Redactor } from '../../session/types.ts';
import type { SpillWriter, ToolSession } from '../types.ts';
import { ByteTail } from './byte-tail.ts';
import { SpillFile } from './spill-file.ts';

const TAIL_BYTES = 64 * 1024;
/** A secret may reach over the cut before the tail; so much is looked at and not kept. */
const LONGEST_SECRET = 64 * 1024;
const MIB = 1024 * 1024;

/** The logical address of a call's whole output. */
export function spillAddress(callId: string): string {
  return `tool-output/${callId}.txt`;
}

/**
 * Whole output of one call, redacted, in `tool-output/<call_id>.txt`. Above the cap the file holds head and tail and
 * says how much is missing. Writes go to the page cache at once, so nothing piles up in memory behind a slow disk, and
 * what lies between head and tail costs a copy and no more.
 */
export function createSpill(session: ToolSession, callId: string): SpillWriter {
  return new Spill(session, callId);
}

class Spill implements SpillWriter {
  totalBytes = 0;
  private readonly session: ToolSession;
  private readonly callId: string;
  private readonly decoder = new TextDecoder('utf-8');
  private readonly redactor: ReturnType<Redactor['stream']>;
  private readonly file: SpillFile;
  /** Bytes the head may still take. */
  private room: number;
  /** What came after the head was full: redacted from the piece that filled it, then as it came. */
  private over: Buffer | null = null;
  private readonly rest = new ByteTail(TAIL_BYTES + LONGEST_SECRET);

  constructor(session: ToolSession, callId: string) {
    this.session = session;
    this.callId = callId;
    this.file = new SpillFile(session.paths.toolOutput, `${callId}.txt`);
    this.room = Math.max(TAIL_BYTES, session.limits.spillMib * MIB - TAIL_BYTES);
    this.redactor = session.redactor.stream();
  }

  write(bytes: Uint8Array): void {
    this.totalBytes += bytes.length;
    if (this.over !== null) this.rest.push(bytes);
    else if (bytes.length > 0) this.keep(this.read(bytes));
  }

  /** The next piece of redacted text; what may belong to a later piece is held back. */
  private read(bytes: Uint8Array): string {
    return this.redactor.push(this.decoder.decode(bytes, { stream: true }));
  }

  private keep(text: string): void {
    if (text === '') return;
    const taken = this.file.write(text, this.room);
    this.room -= taken.bytes;
    if (taken.units < text.length) this.over = Buffer.from(text.slice(taken.units));
  }

  async finish(): Promise<string | null> {
    this.writeTail();
    if (!this.file.close()) return null;
    await makeRoom(this.session, `${this.callId}.txt`);
    return spillAddress(this.callId);
  }

  private writeTail(): void {
    const bytes = Buffer.from(this.rest.lost === 0 ? this.continued() : this.cutTail());
    const tail = bytes.subarray(Math.max(0, bytes.length - TAIL_BYTES));
    const gone = this.rest.lost === 0 ? 0 : (this.over?.length ?? 0) + this.rest.lost;
    const lost =
      gone + (this.rest.lost === 0 ? bytes.length : this.rest.bytes.length) - tail.length;
    if (lost > 0) this.file.write(`\n[... ${lost.toLocaleString('en-US')} bytes omitted ...]\n`);
    this.file.writeBytes(tail);
  }

  /** All that came after the head, read on from where the head ended. */
  private continued(): string {
    const text = this.read(this.rest.bytes);
    const end = this.redactor.push(this.decoder.decode()) + this.redactor.end();
    return `${this.over ?? ''}${text}${end}`;
  }

  /** The end of a text whose middle is gone. Its first part may hold the rest of a secret nobody can know any more. */
  private cutTail(): string {
    const redactor = this.session.redactor.stream();
    const decoder = new TextDecoder('utf-8');
    const { bytes } = this.rest;
    const from = bytes.length - TAIL_BYTES;
    redactor.push(decoder.decode(bytes.subarray(0, from), { stream: true }));
    return redactor.push(decoder.decode(bytes.subarray(from))) + redactor.end();
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
  noted.acknowledged.catch(() => {});
}
