/**
 * One line of `events.jsonl` (safety.md section 13): the event's JSON with two storage members at its end, `epoch` and
 * `_k: "<length>:<crc>"`, where length and CRC-32 cover the bytes of the line before `,"_k"`.
 */
import { crc32 } from 'node:zlib';

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const COLON = 0x3a;
const CLOSE = 0x7d;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
const LETTER_A = 0x61;
const LETTER_F = 0x66;

const CHECK_KEY = Buffer.from(',"_k":"');
const EPOCH_KEY = Buffer.from(',"epoch":');
const CRC_DIGITS = 8;

/** `json` is the text of an object with at least one member. The line ends with a newline. */
export function encodeLine(json: string, epoch: number): string {
  const body = `${json.slice(0, -1)},"epoch":${epoch}`;
  const crc = crc32(body).toString(16).padStart(CRC_DIGITS, '0');
  return `${body},"_k":"${Buffer.byteLength(body)}:${crc}"}\n`;
}

export interface DecodedLine {
  readonly json: string;
  readonly epoch: number;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= DIGIT_0 && byte <= DIGIT_9;
}

/** First position of the run of digits that ends before `end`. */
function digitsStart(bytes: Buffer, end: number): number {
  let position = end;
  while (isDigit(bytes[position - 1])) position -= 1;
  return position;
}

function decimal(bytes: Buffer, start: number, end: number): number {
  let value = 0;
  for (let at = start; at < end; at += 1) value = value * 10 + ((bytes[at] ?? 0) - DIGIT_0);
  return value;
}

/** The value of lower-case hexadecimal digits, or -1 when one of the bytes is something else. */
function hexadecimal(bytes: Buffer, start: number, end: number): number {
  let value = 0;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    const isLetter = byte >= LETTER_A && byte <= LETTER_F;
    if (!isLetter && !isDigit(byte)) return -1;
    value = value * 16 + (isLetter ? byte - LETTER_A + 10 : byte - DIGIT_0);
  }
  return value;
}

/** Position where `key` begins when it ends at `end`, or -1. */
function keyBefore(bytes: Buffer, key: Uint8Array, end: number, start: number): number {
  const begin = end - key.length;
  if (begin < start) return -1;
  for (let at = 0; at < key.length; at += 1) if (bytes[begin + at] !== key[at]) return -1;
  return begin;
}

/** End of the checked body of the line, or -1 when length or checksum do not fit. */
function checkedBodyEnd(bytes: Buffer, start: number, end: number): number {
  const crcEnd = end - 2;
  const crcStart = crcEnd - CRC_DIGITS;
  if (crcStart <= start || bytes[end - 1] !== CLOSE || bytes[crcEnd] !== QUOTE) return -1;
  if (bytes[crcStart - 1] !== COLON) return -1;
  const lengthStart = digitsStart(bytes, crcStart - 1);
  const bodyEnd = keyBefore(bytes, CHECK_KEY, lengthStart, start);
  if (bodyEnd < 0 || bytes[lengthStart] === DIGIT_0) return -1;
  if (decimal(bytes, lengthStart, crcStart - 1) !== bodyEnd - start) return -1;
  const crc = hexadecimal(bytes, crcStart, crcEnd);
  return crc === crc32(bytes.subarray(start, bodyEnd)) ? bodyEnd : -1;
}

/**
 * Checks the line in `bytes` from `start` to `end` (its newline not included); null when it is damaged.
 * Overwrites the comma before `epoch` in `bytes`, so that the event's own JSON need not be copied together.
 */
export function decodeLine(bytes: Buffer, start: number, end: number): DecodedLine | null {
  const bodyEnd = checkedBodyEnd(bytes, start, end);
  if (bodyEnd < 0) return null;
  const epochStart = digitsStart(bytes, bodyEnd);
  const jsonEnd = keyBefore(bytes, EPOCH_KEY, epochStart, start);
  if (jsonEnd < 0) return null;
  bytes[jsonEnd] = CLOSE;
  return {
    json: bytes.toString('utf8', start, jsonEnd + 1),
    epoch: decimal(bytes, epochStart, bodyEnd),
  };
}

/** Position of the next newline at or after `from`, or -1. */
export function lineEnd(bytes: Buffer, from: number): number {
  return bytes.indexOf(NEWLINE, from);
}
