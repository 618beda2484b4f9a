import { Socket } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { createModelClient } from './client.ts';
import { costOf } from './cost.ts';
import { parseEvent } from './framing/frames.ts';
import { createSseReader } from './framing/sse.ts';
import { replayTransport } from './replay-transport.ts';
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
import { startScriptServer } from './testing/script-server.ts';
import type { Exchange, JsonValue, LLMEvent, Protocol, ReplayedExchange } from './types.ts';

function exchangeOf(record: Exchange): ReplayedExchange {
  const { status, response_headers: headers } = record;
  const text = Buffer.concat(record.chunks.map((chunk) => chunk.bytes)).toString('utf8');
  if (status !== 200) return { status: status ?? 0, headers, body: text };
  const reader = createSseReader();
  const frames = [...reader.push(Buffer.from(text)), ...reader.end()];
  const events = frames.flatMap((frame): JsonValue[] => {
    const value = frame === '[DONE]' ? undefined : parseEvent(frame);
    return value === undefined ? [] : [value];
  });
  const cut = record.error?.detail === 'stream_cut';
  return { status, headers, events, ...(cut ? { fault: 'cut' as const } : {}) };
}

const RESPONSES = [
  { type: 'response.created', response: { id: 'r1', model: 'm' } },
  {
    type: 'response.output_item.added',
    output_index: 0,
    item: { type: 'reasoning', id: 'rs_1', summary: [] },
  },
  {
    type: 'response.output_item.done',
    output_index: 0,
    item: { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'enc' },
  },
  {
    type: 'response.output_item.added',
    output_index: 1,
    item: { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'get', arguments: '' },
  },
  { type: 'response.function_call_arguments.delta', output_index: 1, delta: '{"a":' },
  { type: 'response.function_call_arguments.delta', output_index: 1, delta: '1}' },
  {
    type: 'response.output_item.done',
    output_index: 1,
    item: {
      type: 'function_call',
      id: 'fc_1',
      call_id: 'c1',
      name: 'get',
      arguments: '{"a":1}',
      status: 'completed',
    },
  },
  {
    type: 'response.completed',
    response: {
      id: 'r1',
      model: 'm',
      status: 'completed',
      output: [],
      usage: { input_tokens: 9, output_tokens: 3 },
    },
  },
];

const ANTHROPIC = [
  {
    type: 'message_start',
    message: { id: 'm1', model: 'm', usage: { input_tokens: 9, output_tokens: 1 } },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'sig' } },
  { type: 'content_block_stop', index: 0 },
  {
    type: 'content_block_start',
    index: 1,
    content_block: { type: 'redacted_thinking', data: 'xyz' },
  },
  { type: 'content_block_stop', index: 1 },
  { type: 'content_block_start', index: 2, content_block: { type: 'text', text: '' } },
  { type: 'content_block_stop', index: 2 },
  { type: 'content_block_start', index: 3, content_block: { type: 'made_up', value: { x: [1] } } },
  { type: 'content_block_stop', index: 3 },
  {
    type: 'content_block_start',
    index: 4,
    content_block: { type: 'tool_use', id: 't1', name: 'get', input: {} },
  },
  {
    type: 'content_block_delta',
    index: 4,
    delta: { type: 'input_json_delta', partial_json: '{"a":1}' },
  },
  { type: 'content_block_stop', index: 4 },
  { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 5 } },
  { type: 'message_stop' },
];

const CHAT = [
  chatDelta({ reasoning_content: 'hm' }),
  chatDelta({ content: 'a' }),
  chatDelta({
    tool_calls: [
      { index: 0, id: 'c1', type: 'function', function: { name: 'get', arguments: '{"a":1}' } },
    ],
  }),
  chatFinish('tool_calls', { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 }),
];

const WIRES: [Protocol, string, JsonValue[]][] = [
  ['chat', 'deepseek', CHAT],
  ['responses', 'openai', RESPONSES],
  ['anthropic', 'anthropic', ANTHROPIC],
];

/** What must be equal between a live call and its replay. */
function comparable(events: readonly LLMEvent[]): unknown[] {
  return events.flatMap((event): unknown[] => {
    if (event.type === 'headers' || event.type === 'attempt') return [event.type];
    if (event.type === 'retry') return [[event.type, event.attempt, event.error.kind]];
    if (event.type !== 'end') return [event];
    const {
      duration_ms: _,
      ttft_ms: __,
      raw,
      request_sha256: ___,
      ...rest
    } = event.response ?? ({} as never);
    return [
      { ...event, response: { ...rest, raw: (raw as { value?: unknown } | undefined)?.value } },
    ];
  });
}

