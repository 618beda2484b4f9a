/**
 * A closed literal grammar for command lines. It accepts only simple commands made of literal words, joined by
 * `&& || ; |` and newlines, with redirections to `/dev/null` and between descriptors. Everything else is refused
 * with a reason, so that a misread of the shell can cost a question but never hide a second command.
 */

export type Joint = 'start' | '&&' | '||' | ';' | '|' | 'newline';

export interface SimpleCommand {
  /** How it is joined to the command before it. */
  readonly joint: Joint;
  /** Words after quote removal; the first is the program. */
  readonly words: readonly string[];
  /** `2>&1`, `>/dev/null` as understood. */
  readonly redirections: readonly string[];
}

export type ShellLine =
  | { readonly analysable: true; readonly commands: readonly SimpleCommand[] }
  | { readonly analysable: false; readonly reason: string };

export const SHELL_LIMITS = { bytes: 32 * 1024, commands: 200 } as const;

const RESERVED = new Set(
  'if then else elif fi do done case esac while until for select function time coproc in'.split(
    ' ',
  ),
);
const PLAIN = /[\p{L}\p{N}\p{M}_@%+,./:^-]/u;
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u;

class Unanalysable extends Error {}

function refuse(reason: string): never {
  throw new Unanalysable(reason);
}

interface Draft {
  joint: Joint;
  words: string[];
  redirections: string[];
}

/** Reads one line. Never throws. */
export function parseShellLine(text: string): ShellLine {
  try {
    return { analysable: true, commands: new Reader(text).read() };
  } catch (error) {
    if (error instanceof Unanalysable) return { analysable: false, reason: error.message };
    throw error;
  }
}

class Reader {
  private readonly text: string;
  private at = 0;
  private readonly done: SimpleCommand[] = [];
  private draft: Draft = { joint: 'start', words: [], redirections: [] };

  constructor(text: string) {
    if (Buffer.byteLength(text) > SHELL_LIMITS.bytes) refuse('longer than 32 KiB');
    const hidden = text.replace(/[\n\t]/g, ' ').match(HIDDEN);
    if (hidden !== null) refuse('control or invisible characters');
    this.text = text;
  }

  read(): readonly SimpleCommand[] {
    while (this.at < this.text.length) this.step();
    this.close('end');
    if (this.done.length === 0) refuse('no command');
    return this.done;
  }

  private step(): void {
    const rest = this.text[this.at];
    if (rest === ' ' || rest === '\t') this.at += 1;
    else if (rest === '\n') this.separator('newline', 1);
    else if (this.text.startsWith('&&', this.at)) this.separator('&&', 2);
    else if (this.text.startsWith('||', this.at)) this.separator('||', 2);
    else if (this.text.startsWith('|&', this.at)) refuse('|& is not literal');
    else if (rest === '|') this.separator('|', 1);
    else if (this.text.startsWith(';;', this.at)) refuse(';; outside case');
    else if (rest === ';') this.separator(';', 1);
    else if (rest === '>' || rest === '<') this.redirection('');
    else if (this.text.startsWith('&>', this.at)) this.bothStreams();
    else this.wordOrDescriptor();
  }

  private separator(joint: Joint, width: number): void {
    this.at += width;
    const open = this.draft.words.length === 0 && this.draft.redirections.length === 0;
    const continued = open && ['&&', '||', '|'].includes(this.draft.joint);
    if (joint === 'newline' && (continued || open)) return;
    this.close(joint);
    this.draft = { joint, words: [], redirections: [] };
  }

  /** Ends the command being read. A dangling joint or an empty command is a syntax error: refused. */
  private close(next: Joint | 'end'): void {
    const { joint, words, redirections } = this.draft;
    if (words.length === 0) {
      const mayBeEmpty = next === 'end' && ['start', ';', 'newline'].includes(joint);
      if (!mayBeEmpty || redirections.length > 0) refuse('an empty command');
      return;
    }
    this.done.push({ joint, words, redirections });
    if (this.done.length > SHELL_LIMITS.commands) refuse('more than 200 commands');
  }

  private bothStreams(): void {
    this.at += 1;
    this.redirection('&');
  }

