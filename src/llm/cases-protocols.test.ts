import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCallAssembler } from './codecs/chat/calls.ts';
import {
  chatDelta,
  chatFinish,
  client,
  collect,
  endOf,
  nextRequest,
  request,
  sse,
} from './testing/requests.ts';
import { type ScriptServer, startScriptServer } from './testing/script-server.ts';
import { fromFetch } from './transport/fetch.ts';
import type { JsonObject, JsonValue, LLMEvent, ModelConfig } from './types.ts';

let server: ScriptServer;
let body = '';
beforeAll(async () => {
  server = await startScriptServer(() => ({ writes: [body] }));
});
afterAll(() => server.close());

async function run(
  events: readonly JsonValue[],
  config: Partial<ModelConfig>,
): Promise<LLMEvent[]> {
  body = sse(events);
  return collect(client(server.url, { maxRetries: 0, ...config }).stream(request()));
}

const ANTHROPIC = { provider: 'anthropic', model: 'claude-opus-4-5' };
const OPENAI = { provider: 'openai', model: 'gpt-5' };

const start = {
  type: 'message_start',
  message: { id: 'm1', model: 'm', usage: { input_tokens: 9, output_tokens: 1 } },
};
const toolUse = (index: number, input: string | null, id = `t${index}`): JsonObject[] => [
  {
    type: 'content_block_start',
    index,
    content_block: { type: 'tool_use', id, name: 'get', input: {} },
  },
  ...(input === null
    ? []
    : [
        {
          type: 'content_block_delta',
          index,
          delta: { type: 'input_json_delta', partial_json: input },
        },
      ]),
  { type: 'content_block_stop', index },
];
const stop = (reason: string): JsonObject[] => [
  { type: 'message_delta', delta: { stop_reason: reason }, usage: { output_tokens: 5 } },
  { type: 'message_stop' },
];

describe('Anthropic', () => {
  it('a call without input deltas is {}', async () => {
    const end = endOf(await run([start, ...toolUse(0, null), ...stop('tool_use')], ANTHROPIC));
    expect(end.response?.tool_calls).toMatchObject([{ arguments: {}, status: 'ok', id: 't0' }]);
  });

  it.each([
    ['pause_turn', 'tool_calls', 'ok'],
    ['refusal', 'refusal', 'cut'],
    ['max_tokens', 'length', 'cut'],
    ['end_turn', 'tool_calls', 'ok'],
    ['invented', 'unknown', 'ok'],
  ])(
    'D6: %s with a pending call is %s, the call %s, and the next request is valid',
    async (reason, finish, status) => {
      const end = endOf(await run([start, ...toolUse(0, '{"a":1}'), ...stop(reason)], ANTHROPIC));
      if (end.response === null) throw new Error('no turn');
      expect(end.response).toMatchObject({ finish_reason: finish, raw_finish_reason: reason });
      expect(end.response.tool_calls).toMatchObject([{ status }]);
      body = sse([start, ...stop('end_turn')]);
      await client(server.url, ANTHROPIC).chat(nextRequest(request(), end.response));
      const messages = (server.requests.at(-1)?.json.messages ?? []) as JsonObject[];
      const last = (messages.at(-1)?.content ?? []) as JsonObject[];
      expect(last[0]).toMatchObject({ type: 'tool_result', tool_use_id: 't0' });
    },
  );

  it('D6: a full context window is overflow', async () => {
    const events = [start, ...toolUse(0, '{"a":1}'), ...stop('model_context_window_exceeded')];
    expect(endOf(await run(events, ANTHROPIC)).error).toMatchObject({ kind: 'overflow' });
  });

  it('E6: an error event is classified by its type', async () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    expect(endOf(await run([start, error], ANTHROPIC)).error).toMatchObject({ kind: 'overloaded' });
    const refused = { type: 'error', error: { type: 'invalid_request_error', message: 'no' } };
    expect(endOf(await run([refused], ANTHROPIC)).error).toMatchObject({ kind: 'bad_request' });
  });

  it('a whole message instead of a stream', async () => {
    const message = {
      type: 'message',
      id: 'm',
      model: 'm',
      content: [{ type: 'text', text: 'hi' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 3, output_tokens: 1 },
    };
    body = JSON.stringify(message);
    const end = endOf(await collect(client(server.url, ANTHROPIC).stream(request())));
    expect(end.response).toMatchObject({
      content: 'hi',
      finish_reason: 'stop',
      flags: ['not_streamed'],
    });
  });
});