describe.each(WIRES)('%s', (protocol, profile, events) => {
  it('recorded by the hook and replayed: equal events and an equal next request, with a 429 in front', async () => {
    const good = { writes: [sse(events, protocol === 'chat')] };
    const limited = {
      status: 429,
      headers: { 'retry-after': '0' },
      writes: ['{"error":{"message":"slow"}}'],
    };
    const server = await startScriptServer([limited, good, good]);
    const records: Exchange[] = [];
    const live = client(
      server.url,
      { provider: profile, model: 'm' },
      {
        onExchange: (exchange) => records.push(exchange),
        clock: { now: () => performance.now(), sleep: async () => {} },
      },
    );
    const liveEvents = await collect(live.stream(request()));
    const liveTurn = endOf(liveEvents).response;
    if (liveTurn === null) throw new Error('no turn');
    await live.chat(nextRequest(request(), liveTurn));
    await server.close();

    const sent: Uint8Array[] = [];
    const left = records.map(exchangeOf);
    const source = {
      protocol,
      profile,
      provider: profile,
      model: 'm',
      next: () => {
        const exchange = left.shift();
        return exchange === undefined
          ? { error: 'recording exhausted at lane main, n 4' }
          : { exchange };
      },
    };
    let ids = 0;
    const replay = createModelClient(
      { provider: 'replay', model: 'recording.jsonl' },
      {
        transport: replayTransport(source),
        onExchange: (exchange) => sent.push(exchange.request_body),
        newCallId: () => {
          ids += 1;
          return `call_own_${ids}`;
        },
      },
    );
    const started = performance.now();
    const replayed = await collect(replay.stream(request()));
    expect(comparable(replayed)).toEqual(comparable(liveEvents));
    expect(replay.model).toBe('m');
    const turn = endOf(replayed).response;
    if (turn === null) throw new Error('no turn');
    expect(costOf(turn.usage, replay.prices)).toBe(0);
    await replay.chat(nextRequest(request(), turn));
    expect(Buffer.from(sent[2] ?? '').toString()).toBe(
      Buffer.from(records[2]?.request_body ?? '').toString(),
    );
    const over = endOf(await collect(replay.stream(request())));
    expect(over.error).toMatchObject({
      kind: 'replay',
      message: 'recording exhausted at lane main, n 4',
    });
    expect(performance.now() - started).toBeLessThan(500);
  });

  it('the turn goes back byte for byte under its replay key', async () => {
    const server = await startScriptServer([{ writes: [sse(events, protocol === 'chat')] }]);
    const live = client(server.url, { provider: profile, model: 'm' });
    const turn = await live.chat(request());
    await live.chat(nextRequest(request(), turn));
    await server.close();
    const body = server.requests.at(-1)?.body ?? '';
    const raw = turn.raw?.value;
    const expected = Array.isArray(raw)
      ? raw.map((block) => JSON.stringify(block))
      : [JSON.stringify(raw)];
    for (const block of expected) expect(body).toContain(block);
    expect(turn.complete).toBe(true);
  });
});

describe('faults and sockets', () => {
  const played = (exchange: ReplayedExchange) => {
    const source = {
      protocol: 'chat' as const,
      profile: 'openai_compatible',
      provider: 'x',
      model: 'm',
      next: () => ({ exchange }),
    };
    return createModelClient(
      { provider: 'replay', model: 'f', maxRetries: 0 },
      { transport: replayTransport(source) },
    );
  };

  it.each([
    ['reset', 'network', 'reset'],
    ['cut', 'network', 'stream_cut'],
    ['timeout', 'timeout', 'idle'],
  ] as const)('a recorded %s plays as such', async (fault, kind, detail) => {
    const end = endOf(
      await collect(
        played({ status: 200, headers: {}, events: [CHAT[1] ?? {}], fault }).stream(request()),
      ),
    );
    expect(end.error).toMatchObject({ kind, detail });
    expect(end.response?.content).toBe('a');
  });

  it('opens no socket', async () => {
    const opened = vi.spyOn(Socket.prototype, 'connect');
    await played({ status: 200, headers: {}, events: CHAT }).chat(request());
    expect(opened).not.toHaveBeenCalled();
    opened.mockRestore();
  });
});
