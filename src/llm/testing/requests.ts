/** Requests, turns and frames for tests of the model layer. */
import { createModelClient } from '../client.ts';
import type {
  JsonObject,
  JsonValue,
  LLMEvent,
  LLMMessage,
  LLMRequest,
  LLMResponse,
  ModelClient,
  ModelClientOptions,
  ModelConfig,
  ToolSpec,
} from '../types.ts';

export const GET_TOOL: ToolSpec = {
  name: 'get',
  description: 'Gets a thing',
  schema: {
    type: 'object',
    properties: { a: { type: 'integer' } },
    required: ['a'],
    additionalProperties: false,
  },
  check: (value: JsonObject) => Number.isInteger(value.a),
};

export function userMessage(text: string, id = 'm1'): LLMMessage {
  return { message_id: id, role: 'user', origin: 'task', content: [{ type: 'text', text }] };
}

export function request(more: Partial<LLMRequest> = {}): LLMRequest {
  const tools = more.tools ?? [GET_TOOL];
  return {
    system: [{ text: 'You are a test.' }],
    messages: [userMessage('hello')],
    tools,
    resolve: (name) => {
      const bare = name.replace(/^functions\./, '').toLowerCase();
      return tools.find((tool) => tool.name.toLowerCase() === bare)?.name ?? null;
    },
    purpose: 'step',
    sessionId: 's1',
    ...more,
  };
}

/** The history after a turn and one result for each of its calls. */
export function nextRequest(before: LLMRequest, turn: LLMResponse): LLMRequest {
  const assistant: LLMMessage = {
    message_id: 'm_assistant',
    role: 'assistant',
    origin: 'model',
    content: turn.blocks,
    ...(turn.raw === null ? {} : { raw: turn.raw }),
    complete: turn.complete,
  };
  const results: LLMMessage = {
    message_id: 'm_results',
    role: 'user',
    origin: 'tool',
    content:
      turn.tool_calls.length === 0
        ? [{ type: 'text', text: 'go on' }]
        : turn.tool_calls.map((call) => ({
            type: 'tool_result',
            call_id: call.call_id,
            name: call.name,
            success: call.status === 'ok',
            error_kind: null,
            text: 'done',
          })),
  };
  return { ...before, messages: [...before.messages, assistant, results] };
}

/** Server-sent events of these documents; `done` adds Chat's own end mark. */
export function sse(events: readonly JsonValue[], done = false): string {
  const frames = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  return done ? `${frames}data: [DONE]\n\n` : frames;
}

export function chatDelta(delta: JsonObject, more: JsonObject = {}): JsonObject {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    model: 'served-1',
    choices: [{ index: 0, delta, finish_reason: null, ...more }],
  };
}

export function chatFinish(reason: string, usage?: JsonObject): JsonObject {
  return {
    ...chatDelta({}, { finish_reason: reason }),
    ...(usage === undefined ? {} : { usage }),
  };
}

/** One tool-call delta; undefined members are absent. */
export function callDelta(entry: {
  index?: number;
  id?: JsonValue;
  name?: string;
  args?: JsonValue;
}): JsonObject {
  return chatDelta({
    tool_calls: [
      {
        ...(entry.index === undefined ? {} : { index: entry.index }),
        ...(entry.id === undefined ? {} : { id: entry.id }),
        type: 'function',
        function: {
          ...(entry.name === undefined ? {} : { name: entry.name }),
          ...(entry.args === undefined ? {} : { arguments: entry.args }),
        },
      },
    ],
  });
}

export function client(
  baseUrl: string,
  config: Partial<ModelConfig> = {},
  options: ModelClientOptions = {},
): ModelClient {
  let ids = 0;
  return createModelClient(
    {
      provider: 'openai_compatible',
      model: 'test-model',
      baseUrl,
      apiKey: 'sk-canary-123456',
      ...config,
    },
    {
      newCallId: () => {
        ids += 1;
        return `call_own_${ids}`;
      },
      ...options,
    },
  );
}

export async function collect(events: AsyncIterable<LLMEvent>): Promise<LLMEvent[]> {
  const all: LLMEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

export type EndEvent = Extract<LLMEvent, { type: 'end' }>;

/** The one `end`; throws when it is missing, doubled or not last. */
export function endOf(events: readonly LLMEvent[]): EndEvent {
  const ends = events.filter((event) => event.type === 'end');
  const last = events.at(-1);
  if (ends.length !== 1 || last?.type !== 'end') throw new Error('not exactly one end, last');
  return last;
}

/** A clock that only moves when something waits; the waits are kept. */
export function fakeClock(): NonNullable<ModelClientOptions['clock']> & {
  readonly waits: number[];
} {
  let time = 0;
  const waits: number[] = [];
  return {
    waits,
    now: () => time,
    sleep: async (ms, signal) => {
      waits.push(ms);
      if (!signal.aborted) time += ms;
    },
  };
}
