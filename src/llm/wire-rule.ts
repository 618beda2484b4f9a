/** A vendor's rule for an identifier: the pattern of the whole text and its greatest length. */
export interface WireRule {
  readonly pattern: string;
  readonly max: number;
}

const patterns = new Map<string, RegExp>();

/** The compiled pattern, made once per text. */
export function compiled(pattern: string): RegExp {
  const regex = patterns.get(pattern) ?? new RegExp(pattern);
  patterns.set(pattern, regex);
  return regex;
}
