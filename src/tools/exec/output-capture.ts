import type { SpillWriter } from '../types.ts';

const HEAD_BYTES = 64 * 1024;
const TAIL_BYTES = 64 * 1024;

/** Bytes of UTF-8 that begin a character. */
function characterStarts(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if ((byte & 0xc0) !== 0x80) count++;
  return count;
}

/** Head and tail of one stream in bounded memory, with the counts of what came and what is left out. */
class StreamEnds {
  totalBytes = 0;
  missingChars = 0;
  readonly #head: Uint8Array[] = [];
  #headBytes = 0;
  #tail: Uint8Array[] = [];
  #tailBytes = 0;

  push(bytes: Uint8Array): void {
    this.totalBytes += bytes.length;
    const toHead = Math.min(bytes.length, HEAD_BYTES - this.#headBytes);
    if (toHead > 0) {
      this.#head.push(bytes.slice(0, toHead));
      this.#headBytes += toHead;
    }
    if (toHead === bytes.length) return;
    this.#tail.push(bytes.slice(toHead));
    this.#tailBytes += bytes.length - toHead;
    while (this.#tailBytes > 2 * TAIL_BYTES) this.#shorten();
  }

  text(): string {
    if (this.#tailBytes > TAIL_BYTES) this.#shorten();
    if (this.missingChars === 0) return Buffer.concat([...this.#head, ...this.#tail]).toString();
    return `${Buffer.concat(this.#head).toString()}\n[...]\n${Buffer.concat(this.#tail).toString()}`;
  }

  #shorten(): void {
    const whole = Buffer.concat(this.#tail);
    let cut = whole.length - TAIL_BYTES;
    while (cut < whole.length && ((whole[cut] ?? 0) & 0xc0) === 0x80) cut++;
    this.missingChars += characterStarts(whole.subarray(0, cut));
    this.#tail = [whole.subarray(cut)];
    this.#tailBytes = whole.length - cut;
  }
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
    this.#early.push(bytes);
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
