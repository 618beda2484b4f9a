import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  callDelta,
  chatDelta,
  chatFinish,
  client,
  collect,
  endOf,
  GET_TOOL,
  nextRequest,
  request,
  sse,
} from './testing/requests.ts';
import { type Answer, type ScriptServer, startScriptServer } from './testing/script-server.ts';
import type { JsonObject, JsonValue, LLMRequest, LLMResponse, ModelConfig } from './types.ts';

let server: ScriptServer;
let next: Answer = {};
beforeAll(async () => {
  server = await startScriptServer(() => next);
});
afterAll(() => server.close());

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

/** The turn of these events, the same whether the bytes come whole, in threes or one by one. */
async function turn(
  events: readonly JsonValue[],
  options: { config?: Partial<ModelConfig>; request?: Partial<LLMRequest>; done?: boolean } = {},
): Promise<LLMResponse> {
  const text = sse(events, options.done ?? true);
  const bytes = Buffer.from(text);
  const results: LLMResponse[] = [];
  for (const size of [bytes.length, 7]) {
    const writes: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += size) writes.push(bytes.subarray(at, at + size));
    next = { writes };
    const response = await client(server.url, options.config).chat(request(options.request));
    results.push(response);
  }
  const [whole, split] = results as [LLMResponse, LLMResponse];
  const stable = ({ duration_ms: _, ttft_ms: __, ...rest }: LLMResponse) => rest;
  expect(stable(split)).toEqual(stable(whole));
  await expectNextValid(whole, options);
  return whole;
}

/** The history behind a turn is one a strict endpoint takes. */
async function expectNextValid(
  turnBefore: LLMResponse,
  options: { config?: Partial<ModelConfig>; request?: Partial<LLMRequest> },
): Promise<void> {
  next = { writes: [sse([chatDelta({ content: 'ok' }), chatFinish('stop')], true)] };
  const before = request(options.request);
  await client(server.url, options.config).chat(nextRequest(before, turnBefore));
  const messages = server.requests.at(-1)?.json.messages as JsonObject[];
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      expect(open.shift()).toBe(message.tool_call_id);
      expect(message.content).not.toBe('');
      continue;
    }
    expect(open).toEqual([]);
    const calls = (message.tool_calls ?? []) as JsonObject[];
    open = calls.map((call) => call.id as string);
    expect(new Set(open).size).toBe(open.length);
    for (const call of calls) {
      const called = call.function as JsonObject;
      expect(called.name).not.toBe('');
      expect(JSON.parse(called.arguments as string)).toBeTypeOf('object');
    }
  }
  expect(open).toEqual([]);
}

const whole = (args: JsonValue, name = 'get', id: JsonValue = 'c1') => [
  callDelta({ index: 0, id, name, args }),
  chatFinish('tool_calls', USAGE),
];
const argumentsOf = (response: LLMResponse) => response.tool_calls.map((call) => call.arguments);
const statuses = (response: LLMResponse) => response.tool_calls.map((call) => call.status);

