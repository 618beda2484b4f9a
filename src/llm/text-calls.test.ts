import { describe, expect, it } from 'vitest';
import type { TextCallFormat } from './profile-types.ts';
import { ALL, calls, STOPPED, split } from './testing/split-text.ts';
import { createTextCallSplitter } from './text-calls.ts';

const hermes =
  '<tool_call>\n{"name": "get", "arguments": {"a": "1 </tool_call> <b>"}}\n</tool_call>';
const qwenInner =
  '<function=get>\n<parameter=a>\n1\n2\n</parameter>\n<parameter=b>x < y</parameter>\n</function>';
const dsml = (bar: string, root = 'tool_calls') =>
  [
    `<${bar}DSML${bar}${root}>`,
    `<${bar}DSML${bar}invoke name="get">`,
    `<${bar}DSML${bar}parameter name="a" string="true">1</${bar}DSML${bar}parameter>`,
    `<${bar}DSML${bar}parameter name="n" string="false">[2]</${bar}DSML${bar}parameter>`,
    `</${bar}DSML${bar}invoke>`,
    `</${bar}DSML${bar}${root}>`,
  ].join('\n');
const kimi =
  '<|tool_calls_section_begin|><|tool_call_begin|>functions.get:0<|tool_call_argument_begin|>{"a": 1}<|tool_call_end|>' +
  '<|tool_call_begin|>functions.put:1<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>';

const BLOCKS: readonly [TextCallFormat, string, unknown[]][] = [
  ['hermes_json', hermes, [['get', { a: '1 </tool_call> <b>' }]]],
  ['hermes_json', '<tool_call>{"name":"get"}</tool_call>', [['get', {}]]],
  [
    'tools_list',
    '<tools>[{"name":"get","arguments":{"a":1}},{"name":"put","arguments":{}}]</tools>',
    [
      ['get', { a: 1 }],
      ['put', {}],
    ],
  ],
  ['qwen_xml', qwenInner, [['get', { a: '1\n2', b: 'x < y' }]]],
  ['qwen_xml', `<tool_call>\n${qwenInner}\n</tool_call>`, [['get', { a: '1\n2', b: 'x < y' }]]],
  ['qwen_xml', `<tool_call>\n${qwenInner}`, [['get', { a: '1\n2', b: 'x < y' }]]],
  [
    'qwen_xml',
    `<tool_call>${qwenInner}</tool_call>\n</tool_call>`,
    [['get', { a: '1\n2', b: 'x < y' }]],
  ],
  ['qwen_xml', '<function=get></function>', [['get', {}]]],
  [
    'glm_xml',
    '<tool_call>get\n<arg_key>a</arg_key>\n<arg_value>x\ny</arg_value>\n<arg_key>b</arg_key><arg_value>2</arg_value></tool_call>',
    [['get', { a: 'x\ny', b: '2' }]],
  ],
  ['glm_xml', '<tool_call>get</tool_call>', [['get', {}]]],
  [
    'minimax_xml',
    '<minimax:tool_call>\n<invoke name="get"><parameter name="a">1</parameter></invoke>\n<invoke name="put"></invoke></minimax:tool_call>',
    [
      ['get', { a: '1' }],
      ['put', {}],
    ],
  ],
  ...['\uff5c', '\uff5c\uff5c', '\u2016', '|', '||'].map(
    (bar): [TextCallFormat, string, unknown[]] => [
      'dsml',
      dsml(bar),
      [['get', { a: '1', n: [2] }]],
    ],
  ),
  ['dsml', dsml('\uff5c', 'function_calls'), [['get', { a: '1', n: [2] }]]],
  [
    'kimi',
    kimi,
    [
      ['get', { a: 1 }],
      ['put', {}],
    ],
  ],
];

