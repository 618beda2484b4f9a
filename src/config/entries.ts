/** Turns a parsed file into single settings, each checked against the table of keys. */
import { ConfigError } from '../errors.ts';
import { editDistance } from '../nearest-name.ts';
import type { ParsedDocument } from './document.ts';
import { CONFIG_KEYS, type ConfigKey, isWildcard, KEY_TREE, type KeyNode } from './keys.ts';
import { checkValue, describe, type ValueSchema } from './value-schema.ts';

/** One value of one file. `path` is the key with its names filled in. */
export interface Entry {
  readonly key: ConfigKey;
  readonly path: string;
  readonly segments: readonly string[];
  readonly value: unknown;
  readonly line: number | null;
}

const FORBIDDEN_NAMES = new Set(['__proto__', 'constructor', 'prototype']);

/** Agent kinds that are only another name. */
const AGENT_ALIASES: Readonly<Record<string, string>> = { trae_agent: 'coding' };

/** The name of an agent kind in the table: `trae_agent` is `coding`. */
export function agentName(type: string): string {
  return AGENT_ALIASES[type] ?? type;
}

/** Every setting of a file. Throws ConfigError naming file, line, key and the nearest known key. */
export function readEntries(document: ParsedDocument): Entry[] {
  if (document.value === null || document.value === undefined) return [];
  const entries: Entry[] = [];
  walk(document, KEY_TREE, document.value, [], entries);
  refuseTwins(document, entries);
  return entries;
}

function walk(
  document: ParsedDocument,
  node: KeyNode,
  value: unknown,
  path: readonly string[],
  entries: Entry[],
): void {
  if (value === null || value === undefined) return;
  if (node.key !== null) {
    const entry = readValue(document, node.key, value, path);
    if (entry !== null) entries.push(entry);
    return;
  }
  if (typeof value !== 'object' || Array.isArray(value))
    throw wrongType(document, path, path.join('.'), 'a section with keys of its own');
  for (const [name, member] of Object.entries(value)) {
    const next = FORBIDDEN_NAMES.has(name) ? null : (node.members.get(name) ?? node.any);
    if (next === null || next === undefined) throw unknownKey(document, [...path, name]);
    walk(document, next, member, [...path, name], entries);
  }
}

function readValue(
  document: ParsedDocument,
  key: ConfigKey,
  raw: unknown,
  path: readonly string[],
): Entry | null {
  const value = coerce(raw, key.schema);
  if (isPlaceholder(value, key)) return null;
  const fault = checkValue(value, key.schema);
  if (fault !== null) {
    const where = [...path, ...fault.path].join('.');
    throw wrongType(document, [...path, ...fault.path], where, fault.expected);
  }
  const segments =
    path[0] === 'agents' ? ['agents', agentName(path[1] ?? ''), ...path.slice(2)] : path;
  return { key, path: segments.join('.'), segments, value, line: document.lineOf(path) };
}

/** The words that other readers of the same file take as booleans. */
const BOOLEAN_WORDS: Readonly<Record<string, boolean>> = {
  yes: true,
  on: true,
  no: false,
  off: false,
};

function coerce(value: unknown, schema: ValueSchema): unknown {
  if (schema.type !== 'boolean' || typeof value !== 'string') return value;
  return BOOLEAN_WORDS[value.toLowerCase()] ?? value;
}

/** Keys and addresses left empty or as in the example files of trae-agent count as not given. */
function isPlaceholder(value: unknown, key: ConfigKey): boolean {
  const last = key.segments.at(-1);
  if (last !== 'api_key' && last !== 'base_url') return false;
  return typeof value === 'string' && (value.trim() === '' || /^<?your[_-]/i.test(value));
}

function place(document: ParsedDocument, path: readonly (string | number)[]): string {
  const line = document.lineOf(path);
  return line === null ? document.file : `${document.file}:${line}`;
}

function wrongType(
  document: ParsedDocument,
  path: readonly (string | number)[],
  key: string,
  expected: string,
): ConfigError {
  const name = key === '' ? 'the file' : `"${key}"`;
  return new ConfigError(`${place(document, path)}: ${name} must be ${expected}.`, {
    file: document.file,
    line: document.lineOf(path),
    key,
    expected,
  });
}

function unknownKey(document: ParsedDocument, path: readonly string[]): ConfigError {
  const key = path.join('.');
  const near = nearestKey(path);
  return new ConfigError(
    `${place(document, path)}: unknown key "${key}"; the nearest known key is "${near}".`,
    { file: document.file, line: document.lineOf(path), key, nearest: near },
  );
}

/** The known key, or section, most like a path: the last names are compared first, then where they stand. */
export function nearestKey(path: readonly string[]): string {
  let best = '';
  let bestScore = Number.POSITIVE_INFINITY;
  for (const candidate of candidates(path)) {
    const last = editDistance(path.at(-1) ?? '', candidate.at(-1) ?? '');
    const parents = editDistance(path.slice(0, -1).join('.'), candidate.slice(0, -1).join('.'));
    const score = last * 2 + Math.min(parents, 5);
    if (score < bestScore) {
      bestScore = score;
      best = candidate.join('.');
    }
  }
  return best;
}

function* candidates(path: readonly string[]): Iterable<readonly string[]> {
  for (const key of CONFIG_KEYS) {
    const filled = key.segments.map((segment, index) =>
      isWildcard(segment) ? (path[index] ?? segment) : segment,
    );
    for (let length = 1; length <= filled.length; length++) {
      if (!isWildcard(key.segments[length - 1] ?? '')) yield filled.slice(0, length);
    }
  }
}

/** Two spellings of one agent kind in one file would silently hide one of them. */
function refuseTwins(document: ParsedDocument, entries: readonly Entry[]): void {
  const seen = new Set<string>();
  for (const entry of entries) {
    if (seen.has(entry.path))
      throw new ConfigError(
        `${document.file}: "agents.trae_agent" and "agents.coding" are the same; keep one of them.`,
        { file: document.file, key: entry.path },
      );
    seen.add(entry.path);
  }
}

/** What a key takes, in words, for messages about flags and variables. */
export function expectation(key: ConfigKey): string {
  return describe(key.schema);
}
