import { endOfString } from './json-scan.ts';

/**
 * Rewrites of almost-JSON into JSON text, by a tokenizer. Nothing inside a string changes except its spelling:
 * a parse of the result gives exactly the characters that were written.
 */

const CONTROL = /[\u0000-\u001f]/;
const CONTROLS_OR_ESCAPE = /\\[\s\S]|[\u0000-\u001f]/g;

function escapeControl(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** A control character after a backslash stays raw, so that the parser refuses it as the invalid escape it is. */
function escapeControlsIn(string: string): string {
  if (!CONTROL.test(string)) return string;
  return string.replace(CONTROLS_OR_ESCAPE, (found) =>
    found.length > 1 ? found : escapeControl(found),
  );
}

/** The text with raw control characters inside its strings escaped; null when a string never closes or none is there. */
export function escapeControls(text: string): string | null {
  if (!CONTROL.test(text)) return null;
  const parts: string[] = [];
  let from = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', from)) {
    const end = endOfString(text, at);
    if (end < 0) return null;
    parts.push(text.slice(from, at), escapeControlsIn(text.slice(at, end)));
    from = end;
  }
  parts.push(text.slice(from));
  return parts.join('');
}

const PYTHON_WORDS: ReadonlyMap<string, string> = new Map([
  ['True', 'true'],
  ['False', 'false'],
  ['None', 'null'],
]);
const WORD = /[A-Za-z0-9_$.+-]+/y;
const SPACE = /[ \t\n\r]+/y;

/** A single-quoted string in double quotes; of its escapes only `\'` is not JSON's own. */
function doubleQuoted(string: string): string {
  const inside = string.slice(1, -1).replace(/\\[\s\S]|"/g, (found) => {
    if (found === '"') return '\\"';
    return found === "\\'" ? "'" : found;
  });
  return `"${inside}"`;
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

function readToken(text: string, at: number): { raw: string; json: string } | null {
  const character = text[at] ?? '';
  if (character === '"' || character === "'") {
    const end = endOfString(text, at);
    if (end < 0) return null;
    const raw = text.slice(at, end);
    return { raw, json: escapeControlsIn(character === "'" ? doubleQuoted(raw) : raw) };
  }
  const space = matchAt(SPACE, text, at);
  if (space !== '') return { raw: space, json: '' };
  const word = matchAt(WORD, text, at);
  const raw = word === '' ? character : word;
  return { raw, json: PYTHON_WORDS.get(raw) ?? raw };
}

const STARTS_VALUE = /^["{[\w.+-]/;
const ENDS_VALUE = /["}\]\w.+-]$/;

/** A value or key straight after another one: no JSON, whatever follows. */
function cannotFollow(token: string, previous: string | undefined): boolean {
  return previous !== undefined && STARTS_VALUE.test(token) && ENDS_VALUE.test(previous);
}

/** True when the tokens end in a comma that follows a complete element. */
function endsInTrailingComma(tokens: readonly string[]): boolean {
  const before = tokens.at(-2);
  return tokens.at(-1) === ',' && before !== undefined && !['{', '[', ',', ':'].includes(before);
}

/**
 * JSON text of a text with single-quoted strings, `True`, `False`, `None` or trailing commas; raw control
 * characters in strings are kept as such. Null when it cannot become JSON; the result still has to be parsed.
 */
export function relaxedToJson(text: string): string | null {
  const tokens: string[] = [];
  for (let at = 0; at < text.length; ) {
    const token = readToken(text, at);
    if (token === null) return null;
    at += token.raw.length;
    if (token.json === '') continue;
    if (cannotFollow(token.json, tokens.at(-1))) return null;
    if ((token.json === '}' || token.json === ']') && endsInTrailingComma(tokens)) tokens.pop();
    tokens.push(token.json);
  }
  return tokens.join('');
}
