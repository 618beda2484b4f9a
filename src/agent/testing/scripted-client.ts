import type {
  CallOptions,
  ContentBlock,
  JsonObject,
  LLMErrorInfo,
  LLMEvent,
  LLMRequest,
  LLMResponse,
  ModelClient,
  ModelPrices,
  ReportedUsage,
  ToolCall,
} from '../../llm/types.ts';
import { newCallId } from '../../session/ids.ts';

/** One scripted answer: a reply, a wire error, or a function of the request. */
export type Script = LLMResponse | ScriptedFault | ScriptFunction;
export interface ScriptedFault {
  readonly error: LLMErrorInfo;
  readonly partial?: LLMResponse;
}
export type ScriptFunction = (
  request: LLMRequest,
  options: CallOptions,
) => Promise<LLMResponse | ScriptedFault>;

/** A model that answers from a list and keeps what it was asked. */
export class ScriptedClient implements ModelClient {
  readonly provider = 'scripted';
  readonly model = 'scripted-1';
  readonly replayKey = 'scripted';
  contextWindow = 128_000;
  readonly windowKnown = true;
  outputLimit: number | null = null;
  prices: ModelPrices | null = { input: 0, output: 0 };
  readonly requests: LLMRequest[] = [];
  private readonly script: Script[];

  constructor(script: readonly Script[]) {
    this.script = [...script];
  }

  async *stream(request: LLMRequest, options: CallOptions = {}): AsyncIterable<LLMEvent> {
    this.requests.push({ ...request, messages: [...request.messages] });
    yield { type: 'attempt', attempt: 1, bytes: 0, request_sha256: '' };
    const next = this.script.shift() ?? reply({ text: 'script exhausted' });
    const answer = typeof next === 'function' ? await next(request, options) : next;
    yield { type: 'headers', status: 200, request_id: null, ms: 1 };
    if (!('error' in answer)) {
      if (answer.content !== '') yield { type: 'text_delta', text: answer.content };
      yield { type: 'end', response: answer, usage: answer.usage };
      return;
    }
    const partial = answer.partial ?? null;
    yield { type: 'end', response: partial, error: answer.error, usage: usage(0, 0) };
  }

  async chat(): Promise<LLMResponse> {
    throw new Error('the loop streams');
  }

  estimate(request: LLMRequest): number {
    const text = JSON.stringify([request.system, request.messages, request.tools]);
    return Math.ceil(text.length / 3.6);
  }

  supports(): boolean {
    return true;
  }

  close(): void {}
}

export function usage(input: number, output: number): ReportedUsage {
  return {
    input_tokens: input,
    output_tokens: output,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    reasoning_tokens: 0,
    estimated: false,
  };
}

export interface ReplyParts {
  readonly text?: string;
  readonly calls?: readonly ToolCall[];
  readonly finish?: LLMResponse['finish_reason'];
  readonly complete?: boolean;
  readonly usage?: ReportedUsage;
  readonly reasoning?: string;
}

export function reply(parts: ReplyParts): LLMResponse {
  const calls = parts.calls ?? [];
  const text = parts.text ?? '';
  const blocks: ContentBlock[] = [
    ...(text === '' ? [] : [{ type: 'text', text } as const]),
    ...calls.map((call) => ({ type: 'tool_call', call }) as const),
  ];
  return {
    content: text,
    reasoning: parts.reasoning ?? null,
    tool_calls: calls,
    model: 'scripted-1',
    finish_reason: parts.finish ?? (calls.length > 0 ? 'tool_calls' : 'stop'),
    raw_finish_reason: null,
    usage: parts.usage ?? usage(10, 5),
    complete: parts.complete ?? true,
    blocks,
    raw: null,
    flags: [],
    ttft_ms: 1,
    duration_ms: 2,
    attempts: 1,
    request_sha256: '',
  };
}

export function call(name: string, args: JsonObject = {}, over: Partial<ToolCall> = {}): ToolCall {
  return {
    call_id: newCallId(),
    name,
    raw_name: name,
    arguments: args,
    raw_arguments: JSON.stringify(args),
    id: 'call_0',
    index: 0,
    status: 'ok',
    repairs: [],
    source: 'structured',
    wire_seed: 'seed',
    ...over,
  };
}

export function done(args: JsonObject = {}): ToolCall {
  return call('task_done', args);
}

export function wireError(
  kind: LLMErrorInfo['kind'],
  over: Partial<LLMErrorInfo> = {},
): ScriptedFault {
  return { error: { kind, message: `scripted ${kind}`, retryable: false, ...over } };
}
