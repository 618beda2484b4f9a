/** Keeps the head and the tail of a long text in bounded memory, and counts the rest. */
export interface EndsBuffer {
  push(text: string): void;
  /** Head, then tail; `missing` is the number of UTF-16 units left out between them. */
  read(): { readonly text: string; readonly missing: number };
}

const UNIT_BYTES = 2;

/** `each` is the size of head and tail in UTF-16 units. */
export function createEndsBuffer(each: number): EndsBuffer {
  let head = '';
  const tail = new TextTail(each);
  return {
    push(text) {
      const room = Math.max(0, each - head.length);
      if (room > 0) head += text.slice(0, room);
      if (text.length > room) tail.push(text.slice(room));
    },
    read() {
      const { text, missing } = tail.read();
      return { text: `${head}${missing > 0 ? '\n' : ''}${text}`.toWellFormed(), missing };
    },
  };
}

/** The end of a text, copied into one block: pieces that were kept themselves would pile up until a full collection. */
class TextTail {
  readonly #each: number;
  #block: Buffer | null = null;
  /** Units in the block. */
  #used = 0;
  #missing = 0;

  constructor(each: number) {
    this.#each = each;
  }

  push(text: string): void {
    this.#block ??= Buffer.allocUnsafeSlow(2 * this.#each * UNIT_BYTES);
    const skipped = Math.max(0, text.length - this.#each);
    if (skipped > 0) this.#drop();
    else if (this.#used + text.length > 2 * this.#each) this.#shorten(this.#block);
    this.#missing += skipped;
    this.#block.write(text.slice(skipped), this.#used * UNIT_BYTES, 'utf16le');
    this.#used += text.length - skipped;
  }

  read(): { readonly text: string; readonly missing: number } {
    const over = Math.max(0, this.#used - this.#each);
    const bytes = this.#block?.subarray(over * UNIT_BYTES, this.#used * UNIT_BYTES);
    return { text: bytes?.toString('utf16le') ?? '', missing: this.#missing + over };
  }

  #shorten(block: Buffer): void {
    const cut = this.#used - this.#each;
    block.copyWithin(0, cut * UNIT_BYTES, this.#used * UNIT_BYTES);
    this.#missing += cut;
    this.#used = this.#each;
  }

  #drop(): void {
    this.#missing += this.#used;
    this.#used = 0;
  }
}
