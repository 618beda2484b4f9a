import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LLMError } from './errors.ts';
import {
  chatDelta,
  chatFinish,
  client,
  collect,
  endOf,
  fakeClock,
  request,
  sse,
} from './testing/requests.ts';
import {
  type Answer,
  type ScriptServer,
  type SeenRequest,
  startScriptServer,
} from './testing/script-server.ts';
import type { LLMEvent, LLMRequest, ModelConfig } from './types.ts';

let server: ScriptServer;
let script: (seen: SeenRequest, ordinal: number) => Answer = () => ({});
let first = 0;
beforeAll(async () => {
  server = await startScriptServer((seen, ordinal) => script(seen, ordinal - first));
});
afterAll(() => server.close());

const OK: Answer = { writes: [sse([chatDelta({ content: 'ok' }), chatFinish('stop')], true)] };
const JSON_TYPE = { 'content-type': 'application/json' };
const refuse = (status: number, body: unknown, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { ...JSON_TYPE, ...headers },
  writes: [typeof body === 'string' ? body : JSON.stringify(body)],
});
let models = 0;

/** Every call has a model name of its own, so that nothing learned by one is known to the next. */
async function run(
  answers: readonly Answer[] | typeof script,
  config: Partial<ModelConfig> = {},
  more: Partial<LLMRequest> = {},
): Promise<{ events: LLMEvent[]; seen: SeenRequest[]; waits: readonly number[] }> {
  script = typeof answers === 'function' ? answers : (_, n) => answers[n] ?? answers.at(-1) ?? OK;
  first = server.requests.length;
  models += 1;
  const clock = fakeClock();
  const used = client(server.url, { model: `m${models}`, ...config }, { clock, random: () => 0.5 });
  const events = await collect(used.stream(request(more)));
  return { events, seen: server.requests.slice(first), waits: clock.waits };
}