describe.each(BLOCKS)('%s %#', (format, block, expected) => {
  const whole = `I will look.\n${block}\n`;

  it('is found, and no markup reaches the text', () => {
    const result = split([whole]);
    expect(calls(result)).toEqual(expected);
    expect(result.text.trim()).toBe('I will look.');
    expect(result.shown).toBe(result.text);
    expect(result.cut).toEqual([]);
  });

  it('gives the same split at every character, with no markup shown', () => {
    const reference = split([whole], { formats: [format] });
    for (let at = 1; at < whole.length; at++) {
      const result = split([whole.slice(0, at), whole.slice(at)], { formats: [format] });
      expect(result.calls, `split at ${at}`).toEqual(reference.calls);
      expect(result.text).toBe(reference.text);
      expect(result.shown).toBe(reference.text);
      expect(result.early).not.toContain('<');
    }
    const single = split(Array.from(whole), { formats: [format] });
    expect([single.calls, single.text, single.shown]).toEqual([
      reference.calls,
      reference.text,
      reference.text,
    ]);
  });

  it('stays text under a profile without the format, without tools, or when the turn was cut', () => {
    const others = split([whole], { formats: [] });
    const noTools = split([whole], { resolves: () => null });
    const cut = split([whole], {}, { closedByStop: false, hasStructured: false });
    for (const result of [others, noTools, cut]) {
      expect(result.calls).toEqual([]);
      expect(result.text).toBe(whole);
      expect(result.shown).toBe(whole);
    }
  });

  it('stays text inside a code fence, inside inline code and as a quotation', () => {
    for (const text of [`\`\`\`xml\n${block}\n\`\`\`\n`, `Write \`${block}\` like that.`]) {
      const result = split(Array.from(text));
      expect(result.calls).toEqual([]);
      expect(result.cut).toEqual([]);
      expect(result.text).toBe(text);
      expect(result.shown).toBe(text);
    }
    const quoted = split([whole], { quotedIn: (found) => `file:\n${block}\n`.includes(found) });
    expect(quoted.calls).toEqual([]);
    expect(quoted.text).toBe(whole);
  });

  it('is stripped and never run beside structured calls', () => {
    const result = split([whole], {}, { closedByStop: true, hasStructured: true });
    expect(result.calls).toEqual([]);
    expect(result.cut).toEqual([]);
    expect(result.text.trim()).toBe('I will look.');
    expect(result.flags).toEqual(['markup_stripped']);
  });

  it('cut anywhere behind its opener is a cut call, never a run with other values and never an answer', () => {
    const start = whole.indexOf('<');
    const opener = /^<[^>]*>/.exec(block)?.[0].length ?? 0;
    for (let end = start + opener; end < whole.trimEnd().length; end++) {
      const result = split([whole.slice(0, end)], { formats: [format] });
      if (result.calls.length > 0) {
        expect(calls(result), whole.slice(0, end)).toEqual(expected);
      } else {
        expect(result.cut, whole.slice(0, end)).toHaveLength(1);
        expect(result.text.trim()).toBe('I will look.');
      }
    }
  });
});

describe('where markup counts', () => {
  it('needs the start of a line, but for kimi and dsml', () => {
    expect(split([`Use ${hermes}`]).calls).toEqual([]);
    expect(split([`Now ${kimi}`]).calls).toHaveLength(2);
    expect(split([`Now ${dsml('|')}`]).calls).toHaveLength(1);
  });

  it('takes several envelopes, also on one line', () => {
    const one = '<tool_call>{"name":"get","arguments":{"a":1}}</tool_call>';
    const result = split(Array.from(`${one}${one}\n${one}`));
    expect(result.calls).toHaveLength(3);
    expect(result.text).toBe('');
  });

  it('keeps a name that is not offered as text, split anywhere', () => {
    const text = `a\n${hermes.replace('get', 'rm_rf')}\nb`;
    for (const pieces of [[text], Array.from(text)]) {
      const result = split(pieces);
      expect(result.calls).toEqual([]);
      expect(result.text).toBe(text);
      expect(result.shown).toBe(text);
    }
  });

  it('finds a call behind a closed fence and behind prose about the tag', () => {
    const text = `\`\`\`\n<tool_call>x\n\`\`\`\nThe <tool_call> tag:\n<tool_call> is text\n${hermes}`;
    const result = split(Array.from(text), { formats: ['hermes_json'] });
    expect(result.calls).toHaveLength(1);
    expect(result.text).toBe(text.slice(0, -hermes.length));
  });

  it('finds kimi calls inside reasoning, and no other format there', () => {
    const splitter = createTextCallSplitter({
      ...{ formats: ALL, tags: false, implied: false, quotedIn: () => false },
      resolves: (name) => name,
    });
    const shown = Array.from(`Think.\n${hermes}\n${kimi}`).flatMap((piece) =>
      splitter.pushReasoning(piece),
    );
    const result = splitter.end(STOPPED);
    expect(result.calls.map((call) => [call.name, call.source, call.id])).toEqual([
      ['get', 'reasoning', 'functions.get:0'],
      ['put', 'reasoning', 'functions.put:1'],
    ]);
    expect(result.reasoning).toBe(`Think.\n${hermes}\n`);
    expect(shown.map((delta) => delta.reasoning).join('')).toBe(result.reasoning);
  });
});

