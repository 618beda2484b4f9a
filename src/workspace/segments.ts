import { isUtf8 } from 'node:buffer';
import { ToolFailure } from '../errors.ts';
import { showPath } from './show-path.ts';

/**
 * A path component as a string. File names are bytes: a byte that is not part of valid UTF-8 stands as the lone
 * surrogate U+DC80 to U+DCFF (Python's `surrogateescape`), so every name has exactly one spelling and round-trips.
 */
export const MAX_NAME_BYTES = 255;
export const MAX_PATH_BYTES = 4096;

const ESCAPE_BASE = 0xdc00;

export function segmentOfBytes(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  let text = '';
  let at = 0;
  while (at < bytes.length) {
    const length = validSequenceLength(bytes, at);
    text +=
      length > 0
        ? bytes.toString('utf8', at, at + length)
        : String.fromCharCode(ESCAPE_BASE + (bytes[at] ?? 0));
    at += Math.max(1, length);
  }
  return text;
}

function validSequenceLength(bytes: Buffer, at: number): number {
  const lead = bytes[at] ?? 0;
  const length = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  return at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length)) ? length : 0;
}

export function bytesOfSegment(segment: string): Buffer {
  if (segment.isWellFormed()) return Buffer.from(segment, 'utf8');
  const parts: Buffer[] = [];
  for (const char of segment) {
    const code = char.codePointAt(0) ?? 0;
    const escaped = code >= ESCAPE_BASE + 0x80 && code <= ESCAPE_BASE + 0xff;
    parts.push(escaped ? Buffer.from([code - ESCAPE_BASE]) : Buffer.from(char, 'utf8'));
  }
  return Buffer.concat(parts);
}

/** A name below an open directory, as the fs functions take it: text, or bytes when the name is not UTF-8. */
export function nameIn(directory: string, segment: string): string | Buffer {
  if (segment.isWellFormed()) return `${directory}/${segment}`;
  return Buffer.concat([Buffer.from(`${directory}/`, 'utf8'), bytesOfSegment(segment)]);
}

/** Refuses what can be no file name or has a second spelling. Throws ToolFailure `invalid_arguments`. */
export function checkSegment(segment: string): void {
  const fault = segmentFault(segment);
  if (fault !== null) {
    throw new ToolFailure(
      'invalid_arguments',
      `the path component "${showPath(segment.slice(0, 80))}" ${fault}`,
    );
  }
}

function segmentFault(segment: string): string | null {
  if (segment.includes('\0')) return 'holds a NUL character';
  if (segment.includes('/')) return 'holds a slash';
  const bytes = bytesOfSegment(segment);
  if (bytes.length > MAX_NAME_BYTES) return `has ${bytes.length} bytes; at most 255 are possible`;
  if (!segment.isWellFormed() && segmentOfBytes(bytes) !== segment) return 'is not valid Unicode';
  if (process.platform === 'win32') return windowsFault(segment);
  return null;
}

const WINDOWS_RESERVED = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\..*)?$/i;

/** Names Windows gives a second meaning: devices, streams, trailing dots and spaces. */
export function windowsFault(segment: string): string | null {
  if (WINDOWS_RESERVED.test(segment)) return 'is a device name on Windows';
  if (/[<>:"|?*\\]/.test(segment)) return 'holds a character Windows reserves';
  if (/[. ]$/.test(segment)) return 'ends in a dot or space, which Windows drops';
  return null;
}

/** A name that is about to be made; existing names may be anything. Throws ToolFailure `invalid_arguments`. */
export function checkNewName(segment: string): void {
  if (/[\u0000-\u001f\u007f-\u009f]/.test(segment)) {
    throw new ToolFailure(
      'invalid_arguments',
      `"${showPath(segment)}" holds a control character; a new name may not`,
    );
  }
  if (segment.includes('\\')) {
    throw new ToolFailure(
      'invalid_arguments',
      `"${showPath(segment)}" holds a backslash; use / between folders in a new path`,
    );
  }
}
