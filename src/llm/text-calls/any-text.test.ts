import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cpuTime } from '../testing/cpu-time.ts';
import { split } from '../testing/split-text.ts';

describe('think tags', () => {
  const text = 'Let me <b>think</b>.\n</think>\n\nThe answer <think>x</think>';
  const tagged = `\n<think>${text}`;

  it('are split out at the start only, however they arrive (C7)', () => {
    for (const [content, implied] of [
      [tagged, false],
      [tagged, true],
      [text, true],
    ] as const) {
      for (let at = 0; at <= content.length; at++) {
        const pieces = [content.slice(0, at), content.slice(at)];
        const result = split(pieces, { tags: true, implied });
        expect(result.reasoning).toBe('Let me <b>think</b>.\n');
        expect(result.shownReasoning).toBe(result.reasoning);
        expect(result.text).toBe('The answer <think>x</think>');
        expect(result.shown).toBe(result.text);
      }
    }
  });

  it('stay text without the profile, and later in the text', () => {
    expect(split([tagged]).text).toBe(tagged);
    expect(split([`Answer. ${tagged}`], { tags: true }).text).toBe(`Answer. ${tagged}`);
    expect(split(['<thin'], { tags: true }).text).toBe('<thin');
  });

  it('that never close leave no answer', () => {
    const result = split(Array.from('<think>on and on </thi'), { tags: true });
    expect([result.reasoning, result.text]).toEqual(['on and on </thi', '']);
    expect(result.shownReasoning).toBe(result.reasoning);
  });
});

describe('any text', () => {
  const piece = fc.constantFrom(
    ...[
      '<tool_call>',
      '</tool_call>',
      '<function=get>',
      '</function>',
      '<parameter=a>',
      '</parameter>',
    ],
    ...[
      '{"name":"get","arguments":{}}',
      '{"name":"rm"}',
      'get',
      '<arg_key>',
      '\n',
      ' ',
      '`',
      '```\n',
    ],
    ...[
      '<tools>[',
      ']</tools>',
      '<|DSML|tool_calls>',
      '<think>',
      '</think>',
      'text',
      '<',
      '{',
      '"',
    ],
    ...['<|tool_calls_section_begin|>', '<|tool_calls_section_end|>', '<minimax:tool_call>'],
  );

  it('gives the same result however it is split, loses nothing, and shows what it keeps', () => {
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 20 }),
        fc.array(fc.nat(200), { maxLength: 6 }),
        fc.boolean(),
        fc.boolean(),
        (parts, cuts, tags, hasStructured) => {
          const text = parts.join('');
          const borders = [0, ...cuts.map((cut) => cut % (text.length + 1)), text.length].sort(
            (left, right) => left - right,
          );
          const pieces = borders.map((border, index) =>
            text.slice(borders[index - 1] ?? 0, border),
          );
          const finish = { closedByStop: true, hasStructured };
          const { early: _early, rest: _rest, ...whole } = split([text], { tags }, finish);
          const { early: _other, rest: _last, ...split_ } = split(pieces, { tags }, finish);
          expect(split_).toEqual(whole);
          expect(whole.shown.trimEnd()).toBe(whole.text.trimEnd());
          const kept = split(pieces, {}, { closedByStop: false, hasStructured: false });
          expect(kept.text).toBe(text);
          expect(kept.shown).toBe(text);
        },
      ),
      { numRuns: 1500 },
    );
  });

  it('takes bounded time for hostile markup in small pieces', () => {
    const units = [
      '<tool_call>{"name":"rm"',
      '<tool_call>{"name":"get"}</tool_call>',
      '<tool_call>\n{',
      '<tool_call>\n',
      '</tool_call>',
      '<function=get>\n',
      '`',
      '<',
    ];
    for (const unit of units) {
      const pieces = Array<string>(Math.floor(60_000 / unit.length)).fill(unit.repeat(4));
      expect(
        cpuTime(() => split(pieces)),
        unit,
      ).toBeLessThan(1500);
    }
  });
});