describe('values', () => {
  it('are argument text as the model wrote it where the format holds JSON', () => {
    const text = '<tool_call>{"name":"get","arguments":{ "b" : 1.0,"a":"\\u0041" }}</tool_call>';
    expect(split([text]).calls[0]?.rawArguments).toBe('{ "b" : 1.0,"a":"\\u0041" }');
    const encoded = '<tool_call>{"name":"get","arguments":"{\\"a\\":1}"}</tool_call>';
    expect(split([encoded]).calls[0]?.rawArguments).toBe('{"a":1}');
  });

  it('repair JSON by the rungs of the argument parser, and feed back what stays broken', () => {
    expect(calls(split(["<tool_call>{'name':'get','arguments':{'a':None,}}</tool_call>"]))).toEqual(
      [['get', { a: null }]],
    );
    const broken = split(['<tool_call>{"name":"get","arguments":{"a":oops}}</tool_call>']);
    expect(broken.calls.map((call) => call.name)).toEqual(['get']);
    expect(() => JSON.parse(broken.calls[0]?.rawArguments ?? '')).toThrow();
  });

  it('with a missing closing tag are a cut call, never a wrong value (C3)', () => {
    for (const text of [
      '<function=get><parameter=a>1</function>',
      '<function=get><parameter=a>1<parameter=b>2</parameter></function>',
      '<tool_call>get<arg_key>a</arg_key><arg_value>1<arg_key>b</arg_key><arg_value>2</arg_value></tool_call>',
      '<minimax:tool_call><invoke name="get"><parameter name="a">1</invoke></minimax:tool_call>',
    ]) {
      const result = split([text]);
      expect(result.calls, text).toEqual([]);
      expect(result.cut.map((call) => call.name)).toEqual(['get']);
    }
  });

  it('keep a parameter named like a prototype as an own key', () => {
    const [call] = split(['<function=get><parameter=__proto__>x</parameter></function>']).calls;
    expect(call?.rawArguments).toBe('{"__proto__":"x"}');
  });
});

describe('an envelope that never closes (C6)', () => {
  it('is a cut call, not an answer', () => {
    const result = split(Array.from('Done.\n<tool_call>\n{"name": "get", "arguments": {"a": '));
    expect(result.cut).toMatchObject([{ name: 'get', source: 'text' }]);
    expect(result.text).toBe('Done.\n');
  });

  it('is removed beside structured calls', () => {
    const finish = { closedByStop: true, hasStructured: true };
    expect(split(['Done.\n<tool_call>\n{"na'], {}, finish).text).toBe('Done.\n');
  });

  it('is held back to 64 KiB, then shown, and still no answer', () => {
    const value = 'x'.repeat(1000);
    const pieces = [
      '<tool_call>{"name":"get","arguments":{"a":"',
      ...Array<string>(100).fill(value),
    ];
    const open = split(pieces);
    expect(open.early.length).toBe(pieces.join('').length);
    expect(open.cut).toHaveLength(1);
    expect(open.text).toBe('');
    const closed = split([...pieces, '"}}</tool_call>']);
    expect(calls(closed)).toEqual([['get', { a: value.repeat(100) }]]);
  });
});