/** The rest of a finished response has drained and its connection is free. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 30));

const error = (message: string, rest: object = {}) => ({ error: { message, ...rest } });

describe('F: errors and retries', () => {
  it('F1: 429 with retry-after 2, twice: waits of 2 to 2.2 s', async () => {
    const limited = refuse(429, error('slow down'), { 'retry-after': '2' });
    const { events, waits, seen } = await run([limited, limited, OK]);
    expect(waits).toHaveLength(2);
    for (const wait of waits) {
      expect(wait).toBeGreaterThanOrEqual(2000);
      expect(wait).toBeLessThanOrEqual(2200);
    }
    expect(seen).toHaveLength(3);
    expect(endOf(events).response).toMatchObject({ content: 'ok', attempts: 3 });
  });

  it('F2: overloaded for 4 minutes, by status and in the stream, then fine', async () => {
    const inStream: Answer = { writes: [sse([error('busy', { type: 'overloaded_error' })])] };
    const busy = refuse(529, error('busy', { type: 'overloaded_error' }));
    const { events, waits } = await run([
      busy,
      inStream,
      busy,
      inStream,
      busy,
      inStream,
      busy,
      inStream,
      OK,
    ]);
    expect(endOf(events).response?.content).toBe('ok');
    expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeGreaterThan(200_000);
  });

  it('F4, F6: an exhausted quota and a deterministic 400 are asked once', async () => {
    const quota = await run([refuse(429, error('no money', { code: 'insufficient_quota' }))]);
    expect(quota.seen).toHaveLength(1);
    expect(endOf(quota.events).error).toMatchObject({ kind: 'quota', retryable: false });
    const bad = await run([
      refuse(400, error('messages.1 is wrong', { type: 'invalid_request_error' })),
    ]);
    expect(bad.seen).toHaveLength(1);
    expect(endOf(bad.events).error).toMatchObject({ kind: 'bad_request', status: 400 });
  });

  it('x-should-retry: false stops, true cannot make a 400 retryable', async () => {
    const no = await run([refuse(503, '{}', { 'x-should-retry': 'false' })]);
    expect(no.seen).toHaveLength(1);
    const yes = await run([refuse(400, error('no'), { 'x-should-retry': 'true' })]);
    expect(yes.seen).toHaveLength(1);
  });

  it('a hint above the longest wait stops with the time in the message', async () => {
    const { events, seen } = await run([refuse(429, error('later'), { 'retry-after': '3600' })]);
    expect(seen).toHaveLength(1);
    expect(endOf(events).error?.message).toContain('3600 s');
  });

  it('a wait that would pass the deadline fails at once', async () => {
    script = () => refuse(503, '{}');
    first = server.requests.length;
    const used = client(server.url, {}, { clock: fakeClock(), random: () => 0.5 });
    const events = await collect(used.stream(request(), { deadline: 100 }));
    expect(server.requests.length - first).toBe(1);
    expect(endOf(events).error?.message).toContain('deadline');
  });

  it('chat rejects with LLMError, with the partial turn', async () => {
    script = () => ({ writes: [sse([chatDelta({ content: 'part' })])] });
    const failed = await client(server.url, { maxRetries: 0 })
      .chat(request())
      .catch((caught: unknown) => caught);
    expect(failed).toBeInstanceOf(LLMError);
    expect((failed as LLMError).partial?.content).toBe('part');
  });

  it('a refused connection and an unknown host are network errors', async () => {
    const free = createServer();
    await new Promise<void>((resolve) => free.listen(0, '127.0.0.1', resolve));
    const { port } = free.address() as AddressInfo;
    await new Promise((resolve) => free.close(resolve));
    const go = async (url: string) =>
      endOf(await collect(client(url, { maxRetries: 0 }).stream(request()))).error;
    expect(await go(`http://127.0.0.1:${port}`)).toMatchObject({
      kind: 'network',
      detail: 'connect',
    });
    expect(await go('http://nobody.invalid')).toMatchObject({ kind: 'network' });
    expect(await go(server.url.replace('http:', 'https:'))).toMatchObject({
      kind: 'network',
      detail: 'tls',
    });
  });
});

describe('pooled sockets', () => {
  it('a reset on a reused socket is replayed once at once, uncounted', async () => {
    script = (_, n) => (n === 1 ? { reset: true } : OK);
    first = server.requests.length;
    const opened = server.sockets.opened;
    const used = client(server.url, {}, { clock: fakeClock() });
    await used.chat(request());
    await settled();
    const events = await collect(used.stream(request()));
    expect(endOf(events).response).toMatchObject({ content: 'ok', attempts: 1 });
    expect(events.some((event) => event.type === 'retry')).toBe(false);
    expect(server.sockets.opened - opened).toBe(2);
  });

  it('after one byte of the answer it is a counted retry with discard', async () => {
    const cut: Answer = {
      writes: [sse([chatDelta({ content: 'x' })]), { sleep: 20 }, { destroy: true }],
    };
    const { events } = await run([cut, OK]);
    expect(events.map((event) => event.type)).toEqual(
      expect.arrayContaining(['discard', 'retry', 'end']),
    );
    expect(endOf(events).response?.attempts).toBe(2);
  });

  it('connections are kept for the next call', async () => {
    script = () => OK;
    const opened = server.sockets.opened;
    const used = client(server.url);
    for (let call = 0; call < 5; call += 1) {
      await used.chat(request());
      await settled();
    }
    expect(server.sockets.opened - opened).toBe(1);
    used.close();
  });
});

describe('G: adaptations', () => {
  const unsupported = (name: string, instead = '') =>
    refuse(
      400,
      error(`Unsupported parameter: '${name}' is not supported with this model.${instead}`, {
        type: 'invalid_request_error',
        param: name,
      }),
    );

  it('G10: the token field is swapped, both ways, once, and remembered', async () => {
    const strict = (refused: string, taken: string) => (seen: SeenRequest) =>
      refused in seen.json ? unsupported(refused, ` Use '${taken}' instead.`) : OK;
    const config = { maxTokens: 100 };
    const { events, seen } = await run(strict('max_tokens', 'max_completion_tokens'), config);
    expect(endOf(events).response?.content).toBe('ok');
    expect(seen.map((entry) => [entry.json.max_tokens, entry.json.max_completion_tokens])).toEqual([
      [100, undefined],
      [undefined, 100],
    ]);
    expect(events).toContainEqual(expect.objectContaining({ code: 'request_adapted' }));
    const again = await run(strict('max_tokens', 'max_completion_tokens'), {
      ...config,
      model: `m${models}`,
    });
    expect(again.seen).toHaveLength(1);
    const back = await run(strict('max_completion_tokens', 'max_tokens'), {
      ...config,
      quirks: { tokenField: 'max_completion_tokens' },
    });
    expect(back.seen.at(-1)?.json.max_tokens).toBe(100);
  });

  it.each([
    ['temperature', { sampling: { temperature: 0.2 } }],
    ['top_p', { sampling: { topP: 0.2 } }],
    ['stream_options', {}],
    ['parallel_tool_calls', { parallelToolCalls: true }],
  ])('G11: %s refused is dropped', async (name, more) => {
    const { seen } = await run((entry) => (name in entry.json ? unsupported(name) : OK), {}, more);
    expect(seen.map((entry) => name in entry.json)).toEqual([true, false]);
  });

  it('G9: the developer role is sent to OpenAI only, and adapted once', async () => {
    const roles = (seen: SeenRequest) =>
      (seen.json.messages as { role: string }[]).map((message) => message.role);
    const { seen } = await run(
      (entry) =>
        roles(entry).includes('developer')
          ? refuse(400, error("messages[0].role: unknown variant 'developer'"))
          : OK,
      { profile: 'openai_chat' },
    );
    expect(seen.map((entry) => roles(entry)[0])).toEqual(['developer', 'system']);
    const plain = await run([OK]);
    expect(roles(plain.seen[0] as SeenRequest)[0]).toBe('system');
  });

  it('G18: a grammar failure makes the schemas portable, once', async () => {
    const tool = {
      name: 'get',
      description: '',
      schema: { type: 'object', properties: { a: { type: 'string', pattern: '^x{1,9}$' } } },
    };
    const { seen } = await run(
      (entry) =>
        entry.body.includes('"pattern"') ? refuse(400, error('failed to parse grammar')) : OK,
      {},
      { tools: [tool] },
    );
    expect(seen).toHaveLength(2);
  });

  it('a forced choice that is refused becomes auto', async () => {
    const { seen } = await run(
      (entry) =>
        'tool_choice' in entry.json ? refuse(400, error('tool_choice is not supported')) : OK,
      {},
      { toolChoice: 'required' },
    );
    expect(seen).toHaveLength(2);
  });

  it('G14: a 413 with images drops the older ones and goes on', async () => {
    const image = {
      type: 'image',
      mime: 'image/png',
      data: 'AAAA',
      width: 10,
      height: 10,
    } as const;
    const messages = [1, 2].map((n) => ({
      message_id: `m${n}`,
      role: 'user' as const,
      origin: 'user' as const,
      content: [{ type: 'text' as const, text: `look ${n}` }, image],
    }));
    const count = (entry: SeenRequest) => entry.body.split('"image_url":{').length - 1;
    const { seen } = await run(
      (entry) => (count(entry) > 1 ? refuse(413, error('too large')) : OK),
      {},
      { messages },
    );
    expect(seen.map(count)).toEqual([2, 1]);
    expect(seen[1]?.body).toContain('image removed: 10x10');
  });

  it('a foreign server without /responses is asked in Chat from then on', async () => {
    const only = (entry: SeenRequest) =>
      entry.url.endsWith('/responses') ? refuse(404, '<html><title>Not Found</title></html>') : OK;
    const { events, seen } = await run(only, { provider: 'openai' });
    expect(seen.map((entry) => entry.url)).toEqual(['/responses', '/chat/completions']);
    expect(endOf(events).response?.content).toBe('ok');
    const again = await run(only, { provider: 'openai', model: `m${models}` });
    expect(again.seen.map((entry) => entry.url)).toEqual(['/chat/completions']);
  });

  it('at most 3 adaptations, and an unchanged 400 is never sent twice', async () => {
    const names = ['temperature', 'top_p', 'seed', 'presence_penalty'];
    const { events, seen } = await run(
      (entry) => {
        const sent = names.find((name) => name in entry.json);
        return sent === undefined ? OK : unsupported(sent);
      },
      {},
      { sampling: { temperature: 1, topP: 1, seed: 1, presencePenalty: 1 } },
    );
    expect(seen).toHaveLength(4);
    expect(endOf(events).error?.kind).toBe('bad_request');
    expect(new Set(seen.map((entry) => entry.body)).size).toBe(4);
  });
});
