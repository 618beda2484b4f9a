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
  let held = Buffer.alloc(0);
  let heldLength = 0;
  let afterCarriageReturn = false;
  let firstLine = true;
  let frameBytes = 0;
  let data: string[] = [];
  let bareData = false;
  let frames: string[] = [];

  const dispatch = (): void => {
    if (data.length > 0) frames.push(data.length === 1 ? (data[0] ?? '') : data.join('\n'));
    data = [];
    bareData = false;
    frameBytes = 0;
  };

  const takeLine = (raw: string, bytes: number): void => {
    let line = raw;
    if (firstLine) {
      firstLine = false;
      if (line.startsWith(BOM)) line = line.slice(1);
    }
    if (line === '') {
      dispatch();
      return;
    }
    frameBytes += bytes;
    if (frameBytes > frameLimit) throw new FrameTooLargeError(frameLimit);
    if (bareData && continuesBareData(line)) {
      data[data.length - 1] = line.trimStart();
      bareData = false;
      return;
    }
    const value = dataValue(line);
    if (value === undefined) return;
    bareData = value === '';
    data.push(value);
  };

  const hold = (bytes: Uint8Array): void => {
    const needed = heldLength + bytes.length;
    if (needed > frameLimit) throw new FrameTooLargeError(frameLimit);
    if (needed > held.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, held.length * 2, 1024));
      held.copy(larger, 0, 0, heldLength);
      held = larger;
    }
    held.set(bytes, heldLength);
    heldLength = needed;
  };

  const completeLine = (buffer: Buffer, start: number, end: number): void => {
    if (heldLength === 0) {
      takeLine(buffer.toString('utf8', start, end), end - start);
      return;
    }
    hold(buffer.subarray(start, end));
    const length = heldLength;
    heldLength = 0;
    takeLine(held.toString('utf8', 0, length), length);
  };

  const push = (chunk: Uint8Array): string[] => {
    frames = [];
    const buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    if (afterCarriageReturn && buffer.length > 0) {
      afterCarriageReturn = false;
      if (buffer[0] === LF) start = 1;
    }
    let nextLf = buffer.indexOf(LF, start);
    let nextCr = buffer.indexOf(CR, start);
    while (nextLf !== -1 || nextCr !== -1) {
      const atCr = nextCr !== -1 && (nextLf === -1 || nextCr < nextLf);
      const end = atCr ? nextCr : nextLf;
      completeLine(buffer, start, end);
      start = end + 1;
      if (atCr && start === buffer.length) afterCarriageReturn = true;
      if (atCr && buffer[start] === LF) start += 1;
      if (nextLf !== -1 && nextLf < start) nextLf = buffer.indexOf(LF, start);
      if (nextCr !== -1 && nextCr < start) nextCr = buffer.indexOf(CR, start);
    }
    if (start < buffer.length) hold(buffer.subarray(start));
    return frames;
  };

  const end = (): string[] => {
    frames = [];
    if (heldLength > 0) {
      const length = heldLength;
      heldLength = 0;
      takeLine(held.toString('utf8', 0, length), length);
    }
    dispatch();
    return frames;
  };

  return { push, end };
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
