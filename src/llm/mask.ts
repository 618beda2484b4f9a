/** Keeps keys out of everything that leaves the model layer: errors, events, recordings. */

const SECRET_HEADERS = new Set([
  'authorization',
  'proxy-authorization',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
  'cookie',
  'set-cookie',
]);

export const MASK = '***';

/** Query parameters that hold keys, and the credentials of an address. */
export function maskUrl(url: string): string {
  return url
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#@]*@/i, `$1${MASK}@`)
    .replace(/([?&](?:[a-z_-]*key|access_token|token|sig|signature)=)[^&#]*/gi, `$1${MASK}`);
}

/** Header values by lower-case name; values that carry a secret are masked. */
export function maskHeaders(
  headers: Readonly<Record<string, string>>,
  secrets: readonly string[],
): Record<string, string> {
  const masked: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const secret = SECRET_HEADERS.has(name.toLowerCase()) || /token|secret|api-?key/i.test(name);
    masked[name] = secret ? MASK : maskText(value, secrets);
  }
  return masked;
}

/** Shortest text that counts as a key; shorter ones would blank out ordinary words. */
const SHORTEST_SECRET = 6;

/** Every occurrence of a known secret replaced. */
export function maskText(text: string, secrets: readonly string[]): string {
  let masked = text;
  for (const secret of secrets) {
    if (secret.length >= SHORTEST_SECRET) masked = masked.replaceAll(secret, MASK);
  }
  return masked;
}
