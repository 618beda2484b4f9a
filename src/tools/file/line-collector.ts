/** One line of a window as it can be shown. */
export interface ShownLine {
  readonly number: number;
  /** At most `maxLineChars`; longer lines are cut. */
  readonly text: string;
  /** Characters of the whole line when it was cut, else null. */
  readonly cutFrom: number | null;
}

export interface LineWindow {
  readonly start: number;
  /** Inclusive. */
  readonly end: number;
  readonly maxChars: number;
  readonly maxLineChars: number;
}

/**
 * Takes a text in pieces of any size, counts its lines and keeps those of a window, so that a range of a huge file
 * needs no more memory than the range. Lines end at LF, CRLF or CR; a final break begins no further line.
 */
export class LineCollector {
  readonly lines: ShownLine[] = [];
  /** The window ended early because of its size; the next line to show. */
  nextLine: number | null = null;
  totalLines = 0;
  lf = 0;
  crlf = 0;
  cr = 0;
  readonly #window: LineWindow;
  #chars = 0;
  #prefix = '';
  #length = 0;
  #open = false;
  #afterCr = false;

  constructor(window: LineWindow) {
    this.#window = window;
  }

  push(text: string): void {
    let at = 0;
    if (this.#afterCr && text !== '') {
      this.#afterCr = false;
      if (text.startsWith('\n')) {
        at = 1;
        this.cr -= 1;
        this.crlf += 1;
      }
    }
    let nextLf = text.indexOf('\n', at);
    let nextCr = text.indexOf('\r', at);
    while (nextLf >= 0 || nextCr >= 0) {
      const isCr = nextCr >= 0 && (nextLf < 0 || nextCr < nextLf);
      const end = isCr ? nextCr : nextLf;
      this.#extend(text, at, end);
      this.#endLine();
      at = end + 1;
      if (!isCr) this.lf += 1;
      else if (text.charCodeAt(at) === 10) {
        this.crlf += 1;
        at += 1;
      } else {
        this.cr += 1;
        this.#afterCr = at === text.length;
      }
      if (nextLf >= 0 && nextLf < at) nextLf = text.indexOf('\n', at);
      if (nextCr >= 0 && nextCr < at) nextCr = text.indexOf('\r', at);
    }
    this.#extend(text, at, text.length);
  }

  end(): void {
    if (this.#open) this.#endLine();
  }

  get eol(): 'lf' | 'crlf' | 'cr' | 'mixed' | 'none' {
    const used = [this.lf, this.crlf, this.cr].filter((count) => count > 0).length;
    if (used === 0) return 'none';
    if (used > 1) return 'mixed';
    return this.lf > 0 ? 'lf' : this.crlf > 0 ? 'crlf' : 'cr';
  }

  get #wanted(): boolean {
    const number = this.totalLines + 1;
    return number >= this.#window.start && number <= this.#window.end && this.nextLine === null;
  }

  #extend(text: string, from: number, to: number): void {
    if (to <= from) return;
    this.#open = true;
    if (!this.#wanted) return;
    const room = 2 * this.#window.maxLineChars - this.#prefix.length;
    if (room > 0) this.#prefix += text.slice(from, Math.min(to, from + room));
    this.#length += countChars(text, from, to);
  }

  #endLine(): void {
    if (this.#wanted) this.#show();
    this.totalLines += 1;
    this.#prefix = '';
    this.#length = 0;
    this.#open = false;
  }

  #show(): void {
    const { maxChars, maxLineChars } = this.#window;
    const number = this.totalLines + 1;
    const cut = this.#length > maxLineChars;
    const text = cut ? firstChars(this.#prefix, maxLineChars) : this.#prefix;
    const cost = Math.min(this.#length, maxLineChars) + String(number).length + 2;
    if (this.lines.length > 0 && this.#chars + cost > maxChars) {
      this.nextLine = number;
      return;
    }
    this.#chars += cost;
    this.lines.push({ number, text, cutFrom: cut ? this.#length : null });
  }
}

/** Characters (code points) of a part of a text. */
export function countChars(text: string, from = 0, to = text.length): number {
  let count = to - from;
  for (let at = from; at < to; at += 1) {
    if ((text.charCodeAt(at) & 0xfc00) === 0xd800 && at + 1 < to) count -= 1;
  }
  return count;
}

export function firstChars(text: string, max: number): string {
  return text.length <= max
    ? text
    : Array.from(text.slice(0, 2 * max))
        .slice(0, max)
        .join('');
}

/** Keeps the characters from `offset` on, at most `limit`, of a text that comes in pieces. */
export class CharCollector {
  text = '';
  totalChars = 0;
  readonly #from: number;
  readonly #to: number;

  constructor(offset: number, limit: number) {
    this.#from = offset;
    this.#to = offset + limit;
  }

  push(piece: string): void {
    const count = countChars(piece);
    const start = this.totalChars;
    this.totalChars += count;
    if (this.totalChars <= this.#from || start >= this.#to) return;
    const chars = Array.from(piece);
    this.text += chars.slice(Math.max(0, this.#from - start), this.#to - start).join('');
  }
}
