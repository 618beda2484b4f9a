import { isAscii } from 'node:buffer';
import type { SpillWriter } from '../types.ts';

const HEAD_BYTES = 64 * 1024;
const TAIL_BYTES = 64 * 1024;

/** Bytes of UTF-8 that begin a character. */
function characterStarts(bytes: Uint8Array): number {
  if (isAscii(bytes)) return bytes.length;
  let count = 0;
  for (let at = 0; at < bytes.length; at++) if (!isContinuation(bytes[at])) count++;
  return count;
}

/** Head and tail of one stream in bounded memory, with the counts of what came and what is left out. */
class StreamEnds {
  totalBytes = 0;
  #missing = 0;
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer | null = null;
  #tailBytes = 0;

  push(bytes: Uint8Array): void {
    this.totalBytes += bytes.length;
    const toHead = Math.min(bytes.length, HEAD_BYTES - this.#headBytes);
    if (toHead > 0) {
      this.#head.push(Buffer.from(bytes.subarray(0, toHead)));
      this.#headBytes += toHead;
    }
    for (let at = toHead; at < bytes.length; at += TAIL_BYTES) {
      this.#pushTail(bytes.subarray(at, at + TAIL_BYTES));
    }
  }

  /** Characters between head and tail, one that only begins in the head included. */
  get missingChars(): number {
    if (this.#missing === 0) return 0;
    const head = Buffer.concat(this.#head);
    return this.#missing + (wholeCharacters(head) < head.length ? 1 : 0);
  }

  text(): string {
    const head = Buffer.concat(this.#head);
    if (this.#tailBytes > TAIL_BYTES) this.#shorten();
    const tail = this.#tail?.subarray(0, this.#tailBytes) ?? Buffer.alloc(0);
    if (this.#missing === 0) return Buffer.concat([head, tail]).toString();
    return `${head.subarray(0, wholeCharacters(head)).toString()}\n[...]\n${tail.toString()}`;
  }

  #pushTail(bytes: Uint8Array): void {
    this.#tail ??= Buffer.allocUnsafeSlow(2 * TAIL_BYTES);
    if (this.#tailBytes + bytes.length > this.#tail.length) this.#shorten();
    this.#tail.set(bytes, this.#tailBytes);
    this.#tailBytes += bytes.length;
  }

  /** Keeps the last 64 KiB, from the start of a character on. */
  #shorten(): void {
    const tail = this.#tail;
    if (tail === null) return;
    let cut = this.#tailBytes - TAIL_BYTES;
    while (cut < this.#tailBytes && isContinuation(tail[cut])) cut++;
    this.#missing += characterStarts(tail.subarray(0, cut));
    tail.copyWithin(0, cut, this.#tailBytes);
    this.#tailBytes -= cut;
  }
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** Length without a last character that is cut; its rest is among what is left out. */
function wholeCharacters(bytes: Uint8Array): number {
  let start = bytes.length - 1;
  while (start > 0 && bytes.length - start < 4 && isContinuation(bytes[start])) start--;
  const lead = bytes[start] ?? 0;
  const size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return bytes.length - start < size ? start : bytes.length;
}

/**
 * Output of one command: 64 KiB of head and of tail of each stream in memory; as soon as more came than fits, all of
 * it, in the order of arrival, goes to the spill.
 */
export class OutputCapture {
  readonly #streams = { stdout: new StreamEnds(), stderr: new StreamEnds() };
  readonly #openSpill: () => SpillWriter;
  #early: Uint8Array[] = [];
  #earlyBytes = 0;
  #spill: SpillWriter | null = null;

  constructor(openSpill: () => SpillWriter) {
    this.#openSpill = openSpill;
  }

  push(stream: 'stdout' | 'stderr', bytes: Uint8Array): void {
    this.#streams[stream].push(bytes);
    if (this.#spill !== null) {
      this.#spill.write(bytes);
      return;
    }
    this.#early.push(Uint8Array.from(bytes));
    this.#earlyBytes += bytes.length;
    if (this.#earlyBytes <= HEAD_BYTES) return;
    this.#spill = this.#openSpill();
    for (const early of this.#early) this.#spill.write(early);
    this.#early = [];
  }

  get stdoutBytes(): number {
    return this.#streams.stdout.totalBytes;
  }

  get stderrBytes(): number {
    return this.#streams.stderr.totalBytes;
  }

  /** `[stdout]` and `[stderr]` parts, those that hold anything. */
  sections(): { readonly text: string; readonly missingChars: number } {
    const { stdout, stderr } = this.#streams;
    const parts = [section('stdout', stdout.text()), section('stderr', stderr.text())];
    return {
      text: parts.filter((part) => part !== '').join('\n'),
      missingChars: stdout.missingChars + stderr.missingChars,
    };
  }

  stderrText(): string {
    return this.#streams.stderr.text();
  }
}

function section(name: string, text: string): string {
  if (text === '') return '';
  return `[${name}]\n${text.endsWith('\n') ? text.slice(0, -1) : text}`;
}
