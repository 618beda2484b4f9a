const OPEN = '<think>';
const CLOSE = '</think>';

export interface ThinkSplit {
  readonly text: string;
  readonly reasoning: string;
}

/**
 * Splits a leading `<think>` block off the content. Only the start of the content counts: a tag anywhere later is
 * text. The result does not depend on how the content arrives in pieces.
 */
export class ThinkTags {
  #state: 'start' | 'inside' | 'after' | 'text';
  #held = '';

  /** `implied`: the content starts inside reasoning, with or without the opening tag. */
  constructor(options: { readonly tags: boolean; readonly implied: boolean }) {
    this.#state = options.tags || options.implied ? 'start' : 'text';
    this.#implied = options.implied;
  }
  readonly #implied: boolean;

  push(text: string): ThinkSplit {
    return this.#split(text, false);
  }

  end(): ThinkSplit {
    return this.#split('', true);
  }

  #split(text: string, final: boolean): ThinkSplit {
    let rest = this.#held + text;
    let reasoning = '';
    this.#held = '';
    if (this.#state === 'start') {
      const start = rest.trimStart();
      if (!final && start.length < OPEN.length && OPEN.startsWith(start))
        return this.#hold(rest, '');
      const tagged = start.startsWith(OPEN);
      this.#state = tagged || this.#implied ? 'inside' : 'text';
      if (tagged) rest = start.slice(OPEN.length);
    }
    if (this.#state === 'inside') {
      const close = rest.indexOf(CLOSE);
      if (close < 0) {
        const kept = final ? 0 : partialSuffix(rest);
        return this.#hold(rest.slice(rest.length - kept), rest.slice(0, rest.length - kept));
      }
      reasoning = rest.slice(0, close);
      rest = rest.slice(close + CLOSE.length);
      this.#state = 'after';
    }
    if (this.#state === 'after') {
      rest = rest.trimStart();
      if (rest !== '') this.#state = 'text';
    }
    return { text: rest, reasoning };
  }

  #hold(held: string, reasoning: string): ThinkSplit {
    this.#held = held;
    return { text: '', reasoning };
  }
}

/** Length of the longest end of the text that could start the closing tag. */
function partialSuffix(text: string): number {
  for (let length = Math.min(CLOSE.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(CLOSE.slice(0, length))) return length;
  }
  return 0;
}
