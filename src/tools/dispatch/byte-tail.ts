/** Keeps the last bytes of a long stream in one block of memory, and counts what went before them. */
export class ByteTail {
  readonly #kept: number;
  readonly #block: Buffer;
  #used = 0;
  #lost = 0;

  /** `kept` is how many bytes are kept at least. */
  constructor(kept: number) {
    this.#kept = kept;
    // Twice the size, so that bytes move once for as many that come.
    this.#block = Buffer.allocUnsafeSlow(2 * kept);
  }

  get lost(): number {
    return this.#lost;
  }

  /** The bytes since `lost`; a view that is valid until the next push. */
  get bytes(): Buffer {
    return this.#block.subarray(0, this.#used);
  }

  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += this.#kept) {
      const piece = bytes.subarray(at, at + this.#kept);
      if (this.#used + piece.length > this.#block.length) this.#shorten();
      this.#block.set(piece, this.#used);
      this.#used += piece.length;
    }
  }

  #shorten(): void {
    const cut = this.#used - this.#kept;
    this.#block.copyWithin(0, cut, this.#used);
    this.#used = this.#kept;
    this.#lost += cut;
  }
}
