/**
 * Values too big for a log line, and binary ones, stand in `blobs/` under the SHA-256 of their bytes.
 */
import { hash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from './fs-atomic.ts';
import { errorCode } from './fs-error.ts';

const NAME = /^[0-9a-f]{64}$/;

export function isBlobName(name: string): boolean {
  return NAME.test(name);
}

export function blobName(content: Uint8Array | string): string {
  return hash('sha256', content, 'hex');
}

async function sizeOf(file: string): Promise<number | null> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Stores the bytes, synced when this returns, and gives their name. Storing the same bytes again costs one stat. */
export async function storeBlob(folder: string, content: Uint8Array): Promise<string> {
  const name = blobName(content);
  const file = join(folder, name);
  if ((await sizeOf(file)) !== content.byteLength) {
    await writeFileAtomic(file, content, { mode: 0o600 });
  }
  return name;
}

/** The bytes of a blob, or null when it is missing or its bytes are not what its name says. */
export async function loadBlob(folder: string, name: string): Promise<Buffer | null> {
  if (!isBlobName(name)) return null;
  try {
    const content = await readFile(join(folder, name));
    return blobName(content) === name ? content : null;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}
