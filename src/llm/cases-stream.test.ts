import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  callDelta,
  chatDelta,
  chatFinish,
  client,
  collect,
  endOf,
  fakeClock,
  request,
  sse,
} from './testing/requests.ts';
import { type Answer, type ScriptServer, startScriptServer } from './testing/script-server.ts';
import type { LLMEvent, ModelConfig } from './types.ts';

let server: ScriptServer;
let answers: readonly Answer[] = [];
let asked = 0;
beforeAll(async () => {
  server = await startScriptServer(() => {
    const answer = answers[asked] ?? answers.at(-1) ?? {};
    asked += 1;
    return answer;
  });
});
afterAll(() => server.close());

async function run(
  script: readonly Answer[],
  config: Partial<ModelConfig> = {},
): Promise<{ events: LLMEvent[]; requests: number }> {
  answers = script;
  asked = 0;
  const events = await collect(
    client(server.url, config, { clock: fakeClock(), random: () => 0.5 }).stream(request()),
  );
  return { events, requests: asked };
}

const JSON_TYPE = { 'content-type': 'application/json' };
const HELLO = [chatDelta({ content: 'héllo 😀' }), chatFinish('stop')];
const ok = (writes: Answer['writes']): Answer => ({ writes: writes ?? [] });
const contentOf = (events: readonly LLMEvent[]) => endOf(events).response?.content;

