/**
 * One line of `audit.jsonl` (safety.md section 10): `hash`, its last member, is the SHA-256 of the exact bytes of the
 * line before `,"hash"`, and `prev` is the hash of the line before. So no canonical form is needed.
 */
import { hash } from 'node:crypto';

export const FIRST_PREV = '0'.repeat(64);
const HASH_KEY = ',"hash":"';
const HASH_DIGITS = 64;
/** `,"hash":"<64 digits>"}` */
const SUFFIX_LENGTH = HASH_KEY.length + HASH_DIGITS + 2;

/** The line, with its newline, of an entry whose members end with `prev`; and its hash. */
export function encodeAuditLine(json: string): { readonly line: string; readonly hash: string } {
  const body = json.slice(0, -1);
  const digest = hash('sha256', body, 'hex');
  return { line: `${body}${HASH_KEY}${digest}"}\n`, hash: digest };
}

export interface AuditLine {
  readonly seq: number;
  readonly prev: string;
  readonly hash: string;
}

function storedHash(line: Buffer): string | null {
  const suffix = line.toString('latin1', line.length - SUFFIX_LENGTH);
  const isSuffix = suffix.startsWith(HASH_KEY) && suffix.endsWith('"}');
  const digest = suffix.slice(HASH_KEY.length, -2);
  return isSuffix && /^[0-9a-f]{64}$/.test(digest) ? digest : null;
}

const SEQ = /^\{"v":1,"seq":(\d{1,15}),/;
const PREV = /,"prev":"([0-9a-f]{64})"$/;
const PREV_LENGTH = ',"prev":""'.length + HASH_DIGITS;
const SEQ_BYTES = 32;

/**
 * Number and hashes of a line (without newline) whose hash fits its bytes and whose `seq` and `prev` stand where the
 * writer puts them, else null. The hash vouches for the bytes between, so they need no parsing.
 */
export function decodeAuditLine(line: Buffer): AuditLine | null {
  if (line.length <= SUFFIX_LENGTH) return null;
  const digest = storedHash(line);
  const body = line.subarray(0, line.length - SUFFIX_LENGTH);
  if (digest === null || hash('sha256', body, 'hex') !== digest) return null;
  const seq = SEQ.exec(body.toString('latin1', 0, SEQ_BYTES))?.[1];
  const prev = PREV.exec(body.toString('latin1', body.length - PREV_LENGTH))?.[1];
  return seq === undefined || prev === undefined ? null : { seq: Number(seq), prev, hash: digest };
}