describe('A: arguments', () => {
  it('A1, A2: empty, null and absent arguments are one call with {}', async () => {
    for (const args of ['', null, undefined]) {
      const response = await turn([
        callDelta({ index: 0, id: 'c1', name: 'get', ...(args === undefined ? {} : { args }) }),
        chatFinish('tool_calls'),
      ]);
      expect(argumentsOf(response)).toEqual([{}]);
      expect(statuses(response)).toEqual(['ok']);
    }
  });

  it('A3, A4: an object and a double-encoded object run', async () => {
    expect(argumentsOf(await turn(whole({ a: 1 })))).toEqual([{ a: 1 }]);
    const doubled = await turn(whole(JSON.stringify('{"a":1}')));
    expect(doubled.tool_calls[0]).toMatchObject({
      arguments: { a: 1 },
      repairs: ['double_encoded'],
      raw_arguments: '"{\\"a\\":1}"',
    });
  });

  it('A5: two objects in a row are two calls with two ids', async () => {
    const response = await turn(whole('{"a":1}{"a":2}'));
    expect(argumentsOf(response)).toEqual([{ a: 1 }, { a: 2 }]);
    expect(new Set(response.tool_calls.map((call) => call.wire_seed)).size).toBe(2);
  });

  it('A6: half an object ended by length does not run, nor does a whole sibling', async () => {
    const response = await turn([
      callDelta({ index: 0, id: 'c1', name: 'get', args: '{"a":1}' }),
      callDelta({ index: 1, id: 'c2', name: 'get', args: '{"a":' }),
      chatFinish('length', USAGE),
    ]);
    expect(response.finish_reason).toBe('length');
    expect(statuses(response)).toEqual(['cut', 'cut']);
    expect(argumentsOf(response)).toEqual([{}, {}]);
  });

  it('A7: half an object at the output limit counts as length whatever the reason says', async () => {
    const events = [
      callDelta({ index: 0, id: 'c1', name: 'get', args: '{"a":' }),
      chatFinish('tool_calls', { prompt_tokens: 5, completion_tokens: 64, total_tokens: 69 }),
    ];
    const response = await turn(events, { request: { maxOutputTokens: 64 } });
    expect(response.finish_reason).toBe('length');
    expect(statuses(response)).toEqual(['cut']);
  });

  it('A8: single quotes, None and a trailing comma are repaired with the apostrophe intact', async () => {
    const response = await turn(whole("{'a': \"it's\", 'b': None,}"));
    expect(argumentsOf(response)).toEqual([{ a: "it's", b: null }]);
  });

  it('A9: a raw tab in the arguments and a raw tab in the frame', async () => {
    expect(argumentsOf(await turn(whole('{"a":"x\ty"}')))).toEqual([{ a: 'x\ty' }]);
    const frame = JSON.stringify(chatDelta({ content: 'x@y' })).replace('@', '\t');
    next = { writes: [`data: ${frame}\n\n`, sse([chatFinish('stop')])] };
    expect((await client(server.url).chat(request())).content).toBe('x\ty');
  });

  it('A10: over-escaped text is left as sent', async () => {
    const response = await turn(whole('{"code":"a\\\\nb"}'));
    expect(argumentsOf(response)).toEqual([{ code: 'a\\nb' }]);
  });

  it('A12: fenced JSON is unwrapped', async () => {
    expect(argumentsOf(await turn(whole('```json\n{"a":1}\n```')))).toEqual([{ a: 1 }]);
  });

  it('A14: values that are no objects are fed back', async () => {
    for (const text of ['[1]', '3', '"x"']) {
      const response = await turn(whole(text));
      expect(response.tool_calls[0]).toMatchObject({
        status: 'invalid',
        arguments: {},
        fault: { kind: 'not_object' },
      });
    }
  });
});