describe('E: framing', () => {
  it('E1: comments are ignored, also wrapped as data', async () => {
    const comments = `${': keep-alive\n\n'.repeat(17)}data: : OPENROUTER PROCESSING\n\n`;
    const { events } = await run([ok([comments, sse(HELLO, true)])]);
    expect(contentOf(events)).toBe('héllo 😀');
    expect(events.some((event) => event.type === 'warning')).toBe(false);
  });

  it('E2: data alone with the JSON on the next line; data without a space', async () => {
    const [first, second] = HELLO.map((event) => JSON.stringify(event));
    const { events } = await run([ok([`data:\n  ${first}\n\ndata:${second}\n\n`])]);
    expect(contentOf(events)).toBe('héllo 😀');
  });

  it('E3: UTF-8 split at every byte', async () => {
    const bytes = Buffer.from(sse(HELLO, true));
    const { events } = await run([ok(Array.from(bytes, (byte) => Uint8Array.of(byte)))]);
    expect(contentOf(events)).toBe('héllo 😀');
  });

  it('E4: CRLF and CR apart, BOM, several data lines, no last blank line', async () => {
    const [first, second] = HELLO.map((event) => JSON.stringify(event, null, 1));
    const lines = (text = '') => text.split('\n').map((line) => `data: ${line}`);
    const crlf = `\uFEFFevent: x\r\n${lines(first).join('\r\n')}\r\n\r\n`;
    const cr = `${lines(second).join('\r')}`;
    const text = crlf + cr;
    const cut = text.indexOf('\r\n') + 1;
    const { events } = await run([ok([text.slice(0, cut), text.slice(cut)])]);
    expect(contentOf(events)).toBe('héllo 😀');
  });

  it('E5: chunks without choices are skipped', async () => {
    const odd = [{ choices: [] }, { choices: null }, { id: 'x' }];
    const { events } = await run([ok([sse([...odd, ...HELLO], true)])]);
    expect(contentOf(events)).toBe('héllo 😀');
  });

  it.each([
    ['chat, first', '', { error: { message: 'slow', type: 'overloaded_error' } }],
    [
      'chat, after text',
      sse([chatDelta({ content: 'x' })]),
      { error: { message: 'slow', code: 529 } },
    ],
    ['flat', '', { object: 'error', message: 'slow', type: 'overloaded_error', code: 1 }],
  ])('E6: an error event at 200 is classified (%s)', async (_, before, error) => {
    const { events, requests } = await run([ok([before, sse([error])])], { maxRetries: 1 });
    expect(endOf(events).error).toMatchObject({ kind: 'overloaded', retryable: true });
    expect(requests).toBe(3);
    expect(events.some((event) => event.type === 'discard')).toBe(before !== '');
  });

  it('E7: an empty body, plain text and a JSON error at 200', async () => {
    const empty = await run([ok([])], { maxRetries: 0 });
    expect(endOf(empty.events).error).toMatchObject({ kind: 'protocol', detail: 'empty_body' });
    const plain = await run([
      { headers: { 'content-type': 'text/plain' }, writes: ['hello there'] },
    ]);
    expect(plain.requests).toBe(3);
    expect(endOf(plain.events).error).toMatchObject({ detail: 'not_json', excerpt: 'hello there' });
    const error = JSON.stringify({ error: { message: 'no', type: 'authentication_error' } });
    const json = await run([{ headers: JSON_TYPE, writes: [error] }]);
    expect(endOf(json.events).error).toMatchObject({ kind: 'auth' });
  });

  it('a whole response and a list of chunks are decoded', async () => {
    const whole = {
      model: 'm',
      choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 3, completion_tokens: 1 },
    };
    const one = await run([{ headers: JSON_TYPE, writes: [JSON.stringify(whole)] }]);
    expect(endOf(one.events).response).toMatchObject({ content: 'hi', flags: ['not_streamed'] });
    const list = await run([{ headers: JSON_TYPE, writes: [JSON.stringify(HELLO)] }]);
    expect(contentOf(list.events)).toBe('héllo 😀');
  });

  it('E8: silence after a chunk is idle; pings only hit the progress limit', async () => {
    const start = sse([chatDelta({ content: 'x' })]);
    const timeouts = { idle: 0.15, progress: 0.4, first_byte: 5 };
    const go = async (writes: Answer['writes']) => {
      answers = [ok(writes)];
      asked = 0;
      return endOf(
        await collect(client(server.url, { maxRetries: 0, timeouts }).stream(request())),
      );
    };
    expect((await go([start, { hang: true }])).error).toMatchObject({
      kind: 'timeout',
      detail: 'idle',
    });
    const pings = Array.from({ length: 20 }, () => [': ping\n\n', { sleep: 50 } as const]).flat();
    expect((await go([start, ...pings])).error).toMatchObject({
      kind: 'timeout',
      detail: 'progress',
    });
    const steady = Array.from({ length: 6 }, () => [start, { sleep: 60 } as const]).flat();
    expect((await go([...steady, sse([chatFinish('stop')], true)])).error).toBeUndefined();
  });

  it('E9: a local profile waits 6 minutes for the first byte', async () => {
    let time = 0;
    const clock = { now: () => time, sleep: async () => {} };
    answers = [{ delay: 200, writes: [sse(HELLO, true)] }];
    asked = 0;
    setTimeout(() => {
      time = 6 * 60_000;
    }, 60);
    const local = client(server.url, { profile: 'llamacpp' }, { clock });
    expect(contentOf(await collect(local.stream(request())))).toBe('héllo 😀');
  });

  it('a remote profile does not wait 6 minutes for the first byte', async () => {
    let time = 0;
    const clock = { now: () => time, sleep: async () => {} };
    answers = [{ delay: 500, writes: [sse(HELLO, true)] }];
    asked = 0;
    setTimeout(() => {
      time = 6 * 60_000;
    }, 60);
    const remote = client(server.url, { profile: 'mistral', maxRetries: 0 }, { clock });
    const end = endOf(await collect(remote.stream(request())));
    expect(end.error).toMatchObject({ kind: 'timeout', detail: 'first_byte' });
  });

  it('E10: all bytes in one burst after a delay', async () => {
    const { events } = await run([{ delay: 80, writes: [sse(HELLO, true)] }]);
    expect(contentOf(events)).toBe('héllo 😀');
  });

  it('E11: compressed streams are decoded, an incomplete one is an error', async () => {
    const text = Buffer.from(sse(HELLO, true));
    const encodings = [
      ['gzip', gzipSync(text)],
      ['deflate', deflateSync(text)],
      ['br', brotliCompressSync(text)],
    ] as const;
    for (const [encoding, bytes] of encodings) {
      const { events } = await run([
        { headers: { 'content-encoding': encoding }, writes: [bytes] },
      ]);
      expect(contentOf(events)).toBe('héllo 😀');
    }
    const unknown = await run([{ headers: { 'content-encoding': 'zstd2' }, writes: [text] }]);
    expect(endOf(unknown.events).error).toMatchObject({ kind: 'protocol', detail: 'encoding' });
    const start = sse([chatDelta({ content: 'x' })]);
    const cut = await run([ok([start, { sleep: 20 }, { destroy: true }])], { maxRetries: 0 });
    expect(endOf(cut.events).error).toMatchObject({ kind: 'network', detail: 'stream_cut' });
  });

  it('lost frames are counted; one beside a call fails the attempt', async () => {
    const bad = 'data: {"choices":[{"delta":{"con\n\n';
    const text = await run([ok([bad, sse(HELLO, true)])]);
    expect(contentOf(text.events)).toBe('héllo 😀');
    expect(text.events.filter((event) => event.type === 'warning')).toMatchObject([
      { code: 'bad_frame' },
    ]);
    const call = callDelta({ index: 0, id: 'c', name: 'get', args: '{"a":1}' });
    const lost = await run([ok([bad, sse([call, chatFinish('tool_calls')], true)])]);
    expect(lost.requests).toBe(3);
    expect(endOf(lost.events).error).toMatchObject({ kind: 'protocol', detail: 'lost_frames' });
    const glued = `data: {"choices":[{"del ${sse(HELLO)}`;
    expect(contentOf((await run([ok([glued])])).events)).toBe('héllo 😀');
  });
});

