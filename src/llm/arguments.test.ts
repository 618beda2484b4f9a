import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ParsedArguments, type ParseOptions, parseArguments } from './arguments.ts';
import { bestCpuTime } from './testing/cpu-time.ts';
import type { JsonObject, JsonValue } from './types.ts';

const CLOSED: ParseOptions = { closed: true };
const LENIENT: ParseOptions = {
  closed: true,
  missingClosers: true,
  outputBelowLimit: true,
  check: () => true,
};

function run(raw: JsonValue | undefined, options = CLOSED): JsonObject[] | string {
  const parsed = parseArguments(raw, options);
  return 'fault' in parsed ? parsed.fault.kind : parsed.calls.map((call) => call.arguments);
}
function repairs(raw: JsonValue | undefined, options = CLOSED): readonly string[] {
  const parsed = parseArguments(raw, options);
  return 'fault' in parsed ? parsed.repairs : (parsed.calls[0]?.repairs ?? []);
}
function faultOf(parsed: ParsedArguments) {
  if (!('fault' in parsed)) throw new Error('expected a fault');
  return parsed.fault;
}

const object = fc.dictionary(
  fc.string({ unit: 'binary' }),
  fc.jsonValue() as fc.Arbitrary<JsonValue>,
);
const text = (value: JsonValue) => JSON.stringify(value);
const fence = (content: string) => `\`\`\`json\n${content}\n\`\`\``;
const spaced = (value: JsonObject) =>
  text(value)
    .replace(/^\{/, '{ ')
    .replace(/\}$/, Object.keys(value).length > 0 ? ' ,}' : ' }');

describe('each rung alone', () => {
  it.each<[string, JsonValue | undefined, JsonObject[], string[]]>([
    ['strict', '{"a":1}', [{ a: 1 }], []],
    ['empty text (A1)', '', [{}], ['empty']],
    ['white space', ' \n', [{}], ['empty']],
    ['null (A2)', null, [{}], ['empty']],
    ['absent (A2)', undefined, [{}], ['empty']],
    ['object (A3)', { a: 1 }, [{ a: 1 }], ['object']],
    ['double encoded (A4)', '"{\\"a\\":1}"', [{ a: 1 }], ['double_encoded']],
    ['twice', text(text(text({ a: 1 }))), [{ a: 1 }], ['double_encoded', 'double_encoded']],
    ['fenced (A12)', '```json\n{"a":1}\n```', [{ a: 1 }], ['fenced']],
    ['plain fence', '\n~~~\n{"a":1}\n~~~ ', [{ a: 1 }], ['fenced']],
    ['concatenated (A5)', '{"a":1}{"a":2}', [{ a: 1 }, { a: 2 }], ['concatenated']],
    ['repeats', '{"a":1}\n{"a":1}', [{ a: 1 }], ['concatenated', 'duplicate_arguments']],
    ['empty among', '{}{"a":1}', [{ a: 1 }], ['concatenated', 'duplicate_arguments']],
    ['raw tab (A9)', '{"a":"x\ty\nz"}', [{ a: 'x\ty\nz' }], ['control_chars']],
    [
      'python (A8)',
      `{'a': 1, 'b': None, 'c': "it's", 'd': 'it\\'s', 'e': [True, False,],}`,
      [{ a: 1, b: null, c: "it's", d: "it's", e: [true, false] }],
      ['relaxed'],
    ],
    ['single quotes and a tab', "{'a':'x\ty'}", [{ a: 'x\ty' }], ['relaxed']],
  ])('%s', (_title, raw, values, flags) => {
    expect(run(raw)).toEqual(values);
    expect(repairs(raw)).toEqual(flags);
  });

  it('appends lost closing brackets only where every condition holds', () => {
    const raw = '{"a":[{"b":"x"';
    expect(run(raw, LENIENT)).toEqual([{ a: [{ b: 'x' }] }]);
    expect(repairs(raw, LENIENT)).toEqual(['missing_closers']);
    expect(run(raw)).toBe('invalid_json');
    expect(run(raw, { ...LENIENT, outputBelowLimit: false })).toBe('invalid_json');
    expect(run(raw, { ...LENIENT, check: () => false })).toBe('invalid_json');
    const { check: _none, ...unchecked } = LENIENT;
    expect(run(raw, unchecked)).toBe('invalid_json');
    for (const other of ['{"a":"x', '{"a":1,', '{"a":', '{"a":[[[[1', '{"a":1]', '{"a":tr']) {
      expect(run(other, LENIENT), other).toBe('invalid_json');
    }
  });

  it('keeps over-escaped text as it was sent (A10)', () => {
    expect(run('{"code":"a\\\\nb"}')).toEqual([{ code: 'a\\nb' }]);
  });
});

