import { closeSync, mkdirSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const PAGE = 64 * 1024;
/** No character takes more bytes. */
const WIDEST = 4;

/**
 * A file made with its first full page of text. A fault costs the copy, not the call: `close` then removes the file
 * and says so.
 */
export class SpillFile {
  readonly #folder: string;
  readonly #path: string;
  readonly #encoder = new TextEncoder();
  readonly #page = Buffer.allocUnsafeSlow(PAGE);
  #used = 0;
  #descriptor: number | null = null;
  #broken = false;

  constructor(folder: string, name: string) {
    this.#folder = folder;
    this.#path = join(folder, name);
  }

  /** Writes as many whole characters as fit into `room` bytes; returns how many bytes and UTF-16 units that were. */
  write(text: string, room = Number.POSITIVE_INFINITY): { bytes: number; units: number } {
    let bytes = 0;
    let units = 0;
    while (units < text.length) {
      if (PAGE - this.#used < WIDEST) this.#flush();
      const end = Math.min(PAGE, this.#used + room - bytes);
      const target = this.#page.subarray(this.#used, end);
      const { read, written } = this.#encoder.encodeInto(text.slice(units), target);
      if (read === 0) break;
      units += read;
      bytes += written;
      this.#used += written;
    }
    return { bytes, units };
  }

  writeBytes(bytes: Uint8Array): void {
    this.#flush();
    this.#store(bytes);
  }

  /** True when everything is in the file; a file nothing was written to is not made. */
  close(): boolean {
    this.#flush();
    if (this.#descriptor === null) return false;
    closeSync(this.#descriptor);
    this.#descriptor = null;
    if (this.#broken) remove(this.#path);
    return !this.#broken;
  }

  #flush(): void {
    this.#store(this.#page.subarray(0, this.#used));
    this.#used = 0;
  }

  #store(bytes: Uint8Array): void {
    if (bytes.length === 0 || this.#broken) return;
    try {
      this.#descriptor ??= this.#open();
      for (let done = 0; done < bytes.length; ) {
        done += writeSync(this.#descriptor, bytes, done);
      }
    } catch {
      this.#broken = true;
    }
  }

  #open(): number {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    return openSync(this.#path, 'w', 0o600);
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Gone already, or the disk that broke it does not let go of it.
  }
}