  private redirection(descriptor: string): void {
    const sign = this.text[this.at] ?? '';
    this.at += 1;
    let operator = sign;
    if (sign === '>' && this.text[this.at] === '>') {
      operator = '>>';
      this.at += 1;
    }
    const duplicate = this.text[this.at] === '&';
    if (duplicate) this.at += 1;
    if (/[<>|&]/.test(this.text[this.at] ?? '')) refuse('a here-document or other redirection');
    if (!duplicate) while (/[ \t]/.test(this.text[this.at] ?? '')) this.at += 1;
    const start = this.at;
    const target = this.word();
    const quoted = this.text.slice(start, this.at) !== target;
    const allowed = duplicate
      ? descriptor !== '&' && operator !== '>>' && /^[0-9]$/.test(target)
      : target === '/dev/null';
    if (quoted || !allowed) refuse('a redirection to or from a file');
    this.draft.redirections.push(`${descriptor}${operator}${duplicate ? '&' : ''}${target}`);
  }

  private wordOrDescriptor(): void {
    const start = this.at;
    const word = this.word();
    const raw = this.text.slice(start, this.at);
    const next = this.text[this.at];
    if (/^[0-9]$/.test(raw) && (next === '>' || next === '<')) {
      this.redirection(raw);
      return;
    }
    if (next === '>' || next === '<') {
      if (/^[0-9]+$/.test(raw)) refuse('an unusual descriptor');
    }
    if (this.draft.words.length === 0) this.checkProgram(word, raw);
    this.draft.words.push(word);
  }

  private checkProgram(word: string, raw: string): void {
    if (word === '' || raw === '{}') refuse('the program is not a plain word');
    if (RESERVED.has(word)) refuse(`the keyword ${word}`);
    if (raw.includes('=')) refuse('an assignment');
  }

  /** One word at the cursor, quotes removed; stops before a blank or an operator. */
  private word(): string {
    const start = this.at;
    let out = '';
    while (this.at < this.text.length) {
      const part = this.part(start);
      if (part === null) break;
      out += part;
    }
    if (this.at === start) refuse(`the character ${this.text[start] ?? 'end of line'}`);
    return out;
  }

  /** The next piece of a word, or null at its end. */
  private part(start: number): string | null {
    const code = this.text.codePointAt(this.at) ?? 0;
    const char = String.fromCodePoint(code);
    if (/[ \t\n;|&<>]/.test(char)) return this.endOfWord(char);
    if (char === "'") return this.singleQuoted();
    if (char === '"') return this.doubleQuoted();
    if (char === '\\') return this.escaped();
    const inside = this.at > start;
    const before = this.text[this.at - 1] ?? '';
    const literal =
      PLAIN.test(char) ||
      char === '=' ||
      (char === '#' && inside) ||
      (char === '~' && inside && !/[=:]/.test(before));
    if (literal) {
      this.at += char.length;
      return char;
    }
    if (char === '{' && !inside && /^\{\}(?=[ \t\n;|&]|$)/.test(this.text.slice(this.at))) {
      this.at += 2;
      return '{}';
    }
    return refuse(`the character ${char} outside quotes`);
  }

  private endOfWord(char: string): null {
    const next = this.text[this.at + 1];
    if (char === '&' && next !== '&' && next !== '>') refuse('& (background)');
    return null;
  }

  private singleQuoted(): string {
    const end = this.text.indexOf("'", this.at + 1);
    if (end < 0) refuse('an open quote');
    const inner = this.text.slice(this.at + 1, end);
    this.at = end + 1;
    return inner;
  }

  private doubleQuoted(): string {
    let out = '';
    for (let index = this.at + 1; index < this.text.length; index += 1) {
      const char = this.text[index] ?? '';
      const next = this.text[index + 1] ?? '';
      if (char === '"') {
        this.at = index + 1;
        return out;
      }
      if (char === '`' || (char === '$' && next !== '"')) refuse('an expansion in double quotes');
      if (char === '\\' && next === '\n') refuse('a line continuation');
      if (char === '\\' && /[$`"\\]/.test(next)) index += 1;
      out += this.text[index] ?? '';
    }
    return refuse('an open quote');
  }

  private escaped(): string {
    const next = String.fromCodePoint(this.text.codePointAt(this.at + 1) ?? 0);
    if (next === '\0') refuse('a trailing backslash');
    if (next === '\n') refuse('a line continuation');
    this.at += 1 + next.length;
    return next;
  }
}

const QUOTE_FREE = /^[\p{L}\p{N}_@%+,./:^-]+$/u;

/** A word written so that its borders and content are plain to see and the shell reads it back unchanged. */
export function quoteWord(word: string): string {
  return QUOTE_FREE.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** One simple command with explicit quotes. */
export function renderCommand(command: SimpleCommand): string {
  return [...command.words.map(quoteWord), ...command.redirections].join(' ');
}