describe('D: cut streams', () => {
  it('D3: text, then the end of the stream: retried, never a success', async () => {
    const { events, requests } = await run([ok([sse([chatDelta({ content: 'part' })])])], {
      maxRetries: 2,
    });
    expect(requests).toBe(3);
    const end = endOf(events);
    expect(end.error).toMatchObject({ kind: 'network', detail: 'stream_cut' });
    expect(end.response).toMatchObject({ content: 'part', complete: false });
    expect(end.usage.output_tokens).toBeGreaterThan(0);
    expect(events.filter((event) => event.type === 'discard')).toHaveLength(2);
  });

  it('D5: the end of the stream inside arguments runs nothing', async () => {
    const start = callDelta({ index: 0, id: 'c', name: 'get', args: '{"a":1' });
    const good = [
      callDelta({ index: 0, id: 'c', name: 'get', args: '{"a":1}' }),
      chatFinish('stop'),
    ];
    const { events, requests } = await run([ok([sse([start])]), ok([sse(good, true)])]);
    expect(requests).toBe(2);
    expect(endOf(events).response?.tool_calls).toMatchObject([
      { status: 'ok', arguments: { a: 1 } },
    ]);
    const cut = await run([ok([sse([start])])], { maxRetries: 0 });
    expect(endOf(cut.events).response?.tool_calls).toMatchObject([
      { status: 'cut', arguments: {} },
    ]);
  });

  it('an error after a finish reason makes the turn an error, but not after length', async () => {
    const error = { error: { message: 'boom', type: 'server_error' } };
    const stopped = await run([ok([sse([...HELLO, error])])], { maxRetries: 0 });
    expect(endOf(stopped.events).error).toMatchObject({ kind: 'overloaded', detail: 'server' });
    const long = await run([ok([sse([chatDelta({ content: 'x' }), chatFinish('length'), error])])]);
    expect(endOf(long.events).response?.finish_reason).toBe('length');
    expect(long.events).toContainEqual(expect.objectContaining({ code: 'error_after_finish' }));
  });

  it('a closed turn waits at most 2 s for what may follow', async () => {
    answers = [ok([sse(HELLO), { hang: true }])];
    asked = 0;
    const started = performance.now();
    const events = await collect(client(server.url).stream(request()));
    expect(contentOf(events)).toBe('héllo 😀');
    expect(performance.now() - started).toBeLessThan(2600);
  });
});

describe('aborts', () => {
  const start = sse([
    chatDelta({ content: 'part' }),
    callDelta({ index: 0, id: 'c', name: 'get', args: '{"a":1}' }),
  ]);
  it.each([
    ['headers', [{ silent: true }]],
    ['stream', [ok([start, { hang: true }])]],
    ['retry wait', [{ status: 503, writes: ['{}'] }]],
  ] as [string, Answer[]][])(
    'E13: an abort ends the call within 1 s in phase %s',
    async (_, script) => {
      answers = script;
      asked = 0;
      const abort = new AbortController();
      setTimeout(() => abort.abort(), 150);
      const started = performance.now();
      const slow = client(server.url, { retry: {} }, { random: () => 1 });
      const events = await collect(slow.stream(request(), { signal: abort.signal }));
      const end = endOf(events);
      expect(end.error?.kind).toBe('aborted');
      expect(performance.now() - started).toBeLessThan(1150);
      for (const call of end.response?.tool_calls ?? []) expect(call.status).toBe('cut');
    },
  );

  it('leaving the iteration early closes the socket within 1 s', async () => {
    answers = [ok([start, { hang: true }])];
    asked = 0;
    const fresh = client(server.url);
    const before = server.sockets.open;
    for await (const event of fresh.stream(request())) {
      if (event.type === 'text_delta') break;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(server.sockets.open).toBeLessThanOrEqual(before);
  });

  it('a request of the wrong shape is a TypeError before any byte is sent', () => {
    const bad = { ...request(), messages: undefined as never };
    expect(() => client(server.url).stream(bad)).toThrow(TypeError);
  });
});
