import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isToolFailure, type ToolFailure } from '../errors.ts';
import { applyEdits } from './edit-engine.ts';

function edit(
  before: Buffer | string,
  oldText: string,
  newText: string,
  replaceAll = false,
): Buffer {
  const bytes = typeof before === 'string' ? Buffer.from(before) : before;
  return applyEdits(bytes, [{ oldText, newText, replaceAll }], 'f.txt').after;
}
function failure(run: () => unknown): ToolFailure {
  try {
    run();
  } catch (error) {
    if (isToolFailure(error)) return error;
    throw error;
  }
  throw new Error('did not fail');
}

const BREAKS = ['\n', '\r\n', '\r'] as const;

describe('line ends', () => {
  const word = fc.stringMatching(/^[a-z]{1,4}[ -~é中]{0,6}[a-z]$/);
  it('change nothing but the intended bytes, whatever the file and the call use', () => {
    const file = fc.record({
      lines: fc.uniqueArray(word, { minLength: 3, maxLength: 8 }),
      styles: fc.oneof(
        fc.constantFrom(...BREAKS).map((one) => [one]),
        fc.array(fc.constantFrom(...BREAKS), { minLength: 2, maxLength: 4 }),
      ),
      bom: fc.constantFrom('', '\ufeff'),
      final: fc.boolean(),
      callBreak: fc.constantFrom('\n', '\r\n'),
      from: fc.nat(2),
      count: fc.integer({ min: 1, max: 3 }),
      fresh: fc.array(word, { minLength: 1, maxLength: 3 }),
    });
    fc.assert(
      fc.property(file, ({ lines, styles, bom, final, callBreak, from, count, fresh }) => {
        const style = (index: number): string => styles[index % styles.length] ?? '\n';
        const unique = lines.map((line, index) => `${index}<${line}>`);
        const text = unique.map((line, index) =>
          index < unique.length - 1 || final ? line + style(index) : line,
        );
        const end = Math.min(unique.length, from + count);
        const head = bom + text.slice(0, from).join('');
        const tail =
          (end < unique.length || final ? style(end - 1) : '') + text.slice(end).join('');
        const before = Buffer.from(
          head +
            text
              .slice(from, end)
              .join('')
              .replace(/[\r\n]+$/, '') +
            tail,
        );
        const after = edit(
          before,
          unique.slice(from, end).join(callBreak),
          `new<${fresh.join(callBreak)}>`,
        ).toString();
        expect(after.startsWith(head)).toBe(true);
        expect(after.endsWith(tail)).toBe(true);
        const middle = after.slice(head.length, after.length - tail.length);
        expect(middle.split(/\r\n|\r|\n/)).toEqual(`new<${fresh.join('\n')}>`.split('\n'));
        if (styles.length === 1) {
          for (const found of middle.match(/\r\n|\r|\n/g) ?? []) {
            expect(unique.length > 1 || final ? found : '\n').toBe(
              unique.length > 1 || final ? style(0) : '\n',
            );
          }
        }
      }),
      { numRuns: 400 },
    );
  });

  it('never tear a CRLF apart', () => {
    expect(edit('a\r\nb\r\n', '\nb', '').toString()).toBe('a\r\n');
    expect(edit('a\r\nb\r\nc', 'a\n', '').toString()).toBe('b\r\nc');
    expect(failure(() => edit('a\r\nb', 'a\n\nb', 'x')).kind).toBe('no_match');
  });

  it('let blanks before a break differ, only when one place fits, and say so', () => {
    const result = applyEdits(
      Buffer.from('a  \nb\nc'),
      [{ oldText: 'a\nb', newText: 'x\ny' }],
      'f',
    );
    expect(result).toMatchObject({ matched: 'line-ends', replaced: 1, eol: 'lf' });
    expect(result.after.toString()).toBe('x\ny\nc');
    expect(failure(() => edit('a \nb\na\t\nb', 'a\nb', 'x', true)).kind).toBe('ambiguous_match');
  });
});

describe('encodings', () => {
  const legacy: readonly (readonly [string, Buffer])[] = [
    ['ISO-8859-1', Buffer.from('caf\xe9 = 1\r\nna\xefve = 22\r\n', 'latin1')],
    ['GB18030', Buffer.concat([Buffer.from([0xc4, 0xe3, 0xba, 0xc3]), Buffer.from(' = 22\n')])],
    ['Shift-JIS', Buffer.concat([Buffer.from([0x83, 0x5c, 0x83, 0x67]), Buffer.from(' = 22\n')])],
  ];
  it.each(legacy)('%s: an ASCII edit keeps every other byte, others are refused', (_, before) => {
    const after = edit(before, '22', '333');
    const at = before.indexOf('22');
    expect(
      after.equals(
        Buffer.concat([before.subarray(0, at), Buffer.from('333'), before.subarray(at + 2)]),
      ),
    ).toBe(true);
    expect(failure(() => edit(before, '22', 'é')).kind).toBe('unsupported_format');
    expect(failure(() => edit(before, 'é', '22')).message).toContain('python_exec');
  });

  it('do not match the second half of a legacy character', () => {
    const so = Buffer.concat([Buffer.from([0x83, 0x5c]), Buffer.from('n\n')]);
    expect(failure(() => edit(so, '\\n', 'x')).kind).toBe('no_match');
  });

  it.each(['le', 'be'])('UTF-16%s is edited at whole units and keeps its mark', (order) => {
    const make = (text: string): Buffer => {
      const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
      return order === 'be' ? bytes.swap16() : bytes;
    };
    expect(edit(make('x=中文😀\r\ny\r\n'), '中文😀\ny', 'é\nz').equals(make('x=é\r\nz\r\n'))).toBe(
      true,
    );
    expect(failure(() => edit(make('\u6100b'), 'a', 'x')).kind).toBe('no_match');
  });

  it('refuse binary files', () => {
    expect(failure(() => edit(Buffer.from([0, 1, 0xff, 0x61]), 'a', 'b')).kind).toBe(
      'unsupported_format',
    );
  });
});

