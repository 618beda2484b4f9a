import { hash } from 'node:crypto';

/** JSON text with sorted keys and no white space: equal values give equal text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value))
    return `[${value.map((part) => canonicalJson(part ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, part]) => part !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([key, part]) => `${JSON.stringify(key)}:${canonicalJson(part)}`).join(',')}}`;
}

/** SHA-256 of the canonical JSON, as 64 hexadecimal digits. */
export function canonicalDigest(value: unknown): string {
  return hash('sha256', canonicalJson(value), 'hex');
}
