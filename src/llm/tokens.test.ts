import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { bestCpuTime } from './testing/cpu-time.ts';
import { estimateMessage, estimateRequest, estimateText } from './tokens.ts';
import type { ContentBlock, LLMMessage, LLMRequest, ToolCall } from './types.ts';

function hashes(count: number, encoding: 'hex' | 'base64'): string {
  return Array.from({ length: count }, (_item, index) =>
    createHash('sha256').update(String(index)).digest(encoding),
  ).join('');
}
const listing = Array.from(
  { length: 24 },
  (_item, at) =>
    `-rw-r--r--  1 root root ${String(4096 + at * 977).padStart(7)} Nov ${10 + (at % 20)} 1${at % 10}:${10 + at}  src/mod-${at}.d.ts`,
).join('\n');
const digits = hashes(40, 'hex')
  .replace(/[a-f]/g, '')
  .replace(/(\d{6})/g, '$1\n');

const PROSE = `The program reads the whole file before it decides anything, because a partial read could hide a
change that someone else made in the meantime. When the text it looks for occurs more than once, it refuses to
guess and says so, together with the lines where the text was found. A reader of the log should be able to
follow every decision: what was asked, what was seen, what was done and why. None of this makes the work slower
in a way a person would notice, and it saves the hours that go into finding out what happened yesterday.`;
const CODE = `export function parseDuration(text: string): number | null {
  const match = /^(\\d+(?:\\.\\d+)?)(ms|s|m|h)$/.exec(text.trim());
  if (match === null) return null;
  const [, amount = '0', unit = 's'] = match;
  const factors: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
  return Number(amount) * (factors[unit] ?? 1);
}

class Counter:
    def __init__(self, start=0):
        self.value = start

    def step(self, by=1):
        """Move on and return the new value."""
        self.value += by
        return self.value

for (let index = 0; index < items.length; index++) {
  if (items[index].enabled && !seen.has(items[index].id)) result.push(items[index]);
}`;
const JSON_TEXT = JSON.stringify(
  {
    name: 'toolwright',
    version: '0.3.1',
    scripts: { build: 'rolldown -c', test: 'vitest run', lint: 'biome check' },
    engines: { node: '>=22.18' },
    items: [
      { id: 1, title: 'First entry', done: false, tags: ['a', 'b'], score: 0.25 },
      { id: 2, title: 'Second entry', done: true, tags: [], score: 17 },
    ],
  },
  null,
  2,
);
const CHINESE = `程序在做出任何决定之前先读取整个文件,因为只读一部分可能会漏掉别人同时做的修改。
如果要找的文字出现了不止一次,它不会猜测,而是说明情况,并列出所有出现的位置。
日志的读者应当能够跟踪每一个决定:要求是什么,看到了什么,做了什么,以及为什么这样做。`;
const JAPANESE = `プログラムは、何かを決める前にファイル全体を読み込みます。一部だけを読むと、
他の人が同時に行った変更を見落とす可能性があるからです。探している文字列が複数回現れた場合は、
推測せずにその旨を伝え、見つかった行をすべて示します。`;

/** Exact counts were made with o200k_base. */
const SAMPLES: readonly [string, string, number, 'text' | 'dense'][] = [
  ['English prose', PROSE, 116, 'text'],
  ['source code', CODE, 209, 'text'],
  ['JSON', JSON_TEXT, 168, 'text'],
  ['Chinese', CHINESE, 84, 'text'],
  ['Japanese', JAPANESE, 88, 'text'],
  ['a listing', listing, 719, 'dense'],
  ['digits', digits, 798, 'dense'],
  ['base64', hashes(20, 'base64'), 600, 'dense'],
  ['hex', hashes(20, 'hex'), 726, 'dense'],
];

