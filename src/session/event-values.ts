/**
 * What does not stand in a log line itself: values over 64 KiB, and binary content, are replaced by
 * `{"_blob": "<sha256>", "bytes", "media_type", "encoding"}`. A stored object that has a member `_blob` of its own is
 * wrapped as `{"_blob": "", "value": {...}}`, so that nothing a model writes is ever taken for a reference.
 */
import { blobName } from './blobs.ts';

export const LARGEST_INLINE_BYTES = 64 * 1024;

interface BlobReference {
  readonly _blob: string;
  readonly bytes: number;
  readonly media_type: string;
  readonly encoding: 'utf8' | 'base64' | 'json';
}

export interface PackedEvent {
  readonly value: unknown;
  readonly blobs: readonly Uint8Array[];
}

type PlainObject = Record<string, unknown>;

function isObject(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Can this JSON text be written as it is? False for most events only when they are big or carry binary content. */
export function standsAlone(json: string): boolean {
  if (json.length * 3 > LARGEST_INLINE_BYTES && Buffer.byteLength(json) > LARGEST_INLINE_BYTES) {
    return false;
  }
  return !json.includes('"_blob":') && !json.includes('"__proto__":') && !json.includes('"data":"');
}

class Packer {
  readonly blobs: Uint8Array[] = [];

  reference(
    content: Uint8Array,
    mediaType: string,
    encoding: BlobReference['encoding'],
  ): BlobReference {
    this.blobs.push(content);
    return {
      _blob: blobName(content),
      bytes: content.byteLength,
      media_type: mediaType,
      encoding,
    };
  }

  text(value: string): unknown {
    if (value.length * 3 <= LARGEST_INLINE_BYTES) return value;
    if (Buffer.byteLength(value) <= LARGEST_INLINE_BYTES) return value;
    return value.isWellFormed()
      ? this.reference(Buffer.from(value, 'utf8'), 'text/plain', 'utf8')
      : this.reference(Buffer.from(JSON.stringify(value), 'utf8'), 'text/plain', 'json');
  }

  /** Base64 content of an image or document block; anything that is not exact base64 stays a string. */
  binary(data: string, mime: string): unknown {
    const content = Buffer.from(data, 'base64');
    if (content.toString('base64') !== data) return this.text(data);
    return this.reference(content, mime, 'base64');
  }

  object(value: PlainObject): PlainObject {
    const mime = isBinaryBlock(value) ? value.mime : null;
    const packed: PlainObject = {};
    for (const [key, member] of Object.entries(value)) {
      if (key === '__proto__') continue;
      packed[key] =
        mime !== null && key === 'data' ? this.binary(String(member), mime) : this.value(member);
    }
    return '_blob' in packed ? { _blob: '', value: packed } : packed;
  }

  value(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((item) => this.value(item));
    return isObject(value) ? this.object(value) : value;
  }
}

function isBinaryBlock(value: PlainObject): value is PlainObject & { mime: string; data: string } {
  return (
    (value.type === 'image' || value.type === 'document') &&
    typeof value.mime === 'string' &&
    typeof value.data === 'string'
  );
}

/** The event as its line holds it, and the bytes that must be in `blobs/` before that line is written. */
export function packEvent(event: object): PackedEvent {
  const packer = new Packer();
  const packed = packer.object({ ...event });
  for (const [key, member] of Object.entries(packed)) {
    const json = typeof member === 'object' && member !== null ? JSON.stringify(member) : '';
    if (Buffer.byteLength(json) <= LARGEST_INLINE_BYTES) continue;
    packed[key] = packer.reference(Buffer.from(json, 'utf8'), 'application/json', 'json');
  }
  return { value: packed, blobs: packer.blobs };
}

/** Does this line's JSON hold anything `unpackEvent` must put back? */
export function holdsReferences(json: string): boolean {
  return json.includes('"_blob":');
}

export type LoadBlob = (name: string) => Promise<Buffer | null>;

async function decodeReference(reference: PlainObject, load: LoadBlob): Promise<unknown> {
  const name = String(reference._blob);
  const content = await load(name);
  if (content === null) return `[missing blob ${name}]`;
  if (reference.encoding === 'base64') return content.toString('base64');
  const text = content.toString('utf8');
  return reference.encoding === 'json' ? unpackEvent(JSON.parse(text), load) : text;
}

async function unpackMembers(value: PlainObject, load: LoadBlob): Promise<PlainObject> {
  for (const [key, member] of Object.entries(value)) value[key] = await unpackEvent(member, load);
  return value;
}

/**
 * Puts the values of all references back, changing the given parsed JSON in place. A blob that `load` does not find
 * becomes the text `[missing blob <sha256>]`.
 */
export async function unpackEvent(value: unknown, load: LoadBlob): Promise<unknown> {
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      value[index] = await unpackEvent(value[index], load);
    }
    return value;
  }
  if (!isObject(value)) return value;
  if (!Object.hasOwn(value, '_blob')) return unpackMembers(value, load);
  if (value._blob === '' && isObject(value.value)) return unpackMembers(value.value, load);
  return decodeReference(value, load);
}