describe('B: call deltas, ids and names', () => {
  it('B1: one index, two ids, both whole: two calls', async () => {
    const response = await turn([
      callDelta({ index: 0, id: 'c1', name: 'get', args: '{"a":1}' }),
      callDelta({ index: 0, id: 'c2', name: 'get', args: '{"a":2}' }),
      chatFinish('tool_calls'),
    ]);
    expect(argumentsOf(response)).toEqual([{ a: 1 }, { a: 2 }]);
  });

  it('B2: no index, one call per chunk', async () => {
    const response = await turn([
      callDelta({ id: 'c1', name: 'get', args: '{"a":1}' }),
      callDelta({ id: 'c2', name: 'get', args: '{"a":2}' }),
      chatFinish('tool_calls'),
    ]);
    expect(response.tool_calls.map((call) => call.id)).toEqual(['c1', 'c2']);
  });

  it('B3: only index 1 and 3, pieces interleaved', async () => {
    const response = await turn([
      callDelta({ index: 1, id: 'c1', name: 'get', args: '{"a"' }),
      callDelta({ index: 3, id: 'c3', name: 'get', args: '{"a"' }),
      callDelta({ index: 3, args: ':3}' }),
      callDelta({ index: 1, args: ':1}' }),
      chatFinish('tool_calls'),
    ]);
    expect(argumentsOf(response)).toEqual([{ a: 1 }, { a: 3 }]);
  });

  it('B4, B5: no id and an empty id are generated, and the result names the same', async () => {
    for (const id of [undefined, '', null]) {
      const response = await turn([
        callDelta({ index: 0, name: 'get', args: '{"a":1}', ...(id === undefined ? {} : { id }) }),
        chatFinish('tool_calls'),
      ]);
      expect(response.tool_calls[0]).toMatchObject({
        id: null,
        wire_seed: response.tool_calls[0]?.call_id,
      });
    }
  });

  it('B6, B7: an empty id on continuations; a number as id', async () => {
    const response = await turn([
      callDelta({ index: 0, id: 17, name: 'get', args: '' }),
      callDelta({ index: 0, id: '', args: '{"a":' }),
      callDelta({ index: 0, id: '', args: '1}' }),
      chatFinish('tool_calls'),
    ]);
    expect(response.tool_calls).toMatchObject([{ id: '17', arguments: { a: 1 } }]);
  });

  it('B11: a name with a prefix or another case runs the tool it means', async () => {
    for (const name of ['functions.get', 'Get']) {
      const response = await turn(whole('{"a":1}', name));
      expect(response.tool_calls[0]).toMatchObject({ name: 'get', raw_name: name, status: 'ok' });
    }
  });

  it('B12, B13: an unknown name is kept; an empty one never stands in a later request', async () => {
    expect((await turn(whole('{}', 'nothing'))).tool_calls[0]?.name).toBe('nothing');
    expect((await turn(whole('{}', ''))).tool_calls[0]?.raw_name).toBe('');
  });

  it('B14: odd tool names are legal and unique on the wire and mapped back', async () => {
    const long = 'x'.repeat(80);
    const tools = ['a.b/c', 'a_b_c', long].map((name) => ({ ...GET_TOOL, name }));
    next = { writes: [sse([chatDelta({ content: 'ok' }), chatFinish('stop')], true)] };
    await client(server.url).chat(
      request({
        tools,
        resolve: (name) => (tools.some((tool) => tool.name === name) ? name : null),
      }),
    );
    const sent = (
      (server.requests.at(-1)?.json.tools ?? []) as { function: { name: string } }[]
    ).map((tool) => tool.function.name);
    expect(new Set(sent).size).toBe(3);
    for (const name of sent) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    const response = await turn(whole('{"a":1}', sent[0] ?? ''), {
      request: { tools, resolve: () => null },
    });
    expect(response.tool_calls[0]?.name).toBe('a.b/c');
  });

  it('B15: a made-up parallel call is one call per use', async () => {
    const uses = [1, 2].map((a) => ({ recipient_name: 'functions.get', parameters: { a } }));
    const response = await turn(whole(JSON.stringify({ tool_uses: uses }), 'parallel'));
    expect(response.tool_calls.map((call) => [call.name, call.arguments])).toEqual([
      ['get', { a: 1 }],
      ['get', { a: 2 }],
    ]);
  });

  it('a repeated identical delta is ignored with a flag', async () => {
    const delta = callDelta({ index: 0, id: 'c1', name: 'get', args: '{"a":1}' });
    const response = await turn([delta, delta, chatFinish('tool_calls')]);
    expect(response.tool_calls).toHaveLength(1);
    expect(response.flags).toContain('duplicate_delta');
  });
});

describe('C: calls written as text', () => {
  const vllm = { profile: 'vllm' };
  const said = (content: string) => [chatDelta({ content }), chatFinish('stop', USAGE)];

  it('C1: an envelope is a call by profile; in a code fence it is text', async () => {
    const envelope = '<tool_call>{"name":"get","arguments":{"a":1}}</tool_call>';
    const response = await turn(said(envelope), { config: vllm });
    expect(response.tool_calls).toMatchObject([
      { name: 'get', arguments: { a: 1 }, source: 'text' },
    ]);
    expect(response.content).toBe('');
    const fenced = await turn(said(`\`\`\`\n${envelope}\n\`\`\``), { config: vllm });
    expect(fenced.tool_calls).toEqual([]);
    expect(fenced.content).toContain(envelope);
    const foreign = await turn(said(envelope), { config: { profile: 'mistral' } });
    expect(foreign.tool_calls).toEqual([]);
  });

  it('C4, C5: two calls in a tools list; the minimax form', async () => {
    const list =
      '<tools>[{"name":"get","arguments":{"a":1}},{"name":"get","arguments":{"a":2}}]</tools>';
    expect((await turn(said(list), { config: vllm })).tool_calls).toHaveLength(2);
    const minimax =
      '<minimax:tool_call>\n<invoke name="get">\n<parameter name="a">1</parameter>\n</invoke>\n</minimax:tool_call>';
    expect((await turn(said(minimax), { config: vllm })).tool_calls).toHaveLength(1);
  });

  it('C6: an unclosed envelope in a stopped turn is no answer', async () => {
    const response = await turn(said('<tool_call>{"name":"get","arguments":{"a":'), {
      config: vllm,
    });
    expect(statuses(response)).toEqual(['cut']);
    expect(response.finish_reason).toBe('tool_calls');
  });

  it('C7: think tags apart, split or whole', async () => {
    const response = await turn(said('<think>why</think>because'), { config: vllm });
    expect(response).toMatchObject({ reasoning: 'why', content: 'because' });
  });

  it('structured calls win over markup', async () => {
    const envelope = '<tool_call>{"name":"get","arguments":{"a":9}}</tool_call>';
    const response = await turn([chatDelta({ content: envelope }), ...whole('{"a":1}')], {
      config: vllm,
    });
    expect(argumentsOf(response)).toEqual([{ a: 1 }]);
    expect(response.content).toBe('');
    expect(response.flags).toContain('markup_stripped');
  });
});

