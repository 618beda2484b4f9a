import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { Socket } from 'node:net';

const CHUNK = 65_536;
/** Enough for what a pipe can hold, so that a writer that never stops cannot keep us here. */
const DRAIN_ROUNDS = 16;

/**
 * The reading end of a named pipe. We hold a writing end too, so that a pipe nobody writes to is quiet, not at its
 * end. Letting go of that end shows whether somebody else still holds the pipe.
 */
export class Fifo {
  readonly path: string;
  readonly #inode: bigint;
  readonly #reader: number;
  /** The only memory for reading: a fast writer must not leave a trail of buffers. */
  readonly #buffer = Buffer.allocUnsafeSlow(CHUNK);
  readonly #socket: Socket;
  #writer: number;
  #listener: ((bytes: Uint8Array) => void) | null = null;

  /** The path must name a pipe made before any foreign command could run; a link or other file throws. */
  constructor(path: string) {
    this.path = path;
    this.#reader = openPipe(path, constants.O_RDONLY);
    this.#inode = fstatSync(this.#reader, { bigint: true }).ino;
    this.#writer = this.#openWriter();
    this.#socket = new Socket({
      fd: this.#reader,
      readable: true,
      writable: false,
      onread: {
        buffer: this.#buffer,
        callback: (count, bytes) => {
          this.#listener?.(bytes.subarray(0, count));
          return true;
        },
      },
    });
    this.#socket.resume();
    this.#socket.on('error', () => {});
    this.#socket.unref();
  }

  /** Bytes that arrive from now on go to `listener`, on the event loop; they are its own only during the call. */
  listen(listener: ((bytes: Uint8Array) => void) | null): void {
    this.#listener = listener;
  }

  /** True when the name still leads to this pipe. */
  isIntact(): boolean {
    try {
      closeSync(this.#openWriter());
      return true;
    } catch {
      return false;
    }
  }

  /**
   * Hands everything written so far to the listener and tells whether anybody else still has the pipe open for
   * writing. A held pipe must not be used again: what its holder writes later goes nowhere.
   */
  settle(): 'free' | 'held' {
    if (this.#writer < 0) return 'held';
    closeSync(this.#writer);
    this.#writer = -1;
    const state = this.#drain();
    this.#listener = null;
    if (state === 'held') return state;
    try {
      this.#writer = this.#openWriter();
      return 'free';
    } catch {
      return 'held';
    }
  }

  close(): void {
    if (this.#writer >= 0) closeSync(this.#writer);
    this.#writer = -1;
    this.#listener = null;
    this.#socket.destroy();
  }

  #drain(): 'free' | 'held' {
    for (let round = 0; round < DRAIN_ROUNDS; round++) {
      try {
        const count = readSync(this.#reader, this.#buffer);
        if (count === 0) return 'free';
        this.#listener?.(this.#buffer.subarray(0, count));
      } catch {
        return 'held';
      }
    }
    return 'held';
  }

  #openWriter(): number {
    const descriptor = openPipe(this.path, constants.O_WRONLY);
    if (fstatSync(descriptor, { bigint: true }).ino === this.#inode) return descriptor;
    closeSync(descriptor);
    throw new Error(`${this.path} was replaced`);
  }
}

function openPipe(path: string, access: number): number {
  const descriptor = openSync(path, access | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  if (fstatSync(descriptor).isFIFO()) return descriptor;
  closeSync(descriptor);
  throw new Error(`${path} is not a pipe`);
}
