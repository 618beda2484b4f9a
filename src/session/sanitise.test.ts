import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSanitiser, forModel, sanitise } from './sanitise.ts';

const SEQUENCES: [string, string][] = [
  ['CSI colour', '\u001b[31m'],
  ['CSI with private marker', '\u001b[?1049h'],
  ['CSI in one character', '\u009b2J'],
  ['OSC title with BEL', '\u001b]0;pwned\u0007'],
  ['OSC 8 link with ST', '\u001b]8;;http://evil/\u001b\\'],
  ['OSC 52 clipboard', '\u001b]52;c;cm0gLXJmIH4=\u0007'],
  ['OSC in one character', '\u009d0;x\u009c'],
  ['DCS', '\u001bP1$r0m\u001b\\'],
  ['PM', '\u001b^secret\u001b\\'],
  ['APC', '\u001b_payload\u001b\\'],
  ['SOS', '\u001bXpayload\u001b\\'],
  ['reset', '\u001bc'],
  ['charset', '\u001b(B'],
];
const DANGEROUS = /[\0-\x08\x0b-\x1f\x7f-\x9f]/;

describe('sanitise', () => {
  it.each(SEQUENCES)('removes a whole %s sequence', (_name, sequence) => {
    expect(sanitise(`a${sequence}b`)).toBe('ab');
    expect(forModel(`a${sequence}b\r\n\0`)).toBe('ab\r\n\0');
  });

  it.each(SEQUENCES)(
    'lets nothing of an unfinished %s sequence reach the terminal',
    (_n, sequence) => {
      for (let length = 1; length < sequence.length; length += 1) {
        expect(sanitise(`a${sequence.slice(0, length)}`)).toMatch(/^a/);
        expect(sanitise(`a${sequence.slice(0, length)}`)).not.toMatch(DANGEROUS);
      }
    },
  );

  it('removes a 1 MB sequence quickly, ended or not', () => {
    const payload = 'x'.repeat(1024 * 1024);
    const started = performance.now();
    expect(sanitise(`a\u001b]52;c;${payload}\u0007b`)).toBe('ab');
    expect(sanitise(`a\u001bP${payload}`)).toBe('a');
    expect(performance.now() - started).toBeLessThan(1000);
  });

  it('keeps newline and tab, drops other controls, turns a lone CR into a new line', () => {
    expect(sanitise('a\tb\nc\r\nd\re\u0000\u0008\u007f\u0085')).toBe('a\tb\nc\nd\ne');
  });

  it('replaces lone surrogates and keeps whole characters', () => {
    expect(sanitise('\ud83d\ude00 \ud83d x \ude00')).toBe('😀 \ufffd x \ufffd');
  });

  it('shows direction controls and tags, and in names everything invisible', () => {
    expect(sanitise('a\u202eb\u{e0041}')).toBe('a\\u{202e}b\\u{e0041}');
    expect(sanitise('zero\u200bwidth')).toBe('zero\u200bwidth');
    expect(sanitise('a\u202eb\u200bc\u00add\re', { names: true })).toBe(
      'a\\u{202e}b\\u{200b}c\\u{ad}d\\u{d}e',
    );
  });

  it('hides no part of a command behind an unfinished sequence in a name or card', () => {
    expect(sanitise('echo ok \u001b]; rm -rf ~', { names: true })).toBe(
      'echo ok \\u{1b}]; rm -rf ~',
    );
  });

  it('never returns a control character, for any text', () => {
    const unit = fc.constantFrom(
      '\u001b',
      '[',
      ']',
      'P',
      '\\',
      '\u0007',
      '\u009b',
      '\r',
      '\n',
      'm',
      '1',
      'é',
      '😀',
      '\ud800',
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 40 }), (units) => {
        const text = units.join('');
        expect(sanitise(text)).not.toMatch(DANGEROUS);
        expect(sanitise(text, { names: true })).not.toMatch(DANGEROUS);
        expect(forModel(text)).not.toContain('\u001b');
        const stream = createSanitiser();
        const pieces = units.map((piece) => stream.push(piece)).join('');
        expect(pieces + stream.end()).toBe(sanitise(text));
      }),
      { numRuns: 1000 },
    );
  });
});
