const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEAD = 80;

/** Knows, for text read in order, whether its end stands inside Markdown code and whether it starts a line. */
export class CodeTracker {
  #fence: string | null = null;
  /** The start of the current line; enough to see a fence. */
  #head = '';
  #ticks = 0;

  read(text: string): void {
    const [first = '', ...lines] = text.split('\n');
    this.#extend(first);
    for (const line of lines) {
      this.#endLine();
      this.#extend(line);
    }
  }

  /** What follows counts as the start of a line, as after an envelope. */
  startLine(): void {
    this.#head = '';
    this.#ticks = 0;
  }

  get inCode(): boolean {
    return this.#fence !== null || this.#ticks % 2 === 1 || FENCE.test(this.#head);
  }

  get atLineStart(): boolean {
    return /^ {0,3}$/.test(this.#head);
  }

  #extend(part: string): void {
    if (this.#head.length < HEAD) this.#head += part.slice(0, HEAD);
    for (let at = part.indexOf('`'); at >= 0; at = part.indexOf('`', at + 1)) this.#ticks++;
  }

  #endLine(): void {
    const mark = FENCE.exec(this.#head)?.[1];
    if (mark !== undefined && this.#fence === null) this.#fence = mark;
    else if (mark !== undefined && this.#fence !== null && this.#closes(mark)) this.#fence = null;
    this.startLine();
  }

  #closes(mark: string): boolean {
    return mark.startsWith(this.#fence ?? mark) && this.#head.trim() === mark;
  }
}
