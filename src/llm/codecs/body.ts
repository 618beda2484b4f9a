/** Request bodies as text: members in a fixed order, list entries as JSON made once and reused. */
import type { JsonObject, JsonValue } from '../types.ts';

/** One member of the body: a value, or a list whose entries already are JSON. */
export type BodyMember =
  | readonly [name: string, value: JsonValue | undefined]
  | readonly [name: string, value: undefined, entries: readonly string[]];

/** Members with neither value nor entries are left out. `extra` replaces or adds members at the end. */
export function bodyBytes(
  members: readonly BodyMember[],
  extra: JsonObject,
  fixed: readonly string[],
): Uint8Array {
  const added = Object.entries(extra).filter(([name]) => !fixed.includes(name));
  const replaced = new Set(added.map(([name]) => name));
  const parts: string[] = [];
  for (const [name, value, entries] of members) {
    if (replaced.has(name)) continue;
    if (entries !== undefined) parts.push(`${JSON.stringify(name)}:[${entries.join(',')}]`);
    else if (value !== undefined) parts.push(`${JSON.stringify(name)}:${JSON.stringify(value)}`);
  }
  for (const [name, value] of added) parts.push(`${JSON.stringify(name)}:${JSON.stringify(value)}`);
  return Buffer.from(`{${parts.join(',')}}`, 'utf8');
}

/** Keeps what was made from an object beside it, one value for each `variant`. */
export function createCache<Key extends object, Value>(): (
  key: Key,
  variant: object,
  make: () => Value,
) => Value {
  const cache = new WeakMap<Key, WeakMap<object, Value>>();
  return (key, variant, make) => {
    const perVariant = cache.get(key) ?? new WeakMap<object, Value>();
    const known = perVariant.get(variant);
    if (known !== undefined) return known;
    const value = make();
    cache.set(key, perVariant.set(variant, value));
    return value;
  };
}