describe('pairs of rungs', () => {
  it.each<[string, string, JsonObject[], string[]]>([
    ['string of fence', text('```\n{"a":1}\n```'), [{ a: 1 }], ['double_encoded', 'fenced']],
    [
      'string of two',
      text('{"a":1}{"a":2}'),
      [{ a: 1 }, { a: 2 }],
      ['double_encoded', 'concatenated'],
    ],
    ['string of tab', text('{"a":"\t"}'), [{ a: '\t' }], ['double_encoded', 'control_chars']],
    ['string of python', text("{'a':1}"), [{ a: 1 }], ['double_encoded', 'relaxed']],
    ['fence of two', fence('{"a":1}\n{"b":2}'), [{ a: 1 }, { b: 2 }], ['fenced', 'concatenated']],
    ['fence of tab', fence('{"a":"\t"}'), [{ a: '\t' }], ['fenced', 'control_chars']],
    ['fence of python', fence("{'a':1,}"), [{ a: 1 }], ['fenced', 'relaxed']],
    ['fence of open', fence('{"a":[1'), [{ a: [1] }], ['fenced', 'missing_closers']],
    ['string of open', text('{"a":[1'), [{ a: [1] }], ['double_encoded', 'missing_closers']],
  ])('%s', (_title, raw, values, flags) => {
    expect(run(raw, LENIENT)).toEqual(values);
    expect(repairs(raw, LENIENT)).toEqual(flags);
  });
});

describe('refused', () => {
  it.each([
    '{a:1}',
    '{"a":1 /* x */}',
    '{"a":NaN}',
    '{"a":Infinity}',
    '{"a":"\\x41"}',
    "{'a':'\\x41'}",
    '{"a":"\\\n"}',
    'Here: {"a":1}',
    '{"a":1} done',
    '{"a":"x',
    "{'a':'it's'}",
    '{,}',
    '{"a":1,,}',
    '{"a":[,]}',
    '{"a":1 2}',
    "{'a':1 'b':2}",
    '{"a":01}',
    '{True:1}',
    '{"a":1}}',
    '{"a":1}{"b":',
    '{"a":1}[1]',
    fence('{"a":1}').slice(0, -1),
    '```json {"a":1}```',
    Array.from({ length: 17 }, (_item, index) => text({ index })).join(''),
  ])('%s', (raw) => expect(run(raw)).toBe('invalid_json'));

  it.each(['[1]', '3', '"x"', 'true', '[{"a":1}]', text(text(text(text({}))))])(
    '%s is no object (A14)',
    (raw) => expect(run(raw)).toBe('not_object'),
  );
  it.each<JsonValue>([[1], 3, true])('%j on the wire is no object', (raw) => {
    expect(run(raw)).toBe('not_object');
  });

  it('says that nothing was run, why and where, in at most 600 characters', () => {
    const raw = `{"a":"${'x'.repeat(5000)}", b:1, "c":"${'y'.repeat(5000)}"}`;
    const fault = faultOf(parseArguments(raw, CLOSED));
    expect(fault.message).toMatch(/^The call was not run: .*double-quoted key.*character 5009 of/s);
    expect(fault.message.length).toBeLessThanOrEqual(600);
    expect(fault.position).toBe(5009);
    expect(fault.tail).toBe(raw.slice(-200));
    expect(fault.truncated).toBe(false);
    expect(faultOf(parseArguments('{"a":"x', CLOSED)).truncated).toBe(true);
  });
});

const SAMPLES: readonly string[] = [
  '{"path":"src/a.ts"}',
  '{"command":"ls -la | wc -l"}',
  '{"a":1}',
  '{"a":-1.5e10,"b":true}',
  '{"a":[1,2,[3,{"b":null}]]}',
  '{"text":"line\\nline \\"quoted\\" \\\\"}',
  '{"emoji":"\u{1f600} \u4e2d\u6587"}',
  '{}',
  '  {"a" : 1 }  ',
  '{"a":{"b":{"c":{"d":{}}}}}',
  '{"a":"}{"}',
  '{"a":1}{"a":2}',
  "{'a': 'b', 'c': None}",
  '"{\\"a\\":1}"',
  '```json\n{"a":1}\n```',
  '{"a":"x\ty"}',
  '{"__proto__":{"x":1}}',
  '{"a":"\\u0041\\ud83d\\ude00"}',
  '{"list":["a","b","c"],"flag":false,"none":null}',
  `{"content":"${'long '.repeat(40)}"}`,
];

describe('a cut turn', () => {
  it('never runs a call, wherever the arguments were cut', () => {
    for (const sample of SAMPLES) {
      for (let end = 0; end <= sample.length; end++) {
        const parsed = parseArguments(sample.slice(0, end), { ...LENIENT, closed: false });
        const fault = faultOf(parsed);
        expect(fault.kind).toBe('cut');
        expect(fault.message).toContain(`${end} characters`);
      }
    }
    expect(run({ a: 1 }, { closed: false })).toBe('cut');
    expect(run(undefined, { closed: false })).toBe('cut');
  });

  it('does not become another value when the cut is not noticed', () => {
    for (const sample of SAMPLES.filter((item) => item.startsWith('{"'))) {
      const whole = run(sample);
      for (let end = 1; end < sample.trimEnd().length; end++) {
        const parsed = parseArguments(sample.slice(0, end), CLOSED);
        const isWholePiece =
          'calls' in parsed && text(whole as JsonValue).includes(sample.slice(1, end - 1));
        expect('fault' in parsed || isWholePiece, sample.slice(0, end)).toBe(true);
      }
    }
  });
});

