/** Compares values of keys a project may only tighten. Undefined stands for absent: no limit, everything allowed. */
import type { ConfigKey, Stricter } from './keys.ts';

export type Comparison = 'stricter' | 'equal' | 'looser';

/** How `value` stands to `base`. Only for keys with a rule of strictness; both values fit the key's type. */
export function compareStrictness(key: ConfigKey, value: unknown, base: unknown): Comparison {
  if (JSON.stringify(value) === JSON.stringify(base)) return 'equal';
  if (key.stricter === 'more') return compareMore(value, base);
  if (key.stricter === 'fewer') return compareFewer(value, base);
  if (base === undefined) return key.stricter === null ? 'looser' : 'stricter';
  const difference = rank(key, key.stricter, value) - rank(key, key.stricter, base);
  if (difference === 0) return 'equal';
  return difference < 0 ? 'stricter' : 'looser';
}

/** Smaller is stricter. */
function rank(key: ConfigKey, rule: Stricter | null, value: unknown): number {
  switch (rule) {
    case 'lower':
      return Number(value);
    case 'lower-0-none':
      return value === 0 ? Number.POSITIVE_INFINITY : Number(value);
    case 'higher':
      return -Number(value);
    case 'true':
      return value === true ? 0 : 1;
    case 'false':
      return value === false ? 0 : 1;
    case 'first':
      return (key.schema.enum ?? []).indexOf(String(value));
    default:
      return 0;
  }
}

function compareMore(value: unknown, base: unknown): Comparison {
  const had = new Set(list(base));
  return list(value).some((item) => !had.has(item)) ? 'stricter' : 'equal';
}

function compareFewer(value: unknown, base: unknown): Comparison {
  if (base === undefined) return 'stricter';
  const covered = list(value).every((item) => isCovered(item, list(base)));
  return covered ? 'stricter' : 'looser';
}

/** An entry of an allow list is covered by the same entry, or by `*.example.org` for a host below it. */
export function isCovered(item: string, allowed: readonly string[]): boolean {
  return allowed.some(
    (entry) => entry === item || (entry.startsWith('*.') && item.endsWith(entry.slice(1))),
  );
}

function list(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** The value that holds when `bound` comes from the managed file: never looser than it. */
export function applyBound(key: ConfigKey, value: unknown, bound: unknown): unknown {
  if (key.stricter === 'fewer') {
    if (value === undefined) return bound;
    return list(value).filter((item) => isCovered(item, list(bound)));
  }
  return value === undefined || compareStrictness(key, value, bound) === 'looser' ? bound : value;
}
