/** Values pushed from outside, read as an async iterable until the end or a fault. */
export class EventQueue<T> implements AsyncIterable<T> {
  private readonly waiting: T[] = [];
  private wake: (() => void) | null = null;
  private finished = false;
  private fault: { readonly error: unknown } | null = null;

  push(value: T): void {
    this.waiting.push(value);
    this.wake?.();
  }

  end(): void {
    this.finished = true;
    this.wake?.();
  }

  fail(error: unknown): void {
    this.fault = { error };
    this.end();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      yield* this.waiting.splice(0);
      if (this.waiting.length > 0) continue;
      if (this.fault !== null) throw this.fault.error;
      if (this.finished) return;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }
}