describe('values', () => {
  it('stay equal through every rung', () => {
    fc.assert(
      fc.property(object, (value) => {
        const json = text(value);
        const raws = [json, text(json), text(text(json)), fence(json), ` ${json}\n`, spaced(value)];
        for (const raw of raws) expect(text(run(raw) as JsonValue)).toBe(`[${json}]`);
        expect(run(value)).toEqual([value]);
      }),
      { numRuns: 300 },
    );
  });

  it('keep raw control characters', () => {
    const control = fc.string({
      unit: fc.constantFrom('a', '\t', '\n', '\u0001', '\u001f', '"', '\\'),
    });
    fc.assert(
      fc.property(control, control, (key, value) => {
        const raw = text({ [key]: value }).replace(/\\u00(..)|\\([tn])/g, (found, hex, short) => {
          if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
          return short === 't' ? '\t' : short === 'n' ? '\n' : found;
        });
        const parsed = run(raw);
        if (parsed !== 'invalid_json') expect(parsed).toEqual([{ [key]: value }]);
      }),
      { numRuns: 300 },
    );
  });

  it('of equal keys the last wins, and no prototype changes', () => {
    expect(run('{"a":1,"a":2}')).toEqual([{ a: 2 }]);
    for (const raw of [
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
      "{'__proto__':{'polluted':1},}",
      text('{"__proto__":{"polluted":1}}'),
    ]) {
      const [value] = run(raw) as JsonObject[];
      expect(Object.hasOwn(value ?? {}, '__proto__')).toBe(true);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect(({} as { polluted?: number }).polluted).toBeUndefined();
    }
  });
});

describe('random text', () => {
  it('never throws and never runs as {} unless it says so', () => {
    const piece = fc.constantFrom(
      ...['{', '}', '[', ']', '"', "'", ',', ':', '\\', '\n', '\t', ' ', '```', 'a', '1', '-', '.'],
      ...['null', 'None', 'True', '{}', '""', '\\"', '\\u00', '\ud83d', '\u0000', '__proto__'],
    );
    const random = fc.oneof(
      fc.array(piece, { maxLength: 24 }).map((parts) => parts.join('')),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(random, fc.boolean(), (raw, lenient) => {
        const parsed = parseArguments(raw, lenient ? LENIENT : CLOSED);
        if ('fault' in parsed) return parsed.fault.message.length <= 600;
        const isEmpty = parsed.calls.some((call) => Object.keys(call.arguments).length === 0);
        return !isEmpty || raw.trim() === '' || /\{/.test(raw);
      }),
      { numRuns: 5000 },
    );
  });
});

describe('bounds', () => {
  const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
  const nestedValue = (levels: number) => JSON.parse(nested(levels)) as JsonValue;

  it('takes 128 levels and refuses 129, in every form', () => {
    expect(run(nested(128))).toHaveLength(1);
    for (const raw of [nested(129), text(nested(129)), fence(nested(200)), nestedValue(129)]) {
      expect(run(raw)).toBe('too_deep');
    }
    expect(run('['.repeat(1_000_000))).toBe('too_deep');
  });

  it('takes 8 MiB and refuses more', () => {
    const value = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`;
    expect(run(value(8 * 1024 * 1024))).toHaveLength(1);
    expect(run(value(8 * 1024 * 1024 + 1))).toBe('too_large');
    expect(run(`{"a":"${'\u4e2d'.repeat(3 * 1024 * 1024)}"}`)).toBe('too_large');
  });

  it('repairs only up to 1 MiB', () => {
    const raw = (bytes: number) => `{"a":"${'x'.repeat(bytes)}",}`;
    expect(run(raw(1024 * 1024 - 20))).toHaveLength(1);
    expect(run(raw(1024 * 1024))).toBe('invalid_json');
  });

  it('reads 2 MB within 100 ms of work, good or bad', () => {
    const raws = [
      `{"a":"${'x\\"'.repeat(700_000)}"}`,
      `{"a":[${'1,'.repeat(1_000_000)}1]}`,
      `{"a":"${'x'.repeat(2_000_000)}`,
      `{${'"'.repeat(2_000_000)}`,
      '\\'.repeat(2_000_000),
    ];
    for (const raw of raws) {
      const spent = bestCpuTime(() => parseArguments(raw, LENIENT));
      expect(spent, raw.slice(0, 20)).toBeLessThan(100);
    }
  });

  it('takes time in proportion to the length where it repairs', () => {
    const hard = (count: number) => `{'a':'${'x"\\\''.repeat(count)}',}`;
    const time = (raw: string) => bestCpuTime(() => parseArguments(raw, LENIENT));
    expect(time(hard(200_000))).toBeLessThan(40 * Math.max(5, time(hard(20_000))));
  });
});
