/**
 * Reads `events.jsonl`, telling good lines from damaged ones (safety.md section 13). Changes nothing.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ConfigError } from '../errors.ts';
import { loadBlob } from './blobs.ts';
import { decodeLine, lineEnd } from './event-line.ts';
import { holdsReferences, unpackEvent } from './event-values.ts';
import type { DurableEvent } from './events.ts';
import { errorCode } from './fs-error.ts';

/** Version of the envelope this program writes and the newest it reads. */
export const ENVELOPE_VERSION = 1;

export interface LogDamage {
  /** From 1. */
  readonly line: number;
  /**
   * `torn_tail`: everything from this line on is damaged; `bad_line`: damaged, with good lines after it; `sequence`:
   * numbers missing or repeated; `stale_epoch`: written by a holder that had been replaced, ignored;
   * `missing_blob`: a value of this line is gone.
   */
  readonly reason: 'torn_tail' | 'bad_line' | 'sequence' | 'stale_epoch' | 'missing_blob';
}

export interface LogRead {
  /** Good lines in order, blobs put back. */
  readonly events: DurableEvent[];
  readonly damage: readonly LogDamage[];
  /** First damaged line with a good one after it: such a log is not written to any more. */
  readonly readOnly: { readonly line: number } | null;
  /** Bytes up to the end of the last good line, and damaged bytes after it. */
  readonly goodBytes: number;
  readonly tailBytes: number;
  readonly lastSeq: number;
  readonly lastEpoch: number;
}

const CHUNK_BYTES = 1024 * 1024;

/** Takes lines one by one; what the whole file amounts to is known at the end. */
class LogParser {
  readonly events: DurableEvent[] = [];
  readonly damage: LogDamage[] = [];
  /** Line of each event whose line names blobs. */
  readonly withBlobs = new Map<DurableEvent, number>();
  lastSeq = 0;
  lastEpoch = 0;
  goodBytes = 0;
  #line = 0;
  #badLine: number | null = null;
  #afterDamage = false;

  take(bytes: Buffer, start: number, end: number, endOffset: number): void {
    this.#line += 1;
    const decoded = decodeLine(bytes, start, end);
    if (decoded === null) {
      this.#badLine ??= this.#line;
      return;
    }
    if (this.#badLine !== null) {
      this.damage.push({ line: this.#badLine, reason: 'bad_line' });
      this.#badLine = null;
      this.#afterDamage = true;
    }
    this.goodBytes = endOffset;
    this.#accept(decoded.json, decoded.epoch);
  }

  #accept(json: string, epoch: number): void {
    if (epoch < this.lastEpoch) {
      this.damage.push({ line: this.#line, reason: 'stale_epoch' });
      return;
    }
    const event: DurableEvent = JSON.parse(json);
    refuseNewer(event);
    if (epoch > this.lastEpoch) this.#dropStale(event.seq);
    this.lastEpoch = epoch;
    if (event.seq !== this.lastSeq + 1 && !(this.#afterDamage && event.seq > this.lastSeq)) {
      this.damage.push({ line: this.#line, reason: 'sequence' });
      if (event.seq <= this.lastSeq) return;
    }
    this.#afterDamage = false;
    this.lastSeq = event.seq;
    this.events.push(event);
    if (holdsReferences(json)) this.withBlobs.set(event, this.#line);
  }

  /** A new holder counts on from what it read; numbers that follow it came from the old one afterwards. */
  #dropStale(firstSeq: number): void {
    while (this.lastSeq >= firstSeq) {
      this.events.pop();
      this.lastSeq = this.events.at(-1)?.seq ?? 0;
      this.damage.push({ line: this.#line - 1, reason: 'stale_epoch' });
    }
  }

  finish(size: number): LogRead {
    if (this.goodBytes < size) {
      this.damage.push({ line: this.#badLine ?? this.#line + 1, reason: 'torn_tail' });
    }
    const first = this.damage.find(({ reason }) => reason === 'bad_line' || reason === 'sequence');
    return {
      events: this.events,
      damage: this.damage,
      readOnly: first === undefined ? null : { line: first.line },
      goodBytes: this.goodBytes,
      tailBytes: size - this.goodBytes,
      lastSeq: this.lastSeq,
      lastEpoch: this.lastEpoch,
    };
  }
}

function refuseNewer(event: DurableEvent): void {
  const version: number = event.v;
  if (version <= ENVELOPE_VERSION) return;
  throw new ConfigError(
    `this session was written by a newer toolwright (event format ${version}, known: ${ENVELOPE_VERSION}): use that version`,
    { version },
  );
}

/** Feeds every whole line to the parser; returns the number of bytes read. */
async function feedLines(handle: FileHandle, parser: LogParser): Promise<number> {
  let unfinished: Buffer[] = [];
  let offset = 0;
  let size = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES, null);
    if (bytesRead === 0) return size;
    size += bytesRead;
    unfinished.push(chunk.subarray(0, bytesRead));
    if (lineEnd(chunk.subarray(0, bytesRead), 0) < 0) continue;
    const bytes =
      unfinished.length === 1 ? chunk.subarray(0, bytesRead) : Buffer.concat(unfinished);
    let start = 0;
    for (let end = lineEnd(bytes, 0); end >= 0; end = lineEnd(bytes, start)) {
      parser.take(bytes, start, end, offset + end + 1);
      start = end + 1;
    }
    offset += start;
    unfinished = start < bytes.length ? [bytes.subarray(start)] : [];
  }
}

async function putBlobsBack(parser: LogParser, folder: string): Promise<void> {
  for (const [event, line] of parser.withBlobs) {
    await unpackEvent(event, async (name) => {
      const content = await loadBlob(folder, name);
      if (content === null) parser.damage.push({ line, reason: 'missing_blob' });
      return content;
    });
  }
}

/**
 * All good events of a log, values put back from the `blobs/` folder beside it. A missing file is an empty log.
 * Throws ConfigError when it was written by a newer version, and system errors of reading.
 */
export async function readEvents(file: string): Promise<LogRead> {
  const parser = new LogParser();
  let handle: FileHandle;
  try {
    handle = await open(file, 'r');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return parser.finish(0);
    throw error;
  }
  try {
    const size = await feedLines(handle, parser);
    await putBlobsBack(parser, join(dirname(file), 'blobs'));
    return parser.finish(size);
  } finally {
    await handle.close();
  }
}
