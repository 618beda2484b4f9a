/** The bytes of a list's entries with commas between them; what an earlier, shorter list gave is used again. */

interface Joined {
  readonly entries: string[];
  /** Where each entry ends in `bytes`. */
  readonly ends: number[];
  bytes: Buffer;
}

const FIRST_BYTES = 16 * 1024;
/** Most bytes of UTF-8 for one unit of a string. */
const BYTES_PER_UNIT = 3;

const joined = new WeakMap<object, Joined>();

/**
 * `owner` stands for the list from request to request. The bytes are valid until the next call with the same owner.
 */
export function joinedEntries(owner: object, entries: readonly string[]): Uint8Array {
  const known = joined.get(owner) ?? { entries: [], ends: [], bytes: Buffer.alloc(FIRST_BYTES) };
  joined.set(owner, known);
  const changed = known.entries.findIndex((entry, index) => entry !== entries[index]);
  if (changed >= 0) {
    known.entries.length = changed;
    known.ends.length = changed;
  }
  for (const entry of entries.slice(known.entries.length)) append(known, entry);
  return known.bytes.subarray(0, known.ends.at(-1) ?? 0);
}

function append(list: Joined, entry: string): void {
  const start = list.ends.at(-1) ?? 0;
  const text = start === 0 && list.entries.length === 0 ? entry : `,${entry}`;
  const needed = start + text.length * BYTES_PER_UNIT;
  if (needed > list.bytes.length) {
    const larger = Buffer.allocUnsafe(Math.max(needed, list.bytes.length * 2));
    list.bytes.copy(larger, 0, 0, start);
    list.bytes = larger;
  }
  list.ends.push(start + list.bytes.write(text, start, 'utf8'));
  list.entries.push(entry);
}
