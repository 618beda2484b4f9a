/** Kind and pixel size of a picture, from its own header. */
export interface ImageSize {
  readonly mime: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  readonly width: number;
  readonly height: number;
}

/** Null when the bytes are no PNG, JPEG, GIF or WebP with a readable size. */
export function imageSize(bytes: Buffer): ImageSize | null {
  if (bytes.length >= 24 && bytes.toString('latin1', 1, 4) === 'PNG' && bytes[0] === 0x89) {
    return { mime: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  }
  if (bytes.length >= 10 && /^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6))) {
    return { mime: 'image/gif', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  }
  if (bytes[0] === 0xff && bytes[1] === 0xd8) return jpegSize(bytes);
  const riff = bytes.length >= 30 && bytes.toString('latin1', 0, 4) === 'RIFF';
  return riff && bytes.toString('latin1', 8, 12) === 'WEBP' ? webpSize(bytes) : null;
}

function jpegSize(bytes: Buffer): ImageSize | null {
  let at = 2;
  while (at + 9 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) {
      const [height, width] = [bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)];
      return { mime: 'image/jpeg', width, height };
    }
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

function webpSize(bytes: Buffer): ImageSize | null {
  const kind = bytes.toString('latin1', 12, 16);
  const mime = 'image/webp';
  if (kind === 'VP8 ') {
    return {
      mime,
      width: bytes.readUInt16LE(26) & 0x3fff,
      height: bytes.readUInt16LE(28) & 0x3fff,
    };
  }
  if (kind === 'VP8L') {
    const bits = bytes.readUInt32LE(21);
    return { mime, width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
  }
  if (kind !== 'VP8X') return null;
  return { mime, width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
}

const MAGIC: readonly (readonly [string, string])[] = [
  ['%PDF', 'a PDF document'],
  ['PK\x03\x04', 'a ZIP archive or office document'],
  ['\x7fELF', 'a program (ELF)'],
  ['\x1f\x8b', 'gzip data'],
  ['BZh', 'bzip2 data'],
  ['\xfd7zXZ', 'xz data'],
  ['\x28\xb5\x2f\xfd', 'zstd data'],
  ['SQLite format 3', 'an SQLite database'],
  ['\xd0\xcf\x11\xe0', 'an old office document'],
  ['PAR1', 'a Parquet file'],
];

/** What a binary file is, in words. */
export function binaryKind(bytes: Buffer): string {
  const head = bytes.toString('latin1', 0, 16);
  return MAGIC.find(([magic]) => head.startsWith(magic))?.[1] ?? 'a binary file';
}
