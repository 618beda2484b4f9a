/**
 * Reader of server-sent events as model endpoints really send them. It takes bytes in pieces of any size and
 * gives the joined `data` text of each frame. Event names are ignored: the `type` inside the data counts.
 */

/** Most bytes of one frame. */
export const FRAME_LIMIT = 16 * 1024 * 1024;

const LF = 10;
const CR = 13;
const BOM = '\uFEFF';

/** Raised when one frame is longer than the limit. */
export class FrameTooLargeError extends Error {
  constructor(limit: number) {
    super(`one frame of the stream is larger than ${limit} bytes`);
    this.name = 'FrameTooLargeError';
  }
}

export interface SseReader {
  /** Frames completed by these bytes, in order. Throws `FrameTooLargeError`. */
  push(chunk: Uint8Array): string[];
  /** The frame left open at the end of the stream, if any. */
  end(): string[];
}

export function createSseReader(frameLimit: number = FRAME_LIMIT): SseReader {
  return new EventReader(frameLimit);
}

class EventReader implements SseReader {
  readonly #frameLimit: number;
  /** The start of a line whose end has not arrived. */
  #held = Buffer.alloc(0);
  #heldLength = 0;
  #afterCarriageReturn = false;
  #firstLine = true;
  #frameBytes = 0;
  #data: string[] = [];
  #bareData = false;
  #frames: string[] = [];

  constructor(frameLimit: number) {
    this.#frameLimit = frameLimit;
  }

  push(chunk: Uint8Array): string[] {
    this.#frames = [];
    const buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    if (this.#afterCarriageReturn && buffer.length > 0) {
      this.#afterCarriageReturn = false;
      if (buffer[0] === LF) start = 1;
    }
    let nextLf = buffer.indexOf(LF, start);
    let nextCr = buffer.indexOf(CR, start);
    while (nextLf !== -1 || nextCr !== -1) {
      const atCr = nextCr !== -1 && (nextLf === -1 || nextCr < nextLf);
      const end = atCr ? nextCr : nextLf;
      this.#completeLine(buffer, start, end);
      start = end + 1;
      if (atCr && start === buffer.length) this.#afterCarriageReturn = true;
      if (atCr && buffer[start] === LF) start += 1;
      if (nextLf !== -1 && nextLf < start) nextLf = buffer.indexOf(LF, start);
      if (nextCr !== -1 && nextCr < start) nextCr = buffer.indexOf(CR, start);
    }
    if (start < buffer.length) this.#hold(buffer.subarray(start));
    return this.#frames;
  }

  end(): string[] {
    this.#frames = [];
    if (this.#heldLength > 0) this.#takeHeld();
    this.#dispatch();
    return this.#frames;
  }

  #completeLine(buffer: Buffer, start: number, end: number): void {
    if (this.#heldLength === 0) {
      this.#takeLine(buffer.toString('utf8', start, end), end - start);
      return;
    }
    this.#hold(buffer.subarray(start, end));
    this.#takeHeld();
  }

  #hold(bytes: Uint8Array): void {
    const needed = this.#heldLength + bytes.length;
    if (needed > this.#frameLimit) throw new FrameTooLargeError(this.#frameLimit);
    if (needed > this.#held.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, this.#held.length * 2, 1024));
      this.#held.copy(larger, 0, 0, this.#heldLength);
      this.#held = larger;
    }
    this.#held.set(bytes, this.#heldLength);
    this.#heldLength = needed;
  }

  #takeHeld(): void {
    const length = this.#heldLength;
    this.#heldLength = 0;
    this.#takeLine(this.#held.toString('utf8', 0, length), length);
  }

  #takeLine(raw: string, bytes: number): void {
    const line = this.#firstLine && raw.startsWith(BOM) ? raw.slice(1) : raw;
    this.#firstLine = false;
    if (line === '') {
      this.#dispatch();
      return;
    }
    this.#frameBytes += bytes;
    if (this.#frameBytes > this.#frameLimit) throw new FrameTooLargeError(this.#frameLimit);
    if (this.#bareData && continuesBareData(line)) {
      this.#data[this.#data.length - 1] = line.trimStart();
      this.#bareData = false;
      return;
    }
    const value = dataValue(line);
    if (value === undefined) return;
    this.#bareData = value === '';
    this.#data.push(value);
  }

  #dispatch(): void {
    const [first] = this.#data;
    if (first !== undefined) {
      this.#frames.push(this.#data.length === 1 ? first : this.#data.join('\n'));
    }
    this.#data = [];
    this.#bareData = false;
    this.#frameBytes = 0;
  }
}

/** A server that breaks after `data:` goes on in the next line, indented or with the JSON itself. */
function continuesBareData(line: string): boolean {
  const first = line.charCodeAt(0);
  return first === 32 || first === 9 || first === 123 || first === 91;
}

/** The value of a `data` line; undefined for other fields, comments, and comments wrapped as data. */
function dataValue(line: string): string | undefined {
  if (!line.startsWith('data')) return undefined;
  if (line.length === 4) return '';
  if (line.charCodeAt(4) !== 58) return undefined;
  const value = line.slice(line.charCodeAt(5) === 32 ? 6 : 5);
  return value.charCodeAt(0) === 58 ? undefined : value;
}
