import type { TextEncoding } from './encoding.ts';

/**
 * A file seen as code units of its encoding: one character for one byte, or for one 16-bit unit. Lossless for any
 * bytes, so that searching and slicing by position never touches what lies outside.
 */
export interface Units {
  readonly text: string;
  /** Bytes of one unit. */
  readonly width: 1 | 2;
}

export function toUnits(bytes: Buffer, encoding: TextEncoding): Units {
  if (encoding.name === 'utf-16le') return { text: evenPart(bytes).toString('utf16le'), width: 2 };
  if (encoding.name === 'utf-16be') {
    return { text: Buffer.from(evenPart(bytes)).swap16().toString('utf16le'), width: 2 };
  }
  return { text: bytes.toString('latin1'), width: 1 };
}

function evenPart(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.length & ~1);
}

export function lineBreakBytes(style: LineBreak, encoding: TextEncoding): Buffer {
  if (encoding.name === 'utf-16le') return Buffer.from(style, 'utf16le');
  if (encoding.name === 'utf-16be') return Buffer.from(style, 'utf16le').swap16();
  return Buffer.from(style, 'latin1');
}

export type LineBreak = '\n' | '\r\n' | '\r';
