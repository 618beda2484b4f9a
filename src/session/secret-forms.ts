/**
 * The spellings a known secret can turn up in: exact, base64 at each alignment in both alphabets, URL-encoded,
 * JSON-escaped, hexadecimal. And which values are worth hiding at all.
 */

/** Shorter values would garble ordinary text. */
export const SHORTEST_SECRET = 8;

const PLAIN_WORD = /^(?:[a-z]+|[A-Z][a-z]+|[A-Z]+)$/;
const PATH_START = /^(?:~?\/|\.{1,2}\/|[A-Za-z]:[\\/])/;
const PATH_SEGMENT = /^[\w.@ -]*$/;
const RANDOM_SEGMENT = /^(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9])[A-Za-z0-9]{16,}$/;

function looksLikePath(value: string): boolean {
  if (!PATH_START.test(value)) return false;
  const segments = value.replace(/^[A-Za-z]:/, '').split(/[\\/]/);
  return segments.every(
    (segment) => segment === '~' || (PATH_SEGMENT.test(segment) && !RANDOM_SEGMENT.test(segment)),
  );
}

/** False for what would garble ordinary text: short values, plain words, file paths. */
export function worthHiding(value: string): boolean {
  return value.length >= SHORTEST_SECRET && !PLAIN_WORD.test(value) && !looksLikePath(value);
}

function base64Forms(bytes: Buffer): string[] {
  const whole = bytes.toString('base64').replace(/=+$/, '');
  const inner = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const first = Math.ceil((offset * 8) / 6);
    return text.slice(first, Math.floor(((offset + bytes.length) * 8) / 6));
  });
  return [whole, ...inner].flatMap((text) => [
    text,
    text.replaceAll('+', '-').replaceAll('/', '_'),
  ]);
}

function urlForms(value: string): string[] {
  const encoded = encodeURIComponent(value.toWellFormed());
  const strict = encoded.replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const lower = (text: string): string => text.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase());
  return [encoded, strict].flatMap((text) => [
    text,
    lower(text),
    text.replaceAll('%20', '+'),
    lower(text).replaceAll('%20', '+'),
  ]);
}

function jsonEscape(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

function asciiEscape(json: string): string {
  return json.replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function jsonForms(value: string): string[] {
  const once = jsonEscape(value);
  const forms = [once, asciiEscape(once), once.replaceAll('/', '\\/')];
  const twice = forms.map(jsonEscape);
  return [...forms, ...twice, ...twice.map(jsonEscape)];
}

/** Every form of one secret, without repetition. */
export function secretForms(value: string): string[] {
  const bytes = Buffer.from(value, 'utf8');
  const hex = bytes.toString('hex');
  const forms = [
    value,
    ...base64Forms(bytes),
    ...urlForms(value),
    ...jsonForms(value),
    hex,
    hex.toUpperCase(),
  ];
  return [...new Set(forms)].filter((form) => form.length >= SHORTEST_SECRET);
}
