import { type Envelope, EnvelopeScanner, type ScanRules } from './envelope-scanner.ts';

const MAX_HELD = 64 * 1024;
const EXTRA_CLOSERS = /^(?:\s*<\/(?:tool_call|function)>)+/;

/** What becomes of envelopes when the turn is over. */
export type Verdict = 'run' | 'strip' | 'keep';

export interface ChannelEnd {
  /** The whole text of the channel, envelopes left out unless they are kept. */
  readonly text: string;
  /** The end of `text` that was not handed out yet. */
  readonly rest: string;
  readonly envelopes: readonly Envelope[];
}

/** One stream of text (content or reasoning): hands out what no reader could take for markup, holds back the rest. */
export class Channel {
  readonly #scanner: EnvelopeScanner;
  #shownSegments = 0;
  #shownLength = 0;
  #total = 0;
  #overflown = false;

  constructor(rules: ScanRules) {
    this.#scanner = new EnvelopeScanner(rules);
  }

  /** The text a reader may see now. */
  push(text: string): string {
    this.#total += text.length;
    if (this.#overflown) {
      this.#scanner.push(text);
      return text;
    }
    this.#scanner.push(text);
    const shown = this.#showDecided();
    this.#shownLength += shown.length;
    if (this.#total - this.#shownLength <= MAX_HELD) return shown;
    this.#overflown = true;
    return shown + this.#whole().slice(this.#shownLength);
  }

  end(verdict: Verdict): ChannelEnd {
    this.#scanner.end();
    const { segments } = this.#scanner;
    const envelopes = segments.filter((segment) => typeof segment !== 'string');
    const joined =
      verdict === 'keep' || envelopes.length === 0 ? this.#whole() : textOutside(segments);
    const text = envelopes.length > 0 && joined.trim() === '' ? '' : joined;
    return { text, rest: this.#overflown ? '' : text.slice(this.#shownLength), envelopes };
  }

  /** Decided text in front of the first envelope. */
  #showDecided(): string {
    const { segments } = this.#scanner;
    const shown: string[] = [];
    for (; this.#shownSegments < segments.length; this.#shownSegments++) {
      const segment = segments[this.#shownSegments];
      if (typeof segment !== 'string') break;
      shown.push(segment);
    }
    return shown.join('');
  }

  #whole(): string {
    const decided = this.#scanner.segments.map((segment) =>
      typeof segment === 'string' ? segment : segment.source,
    );
    return decided.join('') + this.#scanner.undecided;
  }
}

/** Text without the envelopes; closing tags written twice go with them. */
function textOutside(segments: readonly (string | Envelope)[]): string {
  const stretches: string[] = [''];
  for (const segment of segments) {
    if (typeof segment === 'string') stretches.push((stretches.pop() ?? '') + segment);
    else stretches.push('');
  }
  const [before = '', ...behind] = stretches;
  return before + behind.map((stretch) => stretch.replace(EXTRA_CLOSERS, '')).join('');
}
