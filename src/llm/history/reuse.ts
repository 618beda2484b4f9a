/**
 * Gives the object made last time for `key` when it was made from the same parts, so that what has not changed
 * keeps its identity from request to request and work done on it can be kept beside it.
 */
export function reuse<Value>(
  cache: WeakMap<object, { parts: readonly unknown[]; value: Value }>,
  key: object,
  parts: readonly unknown[],
  make: () => Value,
): Value {
  const known = cache.get(key);
  if (
    known !== undefined &&
    known.parts.length === parts.length &&
    parts.every((part, index) => part === known.parts[index])
  ) {
    return known.value;
  }
  const value = make();
  cache.set(key, { parts, value });
  return value;
}
