/** Request bodies as text: members in a fixed order, list entries as JSON made once and reused. */
import type { JsonObject, JsonValue } from '../types.ts';
import { joinedEntries } from './joined-entries.ts';

/** One member of the body: a value, or a list whose entries already are JSON, with an object that stands for it. */
export type BodyMember =
  | readonly [name: string, value: JsonValue | undefined]
  | readonly [
      name: string,
      value: undefined,
      entries: readonly string[],
      owner?: object | undefined,
    ];

/** Members with neither value nor entries are left out. `extra` replaces or adds members at the end. */
export function bodyBytes(
  members: readonly BodyMember[],
  extra: JsonObject,
  fixed: readonly string[],
): Uint8Array {
  const added = Object.entries(extra).filter(([name]) => !fixed.includes(name));
  const replaced = new Set(added.map(([name]) => name));
  const parts: (string | Uint8Array)[] = [];
  const begin = (name: string): void => {
    parts.push(`${parts.length === 0 ? '{' : ','}${JSON.stringify(name)}:`);
  };
  for (const [name, value, entries, owner] of members) {
    if (replaced.has(name) || (entries === undefined && value === undefined)) continue;
    begin(name);
    if (entries === undefined) parts.push(JSON.stringify(value));
    else if (owner === undefined) parts.push(`[${entries.join(',')}]`);
    else parts.push('[', joinedEntries(owner, entries), ']');
  }
  for (const [name, value] of added) {
    begin(name);
    parts.push(JSON.stringify(value));
  }
  parts.push(parts.length === 0 ? '{}' : '}');
  return concatenated(parts);
}

function concatenated(parts: readonly (string | Uint8Array)[]): Uint8Array {
  const size = (part: string | Uint8Array) =>
    typeof part === 'string' ? Buffer.byteLength(part) : part.byteLength;
  const bytes = Buffer.allocUnsafe(parts.reduce((sum, part) => sum + size(part), 0));
  let at = 0;
  for (const part of parts) {
    if (typeof part === 'string') at += bytes.write(part, at, 'utf8');
    else {
      bytes.set(part, at);
      at += part.byteLength;
    }
  }
  return bytes;
}

/** A value kept beside the object it was made from; the commonest variant without a second map. */
interface Kept<Variant, Value> {
  readonly variant: Variant;
  readonly value: Value;
}

/** Keeps what is made from an object beside it, one value for each `variant`. */
export function createCache<Key extends object, Variant extends object, Value>(
  make: (key: Key, variant: Variant) => Value,
): (key: Key, variant: Variant) => Value {
  const first = new WeakMap<Key, Kept<Variant, Value>>();
  const others = new WeakMap<Key, WeakMap<Variant, Value>>();
  return (key, variant) => {
    const kept = first.get(key);
    if (kept?.variant === variant) return kept.value;
    if (kept === undefined) {
      const value = make(key, variant);
      first.set(key, { variant, value });
      return value;
    }
    const perVariant = others.get(key) ?? new WeakMap<Variant, Value>();
    const known = perVariant.get(variant);
    if (known !== undefined) return known;
    const value = make(key, variant);
    others.set(key, perVariant.set(variant, value));
    return value;
  };
}