describe('Responses', () => {
  const created = { type: 'response.created', response: { id: 'r', model: 'm' } };
  const item = {
    type: 'function_call',
    id: 'fc',
    call_id: 'c1',
    name: 'get',
    arguments: '{"a":1}',
    status: 'completed',
  };
  const done = { type: 'response.output_item.done', output_index: 0, item };
  const ended = (type: string, rest: JsonObject): JsonObject => ({
    type: `response.${type}`,
    response: { status: type, output: [], ...rest },
  });

  it('output_item.done alone is enough', async () => {
    const end = endOf(await run([created, done, ended('completed', {})], OPENAI));
    expect(end.response?.tool_calls).toMatchObject([
      { id: 'c1', arguments: { a: 1 }, status: 'ok' },
    ]);
  });

  it('D8: failed, incomplete and error are no success', async () => {
    const failed = ended('failed', { error: { code: 'server_error', message: 'x' } });
    expect(endOf(await run([created, done, failed], OPENAI)).error).toMatchObject({
      kind: 'overloaded',
      detail: 'server',
    });
    const cut = ended('incomplete', { incomplete_details: { reason: 'max_output_tokens' } });
    const response = endOf(await run([created, done, cut], OPENAI)).response;
    expect(response).toMatchObject({ finish_reason: 'length', tool_calls: [{ status: 'cut' }] });
    const filtered = ended('incomplete', { incomplete_details: { reason: 'content_filter' } });
    expect(endOf(await run([created, filtered], OPENAI)).response?.finish_reason).toBe(
      'content_filter',
    );
    const error = { type: 'error', code: 'rate_limit_exceeded', message: 'slow', param: null };
    expect(endOf(await run([created, error], OPENAI)).error).toMatchObject({ kind: 'rate_limit' });
  });

  it('a lost frame does not matter when the call came whole', async () => {
    body = `${sse([created])}data: {"type":"response.function_call_arguments.delta","del\n\n${sse([done, ended('completed', {})])}`;
    const end = endOf(await collect(client(server.url, OPENAI).stream(request())));
    expect(end.response?.tool_calls).toMatchObject([{ status: 'ok' }]);
  });

  it('a refusal part ends the turn as a refusal', async () => {
    const message = { type: 'message', id: 'm', content: [{ type: 'refusal', refusal: 'no' }] };
    const events = [created, { ...done, item: message }, ended('completed', {})];
    expect(endOf(await run(events, OPENAI)).response).toMatchObject({ finish_reason: 'refusal' });
  });
});

describe('call deltas in every order of index, id and name', () => {
  const entry = (
    index: number | null,
    id: string | null,
    name: string | null,
    args: string,
  ): JsonObject => ({
    ...(index === null ? {} : { index }),
    ...(id === null ? {} : { id }),
    function: { ...(name === null ? {} : { name }), arguments: args },
  });
  const assemble = (...entries: JsonObject[]) => {
    const assembler = createCallAssembler((name) => name === 'get' || name === 'get_all');
    for (const one of entries) assembler.add(one);
    return assembler.calls.map((call) => [call.id, call.name, call.text]);
  };
  const begin = entry(0, 'c1', 'get', '{"a"');
  const whole = entry(0, 'c1', 'get', '{"a":1}');

  it.each([
    ['(a) known id continues', [begin, entry(null, 'c1', null, ':1}')], [['c1', 'get', '{"a":1}']]],
    [
      '(a) known id, other index, named: new',
      [whole, entry(1, 'c1', 'get', '{"a":2}')],
      [
        ['c1', 'get', '{"a":1}'],
        ['c1', 'get', '{"a":2}'],
      ],
    ],
    [
      '(a) known id, complete, named: new',
      [whole, entry(0, 'c1', 'get', '{"a":2}')],
      [
        ['c1', 'get', '{"a":1}'],
        ['c1', 'get', '{"a":2}'],
      ],
    ],
    ['(a) identical: ignored', [whole, whole], [['c1', 'get', '{"a":1}']]],
    [
      '(b) unknown id: new',
      [whole, entry(0, 'c2', 'get', '{"a":2}')],
      [
        ['c1', 'get', '{"a":1}'],
        ['c2', 'get', '{"a":2}'],
      ],
    ],
    [
      '(b) unknown id, unnamed, index known: continues',
      [begin, entry(0, 'c2', null, ':1}')],
      [['c1', 'get', '{"a":1}']],
    ],
    [
      '(b) and gives the id when there was none',
      [entry(0, null, 'get', '{"a"'), entry(0, 'c2', null, ':1}')],
      [['c2', 'get', '{"a":1}']],
    ],
    ['(c) no id, index known', [begin, entry(0, null, null, ':1}')], [['c1', 'get', '{"a":1}']]],
    [
      '(c) no id, index known, complete, named: new',
      [whole, entry(0, null, 'get', '{"a":2}')],
      [
        ['c1', 'get', '{"a":1}'],
        [null, 'get', '{"a":2}'],
      ],
    ],
    [
      '(d) no id, index unknown: new',
      [whole, entry(1, null, 'get', '{}')],
      [
        ['c1', 'get', '{"a":1}'],
        [null, 'get', '{}'],
      ],
    ],
    [
      '(e) neither, named: new',
      [whole, entry(null, null, 'get', '{}')],
      [
        ['c1', 'get', '{"a":1}'],
        [null, 'get', '{}'],
      ],
    ],
    [
      '(e) neither, same name, incomplete: continues',
      [begin, entry(null, null, 'get', ':1}')],
      [['c1', 'get', '{"a":1}']],
    ],
    [
      '(e) neither, unnamed: the newest',
      [begin, entry(null, null, null, ':1}')],
      [['c1', 'get', '{"a":1}']],
    ],
    [
      'a name in pieces',
      [entry(0, 'c1', 'ge', ''), entry(0, null, 't', '{}')],
      [['c1', 'get', '{}']],
    ],
    [
      'a longer offered name replaces',
      [entry(0, 'c1', 'get', ''), entry(0, null, 'get_all', '{}')],
      [['c1', 'get_all', '{}']],
    ],
  ])('%s', (_, entries, expected) => {
    expect(assemble(...entries)).toEqual(expected);
  });
});

describe('other transports', () => {
  it('any fetch', async () => {
    body = sse([chatDelta({ content: 'hi' }), chatFinish('stop')], true);
    const used = client(server.url, {}, { transport: fromFetch((url, init) => fetch(url, init)) });
    expect((await used.chat(request())).content).toBe('hi');
  });

  it('a transport that ignores the abort does not hold the call', async () => {
    const hang = { send: () => new Promise<never>(() => {}) };
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 20);
    const used = client(server.url, {}, { transport: hang });
    const end = endOf(await collect(used.stream(request(), { signal: abort.signal })));
    expect(end.error?.kind).toBe('aborted');
  });
});
