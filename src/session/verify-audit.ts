/**
 * Checks the chain of an audit log, line by line and against the anchors that finished runs left in the event log.
 */
import { createReadStream } from 'node:fs';
import { decodeAuditLine, FIRST_PREV } from './audit-line.ts';
import { errorCode } from './fs-error.ts';

export interface AuditAnchor {
  readonly seq: number;
  readonly hash: string;
}

export type AuditStatus = 'ok' | 'torn_tail' | 'unanchored' | 'edited' | 'truncated';

export interface AuditVerification {
  readonly status: AuditStatus;
  /** First line that is wrong or missing. */
  readonly firstBadSeq?: number;
  /** The last good line; 0 and 64 zeros when there is none. */
  readonly seq: number;
  readonly hash: string;
}

const NEWLINE = 10;

class ChainCheck {
  seq = 0;
  hash = FIRST_PREV;
  broken = false;
  readonly #anchors: Map<number, string>;

  constructor(anchors: readonly AuditAnchor[]) {
    this.#anchors = new Map(anchors.map((anchor) => [anchor.seq, anchor.hash]));
  }

  take(line: Buffer): void {
    if (this.broken) return;
    const decoded = decodeAuditLine(line);
    const anchored = this.#anchors.get(this.seq + 1);
    if (
      decoded === null ||
      decoded.seq !== this.seq + 1 ||
      decoded.prev !== this.hash ||
      (anchored !== undefined && anchored !== decoded.hash)
    ) {
      this.broken = true;
      return;
    }
    this.seq = decoded.seq;
    this.hash = decoded.hash;
  }
}

/** Feeds whole lines; returns how many bytes follow the last one. A missing file has none. */
async function feedLines(file: string, check: ChainCheck): Promise<number> {
  let unfinished: Buffer[] = [];
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 })) {
      const fresh: Buffer = chunk;
      unfinished.push(fresh);
      if (!fresh.includes(NEWLINE)) continue;
      const bytes = Buffer.concat(unfinished);
      let start = 0;
      for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
        check.take(bytes.subarray(start, end));
        start = end + 1;
      }
      unfinished = start < bytes.length ? [bytes.subarray(start)] : [];
    }
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  return unfinished.reduce((length, part) => length + part.length, 0);
}

/** `anchors` are the `audit` members of `run_finished` events, in order. */
export async function verifyAudit(
  file: string,
  anchors: readonly AuditAnchor[],
): Promise<AuditVerification> {
  const check = new ChainCheck(anchors);
  const tornBytes = await feedLines(file, check);
  const at = { seq: check.seq, hash: check.hash };
  const next = check.seq + 1;
  if (check.broken) return { status: 'edited', firstBadSeq: next, ...at };
  const last = anchors.at(-1);
  if (last !== undefined && last.seq > check.seq) {
    return { status: 'truncated', firstBadSeq: next, ...at };
  }
  if (tornBytes > 0) return { status: 'torn_tail', firstBadSeq: next, ...at };
  return { status: last === undefined ? 'unanchored' : 'ok', ...at };
}
