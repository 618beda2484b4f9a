/**
 * The one sanitiser (safety.md section 9): what came from a model, tool, file or server cannot drive a terminal or
 * hide itself once it went through here.
 */

export interface Sanitiser {
  push(text: string): string;
  end(): string;
}

/**
 * `screen`: control sequences are removed. `name` (cards, commands, paths, names): nothing is removed, everything
 * invisible is shown as `\u{...}`. `model`: only whole sequences are removed, all other characters stay exact.
 */
type Mode = 'screen' | 'name' | 'model';

type State = 'text' | 'escape' | 'escape-rest' | 'csi' | 'string' | 'string-escape';

const ESC = '\u001b';
const BIDI = '\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069';
const TAGS = '\u{e0000}-\u{e007f}';
const INVISIBLE =
  '\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2028\u2029\u2060-\u2065\u206a-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\u{e0080}-\u{e0fff}';

/** Anything a mode has to look at; other text passes as it is. */
const SUSPECT: Readonly<Record<Mode, RegExp>> = {
  screen: new RegExp(`[\\0-\\x08\\x0b-\\x1f\\x7f-\\x9f\\ud800-\\udfff${BIDI}${TAGS}]`, 'u'),
  name: new RegExp(
    `[\\0-\\x08\\x0b-\\x1f\\x7f-\\x9f\\ud800-\\udfff${BIDI}${TAGS}${INVISIBLE}]`,
    'u',
  ),
  model: /[\x1b\x90\x98\x9b\x9d-\x9f]/,
};
const SHOWN: Readonly<Record<'screen' | 'name', RegExp>> = {
  screen: new RegExp(`[${BIDI}${TAGS}]`, 'gu'),
  name: new RegExp(`[\\0-\\x08\\x0b-\\x1f\\x7f-\\x9f${BIDI}${TAGS}${INVISIBLE}]`, 'gu'),
};
/** Begins a sequence: ESC, and the one-character forms of DCS, SOS, CSI, OSC, PM, APC. */
const INTRODUCER = /[\x1b\x90\x98\x9b\x9d-\x9f]/g;
const CONTROLS = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;
const LINE_ENDS = /\r\n?/g;

function show(char: string): string {
  return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}

function afterIntroducer(char: string): State {
  if (char === ESC) return 'escape';
  return char === '\u009b' ? 'csi' : 'string';
}

/** State after one character inside a sequence, and whether the character belongs to the sequence. */
function advance(state: State, char: string): { state: State; eaten: boolean } {
  const code = char.charCodeAt(0);
  if (char === ESC) return { state: state === 'string' ? 'string-escape' : 'escape', eaten: true };
  switch (state) {
    case 'escape':
      if (char === '[') return { state: 'csi', eaten: true };
      if (']P^_X'.includes(char)) return { state: 'string', eaten: true };
      return advance('escape-rest', char);
    case 'escape-rest':
      if (code >= 0x20 && code <= 0x2f) return { state: 'escape-rest', eaten: true };
      return { state: 'text', eaten: code >= 0x30 && code <= 0x7e };
    case 'csi':
      if (code >= 0x20 && code <= 0x3f) return { state: 'csi', eaten: true };
      return { state: 'text', eaten: code >= 0x40 && code <= 0x7e };
    case 'string-escape':
      return char === '\\' ? { state: 'text', eaten: true } : advance('escape', char);
    case 'string':
      return { state: /[\x07\x18\x1a\x9c]/.test(char) ? 'text' : 'string', eaten: true };
    case 'text':
      return { state: 'text', eaten: false };
  }
}

/** Where the first sequence at or after `from` begins, or -1. */
function nextIntroducer(text: string, from: number): number {
  INTRODUCER.lastIndex = from;
  return INTRODUCER.exec(text)?.index ?? -1;
}

/** Ends of a string sequence, searched natively because its payload can be very long. */
const STRING_END = /[\x07\x18\x1a\x1b\x9c]/g;

function skipPayload(text: string, from: number): number {
  STRING_END.lastIndex = from;
  return STRING_END.exec(text)?.index ?? text.length;
}

/** Removes sequences from text that may break inside one. */
class SequenceRemover {
  #state: State = 'text';

  /** True between the introducer and the end of a sequence. */
  get inside(): boolean {
    return this.#state !== 'text';
  }

  push(text: string): string {
    let result = '';
    let position = 0;
    while (position < text.length) {
      if (this.#state === 'text') {
        const start = nextIntroducer(text, position);
        if (start < 0) return result + text.slice(position);
        result += text.slice(position, start);
        this.#state = afterIntroducer(text.charAt(start));
        position = start + 1;
      } else {
        position = this.#consume(text, position);
      }
    }
    return result;
  }

  #consume(text: string, from: number): number {
    const position = this.#state === 'string' ? skipPayload(text, from) : from;
    if (position >= text.length) return position;
    const next = advance(this.#state, text.charAt(position));
    this.#state = next.state;
    return next.eaten ? position + 1 : position;
  }
}

function clean(text: string, mode: Mode): string {
  if (mode === 'model') return text;
  const wellFormed = text.toWellFormed();
  if (mode === 'name') {
    return wellFormed.replaceAll('\r\n', '\n').replace(SHOWN.name, show);
  }
  return wellFormed.replace(LINE_ENDS, '\n').replace(CONTROLS, '').replace(SHOWN.screen, show);
}

function sanitiseAs(text: string, mode: Mode): string {
  if (!SUSPECT[mode].test(text)) return text;
  return clean(mode === 'name' ? text : new SequenceRemover().push(text), mode);
}

/**
 * Makes a text safe to show to a person. With `names` (cards, commands, paths, names, titles) nothing is left out:
 * control and invisible characters appear as `\u{...}`.
 */
export function sanitise(text: string, options: { readonly names?: boolean } = {}): string {
  return sanitiseAs(text, options.names === true ? 'name' : 'screen');
}

/** Text for the model: whole escape sequences go, every other character stays as it is. */
export function forModel(text: string): string {
  return sanitiseAs(text, 'model');
}

/** Characters whose meaning depends on the next one: held back to the next piece. */
const UNDECIDED_END = /[\r\ud800-\udbff]$/;

/** Like `sanitise`, for a text that comes in pieces: a sequence, line end or character may be split over them. */
export function createSanitiser(): Sanitiser {
  const remover = new SequenceRemover();
  let held = '';
  return {
    push(text) {
      if (!remover.inside && held === '' && !SUSPECT.screen.test(text)) return text;
      const visible = held + remover.push(text);
      held = UNDECIDED_END.exec(visible)?.[0] ?? '';
      return clean(visible.slice(0, visible.length - held.length), 'screen');
    },
    end() {
      const rest = clean(held, 'screen');
      held = '';
      return rest;
    },
  };
}