describe('D: how a turn ends', () => {
  it('D1: calls with stop run; with an invented reason too, unless they needed repair', async () => {
    const call = callDelta({ index: 0, id: 'c1', name: 'get', args: '{"a":1}' });
    expect((await turn([call, chatFinish('stop')])).finish_reason).toBe('tool_calls');
    const other = await turn([call, chatFinish('other')]);
    expect(other).toMatchObject({ finish_reason: 'unknown', raw_finish_reason: 'other' });
    expect(statuses(other)).toEqual(['ok']);
    const repaired = await turn([
      callDelta({ index: 0, id: 'c1', name: 'get', args: "{'a':1}" }),
      chatFinish('other'),
    ]);
    expect(statuses(repaired)).toEqual(['cut']);
  });

  it('D4: text and [DONE] without a reason is an answer with reason unknown', async () => {
    const response = await turn([chatDelta({ content: 'hi' })]);
    expect(response).toMatchObject({ content: 'hi', finish_reason: 'unknown', complete: true });
  });

  it('D7: a content filter ends the turn after one request', async () => {
    const before = server.requests.length;
    next = { writes: [sse([chatFinish('content_filter')], true)] };
    const response = await client(server.url).chat(request());
    expect(response.finish_reason).toBe('content_filter');
    expect(server.requests.length - before).toBe(1);
  });

  it('a refusal runs nothing', async () => {
    const response = await turn([
      chatDelta({ refusal: 'no' }),
      ...whole('{"a":1}').slice(0, 1),
      chatFinish('stop'),
    ]);
    expect(response.finish_reason).toBe('refusal');
    expect(statuses(response)).toEqual(['cut']);
  });

  it.each([
    ['model_length', 'length'],
    ['function_call', 'tool_calls'],
    ['pause_turn', 'pause'],
    ['IMAGE_SAFETY', 'content_filter'],
    ['invented', 'unknown'],
  ])('the stop value %s means %s', async (raw, finish) => {
    const response = await turn([chatDelta({ content: 'x' }), chatFinish(raw)]);
    expect(response).toMatchObject({ finish_reason: finish, raw_finish_reason: raw });
  });

  it('usage on every chunk counts once, and a missing one is estimated', async () => {
    const chunk = (content: string, tokens: number) => ({
      ...chatDelta({ content }),
      usage: { prompt_tokens: 10, completion_tokens: tokens, total_tokens: 10 + tokens },
    });
    const counted = await turn([chunk('a', 1), chunk('b', 2), chatFinish('stop', USAGE)]);
    expect(counted.usage).toMatchObject({ input_tokens: 10, output_tokens: 5, estimated: false });
    const estimated = await turn([chatDelta({ content: 'some words here' }), chatFinish('stop')]);
    expect(estimated.usage.estimated).toBe(true);
    expect(estimated.usage.output_tokens).toBeGreaterThan(0);
  });

  it('arguments refused by the provider are fed back with its words', async () => {
    next = {
      status: 400,
      headers: { 'content-type': 'application/json' },
      writes: [
        JSON.stringify({
          error: {
            message: 'Failed to call a function',
            type: 'invalid_request_error',
            code: 'tool_use_failed',
            failed_generation: '<function=get>{"a":}</function>',
          },
        }),
      ],
    };
    const events = await collect(client(server.url).stream(request()));
    expect(endOf(events).response?.tool_calls).toMatchObject([
      { raw_name: 'get', status: 'provider_rejected', fault: { kind: 'provider_rejected' } },
    ]);
  });
});
