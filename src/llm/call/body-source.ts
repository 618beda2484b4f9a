/** The chunks of a response body, whose waiting can be ended from outside. */

type Result = IteratorResult<Uint8Array>;

export class BodySource {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #settle: { resolve: (result: Result) => void; reject: (error: unknown) => void } | undefined;
  #failure: { readonly error: unknown } | undefined;
  #stopped = false;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** `stop` was called: the other side had not ended. */
  get stopped(): boolean {
    return this.#stopped;
  }

  next(): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) {
        reject(this.#failure.error);
        return;
      }
      this.#settle = { resolve, reject };
      this.#chunks.next().then(resolve, reject);
    });
  }

  /** Whoever waits, now or later, gets this error at once, whatever the other side does. */
  fail(error: unknown): void {
    this.#failure = { error };
    this.#settle?.reject(error);
  }

  /** Whoever waits now is told that the body is over. */
  stop(): void {
    this.#stopped = true;
    this.#settle?.resolve({ done: true, value: undefined });
  }

  /** Lets the transport drain or drop what is left, without waiting for it. */
  leave(): void {
    this.#chunks.return?.().catch(() => {});
  }
}
