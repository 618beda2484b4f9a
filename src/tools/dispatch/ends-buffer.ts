/** Keeps the head and the tail of a long text in bounded memory, and counts the rest. */
export interface EndsBuffer {
  push(text: string): void;
  /** Head, then tail; `missing` is the number of UTF-16 units left out between them. */
  read(): { readonly text: string; readonly missing: number };
}

/** `each` is the size of head and tail in UTF-16 units. */
export function createEndsBuffer(each: number): EndsBuffer {
  let head = '';
  let tail = '';
  let missing = 0;
  return {
    push(text) {
      const room = Math.max(0, each - head.length);
      head += text.slice(0, room);
      tail += text.slice(room);
      // Cutting rarely, at twice the size, keeps many small pieces cheap.
      if (tail.length > 2 * each) {
        missing += tail.length - each;
        tail = tail.slice(-each);
      }
    },
    read() {
      const over = Math.max(0, tail.length - each);
      const joint = missing + over > 0 ? '\n' : '';
      return { text: `${head}${joint}${tail.slice(over)}`.toWellFormed(), missing: missing + over };
    },
  };
}
