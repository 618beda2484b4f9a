/**
 * The one redactor (safety.md section 9): known secret values, in each of their forms, become `[redacted:NAME]`.
 */

import { secretForms, worthHiding } from './secret-forms.ts';
import { redactPatterns } from './secret-patterns.ts';
import { createSecretSearch, type SecretSearch } from './secret-search.ts';
import type { Redactor } from './types.ts';

type Replace = (text: string) => string;

function mapObject(value: object, replace: Replace): object {
  let changed = false;
  const entries = Object.entries(value).map(([key, member]): [string, unknown] => {
    const newKey = replace(key);
    const newMember = mapStrings(member, replace);
    changed ||= newKey !== key || newMember !== member;
    return [newKey, newMember];
  });
  return changed ? Object.fromEntries(entries) : value;
}

/** Applies `replace` to every string and key of a JSON-like value; the same value when nothing changed. */
function mapStrings(value: unknown, replace: Replace): unknown {
  if (typeof value === 'string') return replace(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const mapped = value.map((item) => mapStrings(item, replace));
    return mapped.some((item, index) => item !== value[index]) ? mapped : value;
  }
  return mapObject(value, replace);
}

/** Known values and the search over their forms, rebuilt only after a new one came. */
class KnownSecrets {
  readonly #names = new Map<string, string>();
  #search: SecretSearch | null = null;

  add(name: string, value: string): void {
    if (!worthHiding(value)) return;
    for (const form of secretForms(value)) {
      if (!this.#names.has(form)) this.#names.set(form, name);
    }
    this.#search = null;
  }

  search(): SecretSearch {
    this.#search ??= createSecretSearch([...this.#names.keys()]);
    return this.#search;
  }

  label(form: string): string {
    return `[redacted:${this.#names.get(form) ?? 'secret'}]`;
  }

  replaceAll(text: string): string {
    const search = this.search();
    let match = search.find(text, 0);
    if (match === null) return text;
    let result = '';
    let position = 0;
    while (match !== null) {
      result += text.slice(position, match.index) + this.label(match.pattern);
      position = match.index + match.pattern.length;
      match = search.find(text, position);
    }
    return result + text.slice(position);
  }
}

/** Redacts a text that comes in pieces; holds back only a tail that could still become a secret. */
class RedactingStream {
  readonly #secrets: KnownSecrets;
  #pending = '';

  constructor(secrets: KnownSecrets) {
    this.#secrets = secrets;
  }

  push(text: string): string {
    const search = this.#secrets.search();
    const buffer = this.#pending + text;
    let result = '';
    let position = 0;
    let growing = search.growingFrom(buffer, 0);
    let match = search.find(buffer, 0);
    // A match that begins where the text may still grow into a longer form waits for more.
    while (match !== null && match.index < growing) {
      result += buffer.slice(position, match.index) + this.#secrets.label(match.pattern);
      position = match.index + match.pattern.length;
      growing = search.growingFrom(buffer, position);
      match = search.find(buffer, position);
    }
    this.#pending = buffer.slice(growing);
    return result + buffer.slice(position, growing);
  }

  end(): string {
    const rest = this.#secrets.replaceAll(this.#pending);
    this.#pending = '';
    return rest;
  }
}

/** A redactor without any known secret; `add` ignores values that would garble ordinary text. */
export function createRedactor(): Redactor {
  const secrets = new KnownSecrets();
  const text = (value: string): string => secrets.replaceAll(value);
  const strict = (value: string): string => redactPatterns(secrets.replaceAll(value));
  return {
    add: (name, value) => secrets.add(name, value),
    text,
    strict,
    value<T>(value: T, level: 'known' | 'strict'): T {
      return mapStrings(value, level === 'known' ? text : strict) as T;
    },
    stream: () => new RedactingStream(secrets),
  };
}
