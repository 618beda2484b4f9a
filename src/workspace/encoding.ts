import { isAscii, isUtf8 } from 'node:buffer';
import { ToolFailure } from '../errors.ts';

/** How the bytes of a text file are to be read. `legacy`: some 8-bit or East Asian encoding nobody wrote down. */
export type EncodingName = 'utf-8' | 'utf-16le' | 'utf-16be' | 'legacy';

export interface TextEncoding {
  readonly name: EncodingName;
  /** Length of the byte order mark, which is kept and is not text. */
  readonly bomBytes: number;
}

const BINARY_PROBE_BYTES = 8192;

/**
 * BOM of UTF-8 or UTF-16, else strict UTF-8, else NUL in the first 8 KiB means binary, else legacy. Null: binary.
 * `complete` false says the bytes are only the beginning of the file, so a character cut at the end is no fault.
 */
export function detectEncoding(bytes: Buffer, complete = true): TextEncoding | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf && validUtf8(bytes, complete)) {
    return { name: 'utf-8', bomBytes: 3 };
  }
  if (bytes[0] === 0xff && bytes[1] === 0xfe) {
    if (bytes.length >= 4 && bytes[2] === 0 && bytes[3] === 0) return null;
    return { name: 'utf-16le', bomBytes: 2 };
  }
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { name: 'utf-16be', bomBytes: 2 };
  if (validUtf8(bytes, complete)) return { name: 'utf-8', bomBytes: 0 };
  return bytes.subarray(0, BINARY_PROBE_BYTES).includes(0) ? null : { name: 'legacy', bomBytes: 0 };
}

function validUtf8(bytes: Buffer, complete: boolean): boolean {
  if (isUtf8(bytes)) return true;
  if (complete) return false;
  for (let cut = 1; cut <= 3 && cut < bytes.length; cut += 1) {
    if (isUtf8(bytes.subarray(0, bytes.length - cut))) return true;
  }
  return false;
}

/** `detectEncoding`, refusing binary content with `unsupported_format`. */
export function requireText(bytes: Buffer, logical: string): TextEncoding {
  const encoding = detectEncoding(bytes);
  if (encoding !== null) return encoding;
  throw new ToolFailure(
    'unsupported_format',
    `${logical} is a binary file (${bytes.length} bytes), not text`,
    { details: { path: logical } },
  );
}

/**
 * The bytes of a text in the file's own encoding, without BOM. In legacy files only ASCII is certain:
 * anything else is `unsupported_format`. Text with half a surrogate pair is `invalid_arguments`.
 */
export function encodeText(text: string, encoding: TextEncoding, what: string): Buffer {
  if (!text.isWellFormed()) {
    throw new ToolFailure(
      'invalid_arguments',
      `${what} holds half a surrogate pair, which is no character`,
    );
  }
  if (encoding.name === 'utf-8') return Buffer.from(text, 'utf8');
  if (encoding.name === 'legacy') return encodeAscii(text, what);
  const bytes = Buffer.from(text, 'utf16le');
  return encoding.name === 'utf-16be' ? bytes.swap16() : bytes;
}

function encodeAscii(text: string, what: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  if (isAscii(bytes)) return bytes;
  throw new ToolFailure(
    'unsupported_format',
    `the file is neither UTF-8 nor UTF-16 and ${what} holds characters beyond ASCII; change it with python_exec, which can name its encoding`,
  );
}

/** Text for people: diffs and excerpts. Legacy bytes are guessed, which is said where it matters. */
export function decodeForView(bytes: Buffer, encoding: TextEncoding): string {
  switch (encoding.name) {
    case 'utf-8':
      return bytes.toString('utf8');
    case 'utf-16le':
      return bytes.subarray(0, bytes.length & ~1).toString('utf16le');
    case 'utf-16be':
      return Buffer.from(bytes.subarray(0, bytes.length & ~1))
        .swap16()
        .toString('utf16le');
    case 'legacy':
      return decodeLegacy(bytes).text;
  }
}

/** Strict GB18030, else windows-1252: a guess, named so that it can be told. */
export function decodeLegacy(bytes: Buffer): { readonly text: string; readonly label: string } {
  try {
    const text = new TextDecoder('gb18030', { fatal: true }).decode(bytes);
    return { text, label: 'gb18030' };
  } catch {
    return { text: new TextDecoder('windows-1252').decode(bytes), label: 'windows-1252' };
  }
}
