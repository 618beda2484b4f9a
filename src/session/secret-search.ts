/**
 * Finds any of many fixed strings in a text (the Wu-Manber algorithm with blocks of two units). A text without any
 * of them costs far less than one look per character, because most positions are skipped.
 */

export interface SearchMatch {
  readonly index: number;
  readonly pattern: string;
}

export interface SecretSearch {
  /** The first match at or after `from`; of several that begin there, the longest. */
  find(text: string, from: number): SearchMatch | null;
  /** First index at or after `from` where the rest of the text could grow into a (longer) match; else the length. */
  growingFrom(text: string, from: number): number;
}

const TABLE_SIZE = 4096;
const LONGEST_SHIFT = 250;

function blockHash(first: number, second: number): number {
  return ((first << 5) ^ second) & (TABLE_SIZE - 1);
}

function byLengthDescending(a: string, b: string): number {
  return b.length - a.length;
}

interface Tables {
  /** Length of the shortest pattern, the part of each that is indexed. */
  readonly window: number;
  /** How far a window may move when it ends in this block; 0 = look closer. */
  readonly shifts: Uint8Array;
  readonly candidates: ReadonlyMap<number, readonly string[]>;
}

function buildTables(patterns: readonly string[]): Tables {
  const shortest = Math.min(...patterns.map((pattern) => pattern.length));
  const window = Math.min(shortest, LONGEST_SHIFT);
  const shifts = new Uint8Array(TABLE_SIZE).fill(window - 1);
  const candidates = new Map<number, string[]>();
  for (const pattern of patterns) {
    for (let end = 1; end < window; end += 1) {
      const block = blockHash(pattern.charCodeAt(end - 1), pattern.charCodeAt(end));
      shifts[block] = Math.min(shifts[block] ?? 0, window - 1 - end);
      if (end === window - 1) candidates.set(block, [...(candidates.get(block) ?? []), pattern]);
    }
  }
  for (const list of candidates.values()) list.sort(byLengthDescending);
  return { window, shifts, candidates };
}

function findWith(tables: Tables, text: string, from: number): SearchMatch | null {
  const { window, shifts, candidates } = tables;
  let end = from + window - 1;
  while (end < text.length) {
    const block = blockHash(text.charCodeAt(end - 1), text.charCodeAt(end));
    const shift = shifts[block] ?? 0;
    if (shift > 0) {
      end += shift;
      continue;
    }
    const index = end - window + 1;
    const pattern = candidates.get(block)?.find((candidate) => text.startsWith(candidate, index));
    if (pattern !== undefined) return { index, pattern };
    end += 1;
  }
  return null;
}

/** Builds the tables once. Patterns have at least two characters. */
export function createSecretSearch(patterns: readonly string[]): SecretSearch {
  if (patterns.length === 0) {
    return { find: () => null, growingFrom: (text) => text.length };
  }
  const tables = buildTables(patterns);
  const longest = Math.max(...patterns.map((pattern) => pattern.length));
  const byFirst = new Map<string, string[]>();
  for (const pattern of patterns) {
    const first = pattern.charAt(0);
    byFirst.set(first, [...(byFirst.get(first) ?? []), pattern]);
  }
  return {
    find: (text, from) => findWith(tables, text, from),
    growingFrom(text, from) {
      for (let at = Math.max(from, text.length - longest + 1); at < text.length; at += 1) {
        const starters = byFirst.get(text.charAt(at));
        if (starters === undefined) continue;
        const rest = text.slice(at);
        if (starters.some((pattern) => pattern.length > rest.length && pattern.startsWith(rest))) {
          return at;
        }
      }
      return text.length;
    },
  };
}
