import { CodeTracker } from './code-tracker.ts';
import type { EnvelopeFormat, EnvelopeParse, TextCall } from './types.ts';

/** An envelope that would be a call, in the place where it stood. */
export interface Envelope {
  readonly source: string;
  readonly calls: readonly TextCall[];
  /** Never closed. */
  readonly cut: boolean;
}

export interface ScanRules {
  readonly formats: readonly EnvelopeFormat[];
  /** The offered tool a name stands for, or null. */
  readonly resolves: (name: string) => string | null;
  /** Does this very text occur in what users or tools said before? */
  readonly quotedIn: (block: string) => boolean;
}

type Complete = Extract<EnvelopeParse, { state: 'complete' }> & { readonly inPlace: boolean };
type Open = Extract<EnvelopeParse, { state: 'open' }> & { readonly inPlace: boolean };
/** `inPlace`: it stands where this format may stand. */
type Reading = Complete | Open;

/** An envelope is read again on each piece only while it is short, later only when a closing text arrived. */
const EAGER = 200;
const CLOSER_WINDOW = 64;
/** Above this length it is read again only after it grew by an eighth, so that time stays linear. */
const LONG = 64 * 1024;
/** So many openers that lead nowhere are looked at when the text has ended; the rest is plain. */
const MAX_REFUSED = 32;

/** Splits text that arrives in pieces into plain text and envelopes; the result does not depend on the pieces. */
export class EnvelopeScanner {
  readonly #rules: ScanRules;
  readonly #openers: readonly string[];
  readonly #closers: readonly string[];
  readonly #code = new CodeTracker();
  /** Text and envelopes in order, as far as decided. */
  readonly #segments: (string | Envelope)[] = [];
  /** Undecided text in front of `#waiting`. Starts with an opener while one is being waited for. */
  #buffer = '';
  /** Pieces not looked at yet because they cannot decide anything. */
  #waiting: string[] = [];
  #isOpen = false;
  #heldLength = 0;
  #refused = 0;

  constructor(rules: ScanRules) {
    this.#rules = rules;
    this.#openers = [...new Set(rules.formats.flatMap((format) => format.openers))];
    this.#closers = [...new Set(rules.formats.flatMap((format) => format.closers))];
  }

  get segments(): readonly (string | Envelope)[] {
    return this.#segments;
  }

  /** Text that is not decided yet. */
  get undecided(): string {
    return this.#buffer + this.#waiting.join('');
  }

  push(text: string): void {
    if (this.#isOpen && !this.#mayDecide(text)) {
      this.#waiting.push(text);
      this.#heldLength += text.length;
      return;
    }
    this.#scan(text, false);
  }

  end(): void {
    this.#scan('', true);
  }

  #mayDecide(text: string): boolean {
    if (this.#heldLength + text.length < EAGER) return true;
    if (this.#heldLength > LONG) return this.#heldLength > this.#buffer.length * 1.125;
    const recent = this.#waiting.slice(-CLOSER_WINDOW).join('').slice(-CLOSER_WINDOW);
    const window =
      (recent.length < CLOSER_WINDOW ? this.#buffer.slice(-CLOSER_WINDOW) : '') + recent + text;
    return this.#closers.some((closer) => window.includes(closer));
  }

  #scan(text: string, final: boolean): void {
    this.#buffer = this.#buffer + this.#waiting.join('') + text;
    this.#waiting = [];
    while (this.#buffer !== '' && this.#step(final));
    this.#heldLength = this.#buffer.length;
  }

  /** Decides the next stretch of the buffer; false when more text is needed. */
  #step(final: boolean): boolean {
    const at = this.#nextOpener(final);
    if (at > 0) return this.#plain(at);
    if (!this.#openers.some((opener) => this.#buffer.startsWith(opener))) return false;
    const parsed = this.#parse(final);
    if (parsed === null) return this.#plain(1);
    if (parsed.state === 'complete') return this.#complete(parsed);
    this.#isOpen = true;
    return final && this.#cut(parsed);
  }

  /** Index of the first text that is or may become an opener; the length of the buffer when there is none. */
  #nextOpener(final: boolean): number {
    for (let at = this.#buffer.indexOf('<'); at >= 0; at = this.#buffer.indexOf('<', at + 1)) {
      const found = this.#openers.some(
        (opener) =>
          this.#buffer.startsWith(opener, at) ||
          (!final &&
            this.#buffer.length - at < opener.length &&
            opener.startsWith(this.#buffer.slice(at))),
      );
      if (found) return at;
    }
    return this.#buffer.length;
  }

  #plain(length: number): true {
    const text = this.#buffer.slice(0, length);
    this.#code.read(text);
    this.#segments.push(text);
    this.#take(length);
    return true;
  }

  #take(length: number): void {
    this.#buffer = this.#buffer.slice(length);
    this.#isOpen = false;
  }

  /** The first complete reading, else one that may still become complete. */
  #parse(final: boolean): Reading | null {
    let open: Reading | null = null;
    for (const format of this.#rules.formats) {
      if (!format.openers.some((opener) => this.#buffer.startsWith(opener))) continue;
      const parsed = format.parse(this.#buffer, final);
      if (parsed === null) continue;
      const inPlace = !this.#code.inCode && (format.anywhere || this.#code.atLineStart);
      if (parsed.state === 'complete') return { ...parsed, inPlace };
      open ??= { ...parsed, inPlace };
    }
    return open;
  }

  /** An envelope in a wrong place is passed over whole, so that no part of it is taken for a call. */
  #complete({ end, calls, inPlace }: Complete): true {
    const source = this.#buffer.slice(0, end);
    if (!inPlace) return this.#plain(end);
    const isCall =
      calls.every((call) => this.#rules.resolves(call.name) !== null) &&
      !this.#rules.quotedIn(source);
    this.#segments.push(isCall ? { source, calls, cut: false } : source);
    this.#code.startLine();
    this.#take(end);
    return true;
  }

  #cut({ call, inPlace }: Open): boolean {
    const source = this.#buffer;
    const isKnown = call.name === '' || this.#rules.resolves(call.name) !== null;
    if (!inPlace || !isKnown || this.#rules.quotedIn(source)) {
      this.#refused++;
      return this.#plain(this.#refused > MAX_REFUSED ? source.length : 1);
    }
    this.#segments.push({ source, calls: [call], cut: true });
    this.#take(source.length);
    return true;
  }
}