describe('the estimate of a text', () => {
  it.each(SAMPLES)('of %s is near the exact count', (_title, text, exact, kind) => {
    const error = estimateText(text) / exact - 1;
    expect(error).toBeGreaterThan(kind === 'dense' ? -0.35 : -0.2);
    if (kind === 'text') expect(error).toBeLessThan(0.5);
  });

  it('follows the stated rule', () => {
    expect(estimateText('')).toBe(0);
    expect(estimateText('a'.repeat(36))).toBe(10);
    expect(estimateText('\u4e2d'.repeat(10))).toBe(8);
    expect(estimateText('\u{20000}'.repeat(10))).toBe(8);
    expect(estimateText('\u00e9'.repeat(30))).toBe(20);
    expect(estimateText('\u{1f600}'.repeat(30))).toBe(40);
    expect(estimateText('a'.repeat(199))).toBe(Math.ceil(199 / 3.6));
    expect(estimateText('a'.repeat(200))).toBe(100);
    expect(estimateText(`${'a'.repeat(100)} `.repeat(2))).toBe(Math.ceil(202 / 3.6));
    expect(estimateText(`${'ab1'.repeat(10)} `.repeat(10))).toBe(Math.ceil(310 / 3.6));
    expect(estimateText(`${'a1'.repeat(10)} `.repeat(10))).toBe(105);
  });

  it('reads 8 MB in well under a second', () => {
    const text = 'some text, '.repeat(750_000);
    expect(bestCpuTime(() => estimateText(text))).toBeLessThan(500);
  });
});

function message(...content: ContentBlock[]): LLMMessage {
  return { message_id: 'm', role: 'user', content, origin: 'user' };
}

describe('the estimate of a request', () => {
  const word: ContentBlock = { type: 'text', text: 'a'.repeat(36) };
  const image: ContentBlock = {
    type: 'image',
    mime: 'image/png',
    data: '',
    width: 900,
    height: 500,
  };
  const request: LLMRequest = {
    ...{ system: [], messages: [message(word)], tools: [], resolve: () => null },
    ...{ purpose: 'step', sessionId: 's' },
  };

  it('counts messages, images, calls and reasoning', () => {
    const call: ToolCall = {
      ...{
        call_id: 'c',
        name: 'get_file',
        arguments: {},
        id: null,
        raw_name: 'get_file',
        index: 0,
      },
      ...{ raw_arguments: 'b'.repeat(36), repairs: [], wire_seed: 'c' },
      status: 'ok',
      source: 'structured',
    };
    expect(estimateMessage(message(word))).toBe(15);
    expect(estimateMessage(message(word, image))).toBe(1615);
    expect(estimateMessage(message({ type: 'tool_call', call }))).toBe(5 + 12 + 3 + 10);
    const reasoning: ContentBlock = { type: 'reasoning', text: 'c'.repeat(36), kind: 'full' };
    expect(estimateMessage(message(reasoning))).toBe(15);
    const result: ContentBlock = {
      ...{ type: 'tool_result', call_id: 'c', name: 'get', success: true, error_kind: null },
      ...{ text: 'd'.repeat(36), images: [image] },
    };
    expect(estimateMessage(message(result))).toBe(1615);
  });

  it('counts system, tools and the answer schema, and is scaled by the learned ratio', () => {
    const plain = estimateRequest(request);
    expect(plain).toBe(15);
    expect(estimateRequest({ ...request, system: [{ text: 'a'.repeat(36) }] })).toBe(25);
    const tool = { name: 'get', description: 'Gets it.', schema: { type: 'object' } };
    expect(estimateRequest({ ...request, tools: [tool] })).toBeGreaterThan(plain + 12);
    const responseSchema = { name: 'x', schema: { type: 'object' }, strict: true };
    expect(estimateRequest({ ...request, responseSchema })).toBeGreaterThan(plain);
    expect(estimateRequest(request, 2)).toBe(30);
  });

  it('takes the size of images where the vendor bills by it', () => {
    const pictures = { ...request, messages: [message(image)] };
    expect(estimateRequest(pictures, 1, 'area')).toBe(605);
    expect(estimateRequest(pictures)).toBe(1605);
  });
});
