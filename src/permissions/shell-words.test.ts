import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseShellLine, quoteWord, renderCommand } from './shell-words.ts';

function words(text: string): string[][] | string {
  const line = parseShellLine(text);
  return line.analysable ? line.commands.map((command) => [...command.words]) : line.reason;
}

describe('parseShellLine', () => {
  it('removes quotes the way bash does', () => {
    expect(words(`grep "a b" 'c$d' e\\ f r""m x\\;`)).toEqual([
      ['grep', 'a b', 'c$d', 'e f', 'rm', 'x;'],
    ]);
    expect(words(String.raw`echo "a\"b\\c\d"`)).toEqual([['echo', String.raw`a"b\c\d`]]);
    expect(words('grep "foo$" a')).toEqual([['grep', 'foo$', 'a']]);
  });

  it('splits at every joint and keeps joints', () => {
    const line = parseShellLine('a 1 && b || c; d | e\n\nf;');
    expect(line.analysable && line.commands.map((command) => command.joint)).toEqual([
      'start',
      '&&',
      '||',
      ';',
      '|',
      'newline',
    ]);
  });

  it('takes redirections to /dev/null and between descriptors only', () => {
    const line = parseShellLine('a 2>/dev/null >&2 2>&1 </dev/null &>/dev/null');
    expect(line.analysable && line.commands[0]?.redirections).toEqual([
      '2>/dev/null',
      '>&2',
      '2>&1',
      '</dev/null',
      '&>/dev/null',
    ]);
    for (const text of [
      'a >f',
      'a >>f',
      'a 2>&1f',
      'a >&f',
      'a <f',
      'a <<E',
      'a <<<x',
      'a >|f',
      'a <>f',
      'a 12>/dev/null',
      'a >/dev/nullx',
      'a > "/dev/null"',
      'a >&-',
    ]) {
      expect(typeof words(text), text).toBe('string');
    }
  });

  it('refuses everything that is not literal', () => {
    const texts = [
      'echo $x',
      'echo \x24{x}',
      'echo $(id)',
      'echo `id`',
      'echo "$(id)"',
      'echo "`id`"',
      'echo "\x24{x}"',
      "echo $'a'",
      'echo $"a"',
      'echo <(id)',
      'echo >(id)',
      'echo $((1))',
      '((1))',
      '[[ a ]]',
      'a=1 b',
      'a=1',
      'a+=1 b',
      'a & b',
      'a &',
      'a |& b',
      'a;;b',
      '{ a; }',
      '(a)',
      '! a',
      'if true; then a; fi',
      'for x in 1; do a; done',
      'while a; do b; done',
      'case a in esac',
      'f() { a; }',
      'time a',
      'coproc a',
      'a *',
      'a ?',
      'a [b]',
      'a {b,c}',
      'a ~',
      'a ~/x',
      'a x=~/y',
      'a #x',
      'a \\',
      'a \\\nb',
      'a "b',
      "a 'b",
      'a && ',
      '&& a',
      '; a',
      'a ; ; b',
      'a || | b',
      '',
      '   ',
      '{} a',
      '"" a',
      'a\rb',
      'a\u0000b',
      'a\u202eb',
      'a\u200bb',
      'a\u00adb',
      'a\u00a0b',
      'a\u2028b',
      'a @(b)',
      'a >',
      '> /dev/null',
      'function f',
      '"a\\\nb"',
    ];
    for (const text of texts) expect(typeof words(text), JSON.stringify(text)).toBe('string');
  });

  it('holds its limits', () => {
    expect(typeof words(`echo ${'x'.repeat(33 * 1024)}`)).toBe('string');
    expect(typeof words('a;'.repeat(10_000))).toBe('string');
    const started = performance.now();
    expect(typeof words(`echo ${'"'.repeat(1_000_001)}`)).toBe('string');
    expect(performance.now() - started).toBeLessThan(500);
  });

  it('reads back what quoteWord wrote, whatever the words are', () => {
    const anyWord = fc.string({ unit: 'grapheme', maxLength: 12 });
    fc.assert(
      fc.property(anyWord, fc.array(anyWord, { maxLength: 5 }), (program, rest) => {
        const all = [program, ...rest];
        const line = parseShellLine(all.map(quoteWord).join(' '));
        if (line.analysable) expect(line.commands.map((command) => command.words)).toEqual([all]);
      }),
    );
  });

  it('renders a command it read so that it reads the same again', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...`ab '"\\$;|&<>/dev/null12=#\n-`) }),
        (text) => {
          const line = parseShellLine(text);
          if (!line.analysable) return;
          for (const command of line.commands) {
            const again = parseShellLine(renderCommand(command));
            expect(again.analysable && again.commands[0]?.words).toEqual(command.words);
          }
        },
      ),
      { numRuns: 2000 },
    );
  });
});