describe('replacing', () => {
  it('writes new text literally', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.constantFrom('$&', "$'", '$1', '$$', '\\n\\1', '\t\ttab', 'e\u0301 é', '😀', '$`'),
          fc.string({ unit: 'grapheme' }).filter((text) => !/[\r\n]/.test(text)),
        ),
        (text) => {
          fc.pre(text !== 'MID');
          expect(edit('before MID after', 'MID', text).toString()).toBe(`before ${text} after`);
        },
      ),
    );
  });

  it('wants exactly one place unless told otherwise', () => {
    const error = failure(() => edit('a\nb\na\n', 'a', 'x'));
    expect(error).toMatchObject({ kind: 'ambiguous_match', facts: { lines: [1, 3] } });
    expect(edit('a\nb\na\n', 'a', 'x', true).toString()).toBe('x\nb\nx\n');
    expect(edit('aaa', 'aa', 'b', true).toString()).toBe('ba');
    expect(failure(() => edit('a', '', 'x')).kind).toBe('invalid_arguments');
    expect(failure(() => edit('a', 'a', 'a')).kind).toBe('no_change');
    expect(failure(() => edit('a', 'a', '\ud800')).kind).toBe('invalid_arguments');
  });

  it('applies several edits in order, or none, naming the index', () => {
    const edits = [
      { oldText: 'a', newText: 'b1' },
      { oldText: 'b1', newText: 'c' },
    ];
    expect(applyEdits(Buffer.from('a'), edits, 'f').after.toString()).toBe('c');
    expect(
      failure(() => applyEdits(Buffer.from('a'), [...edits, { oldText: 'z', newText: '' }], 'f'))
        .message,
    ).toContain('edit 2');
  });

  it('keeps the rest of large files', () => {
    const big = Buffer.alloc(10 << 20, 'line of text\n');
    big.write('NEEDLE', 5 << 20);
    const after = edit(big, 'NEEDLE', 'HAYSTACK');
    expect(after.subarray(0, 5 << 20).equals(big.subarray(0, 5 << 20))).toBe(true);
    expect(after.subarray((5 << 20) + 8).equals(big.subarray((5 << 20) + 6))).toBe(true);
  });
});

describe('what was not found', () => {
  const cases: readonly (readonly [string, string, string, string])[] = [
    ['a no-break space', 'if\u00a0(x) return;', 'if (x) return;', 'U+00A0'],
    ['a tab', '\tindented line here', '    indented line here', 'tab'],
    [
      'decomposed letters',
      'na\u0131\u0308ve cafe\u0301 text',
      'na\u0131\u0308ve caf\u00e9 text',
      'NFD',
    ],
    ['a copied line number', 'return value + 1;', '12\treturn value + 1;', 'line-number prefix'],
    ['a changed word', 'const total = sum(items);', 'const total = sum(list);', 'U+0069 "i"'],
  ];
  it.each(cases)('is explained by %s', (_, line, oldText, words) => {
    const error = failure(() => edit(`first\n${line}\nlast\n`, oldText, 'x'));
    expect(error.kind).toBe('no_match');
    expect(error.content).toContain('lines 2-2');
    expect(error.content).toContain(words);
  });

  it('lists at most three places and stays quick on a large file', () => {
    const file = Array.from(
      { length: 40_000 },
      (_, n) => `  value_${n % 50} = compute(${n});`,
    ).join('\n');
    const start = performance.now();
    const error = failure(() => edit(file, '  value_7 = compute(x);\n  return;', ''));
    expect(error.content?.split('\n').length).toBe(4);
    expect(performance.now() - start).toBeLessThan(3000);
  });
});

describe('placeholders', () => {
  it.each([
    '// ... existing code ...',
    '# ... rest of the function unchanged',
    '/* ... */',
    '// rest of code remains the same',
    '<!-- ... existing content ... -->',
    '    # ...',
    '[...]',
    '{/* ... existing imports ... */}',
    '... existing code ...',
    '-- rest of the file unchanged',
    '# (rest of the code unchanged)',
    '// ... other methods',
    '# 其余代码不变',
    '// 此处省略',
    '（其余不变）',
    '... 其余代码保持不变 ...',
    '// 省略其余代码',
    '/* existing code here */',
    '// unchanged',
    '// ... (same as before)',
  ])('refuses %s', (line) => {
    expect(failure(() => edit('old', 'old', `a\n${line}\nb`)).kind).toBe('placeholder_text');
  });

  it.each([
    '...',
    'def f(): ...',
    '// Loading...',
    'foo(...args)',
    '[...items]',
    '# the rest of the file is parsed lazily',
    'print("...")',
    '// wait for the server to start...',
    'type A = { ...B }',
    '# 其余的请求由服务器处理',
    '// existing users keep their id',
    'raise NotImplementedError',
    '# same',
    '- ... and more',
    '// Remaining time in seconds',
    '/** Other options. */',
  ])('allows %s', (line) => {
    expect(edit('old', 'old', `a\n${line}\nb`).toString()).toContain(line);
  });

  it('allows a line the file had already', () => {
    expect(
      edit('// ... existing code ...\nold', 'old', '// ... existing code ...\nnew').toString(),
    ).toContain('new');
  });
});
