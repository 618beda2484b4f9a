import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from './redact.ts';

const SECRET = 'k3y/with+"quotes"&spaces and ü';

function withSecret(value = SECRET) {
  const redactor = createRedactor();
  redactor.add('API_KEY', value);
  return redactor;
}

describe('known secrets', () => {
  const forms: [string, string][] = [
    ['exact', SECRET],
    ['hexadecimal', Buffer.from(SECRET).toString('hex')],
    ['upper-case hexadecimal', Buffer.from(SECRET).toString('hex').toUpperCase()],
    ['URL-encoded', encodeURIComponent(SECRET)],
    ['form-encoded', encodeURIComponent(SECRET).replaceAll('%20', '+')],
    ['JSON-escaped', JSON.stringify(SECRET).slice(1, -1)],
    ['JSON in JSON', JSON.stringify(JSON.stringify(SECRET)).slice(3, -3)],
  ];
  it.each(forms)('hides the %s form', (_name, form) => {
    expect(withSecret().text(`before ${form} after`)).toBe('before [redacted:API_KEY] after');
  });

  it.each([0, 1, 2])('hides base64 at alignment %i in both alphabets', (offset) => {
    for (const alphabet of ['base64', 'base64url'] as const) {
      const prefix = 'abc'.slice(0, offset);
      const encoded = Buffer.from(`${prefix}${SECRET}tail`).toString(alphabet);
      const redacted = withSecret().text(encoded);
      expect(redacted).toContain('[redacted:API_KEY]');
      expect(Buffer.from(redacted.split('[')[0] ?? '', 'base64').toString()).not.toContain('k3y');
    }
  });

  it('leaves other text as the same string', () => {
    const text = 'nothing to see here '.repeat(50);
    expect(withSecret().text(text)).toBe(text);
  });

  it('ignores values that would garble ordinary text', () => {
    const redactor = createRedactor();
    for (const value of ['short', 'production', 'Production', '/usr/local/bin', '~/keys/id_rsa']) {
      redactor.add('X', value);
      expect(redactor.text(`see ${value}.`)).toBe(`see ${value}.`);
    }
  });

  it('prefers the longest of several secrets', () => {
    const redactor = createRedactor();
    redactor.add('SHORT', 'abc-12345');
    redactor.add('LONG', 'abc-12345-678');
    expect(redactor.text('abc-12345-678 abc-12345-9')).toBe('[redacted:LONG] [redacted:SHORT]-9');
  });

  it('redacts keys and nested strings, and returns untouched values as they are', () => {
    const redactor = withSecret();
    const plain = { a: [1, 'x', { b: null }] };
    expect(redactor.value(plain, 'known')).toBe(plain);
    expect(redactor.value({ [SECRET]: [`x${SECRET}`] }, 'known')).toEqual({
      '[redacted:API_KEY]': ['x[redacted:API_KEY]'],
    });
  });
});

describe('streams', () => {
  const secrets = ['tok-1234567890', 'tok-1234567890-longer', 'zz"quote\\back'];

  it('gives the same text as one whole look, however the text is cut', () => {
    const redactor = createRedactor();
    for (const secret of secrets) redactor.add(`S${secret.length}`, secret);
    const piece = fc.oneof(
      fc.constantFrom(...secrets, ...secrets.map((s) => s.slice(0, 9)), ' ', '\n'),
      fc.string({ maxLength: 12 }),
      fc.constantFrom(...secrets).map((s) => Buffer.from(s).toString('base64')),
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 }),
        (pieces, sizes) => {
          const text = pieces.join('');
          const stream = redactor.stream();
          let result = '';
          for (let at = 0, turn = 0; at < text.length; turn += 1) {
            const size = sizes[turn % sizes.length] ?? 1;
            result += stream.push(text.slice(at, at + size));
            at += size;
          }
          expect(result + stream.end()).toBe(redactor.text(text));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('does not hold back text that cannot begin a secret', () => {
    const stream = withSecret().stream();
    expect(stream.push('live output\n')).toBe('live output\n');
    expect(stream.push('a k3y/')).toBe('a ');
    expect(stream.push('!')).toBe('k3y/!');
  });
});

describe('key-shaped text', () => {
  const pad = (length: number) =>
    createHash('sha512').update('x').digest('hex').repeat(2).slice(0, length);
  it.each([
    `sk-ant-api03-${pad(40)}`,
    `sk-proj-${pad(40)}`,
    `ghp_${pad(36)}`,
    `github_pat_${pad(40)}`,
    'AKIAIOSFODNN7EXAMPLE',
    `xoxb-${pad(30)}`,
    `AIza${pad(35)}`,
    `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${pad(43)}`,
    `-----BEGIN RSA PRIVATE KEY-----\n${pad(64)}\n-----END RSA PRIVATE KEY-----`,
  ])('strict hides %s', (key) => {
    const redactor = createRedactor();
    expect(redactor.strict(`value=${key} end`)).toMatch(/^value=\[redacted:[a-z-]+\] end$/);
    expect(redactor.text(key)).toBe(key);
  });

  it('strict hides authorization headers but not the word', () => {
    const redactor = createRedactor();
    expect(redactor.strict('Authorization: Bearer abcdefgh12345678')).toBe(
      'Authorization: [redacted:authorization]',
    );
    expect(redactor.strict('{"authorization":"Basic dXNlcjpwYXNz"}')).toBe(
      '{"authorization":"[redacted:authorization]"}',
    );
    expect(redactor.strict('authorization is needed')).toBe('authorization is needed');
  });

  it('stays fast on hostile text', () => {
    const redactor = createRedactor();
    const started = performance.now();
    redactor.strict('sk-a-'.repeat(40_000) + '-----BEGIN PRIVATE KEY-----'.repeat(10_000));
    expect(performance.now() - started).toBeLessThan(2000);
  });
});
