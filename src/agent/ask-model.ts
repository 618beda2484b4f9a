import type {
  LLMErrorInfo,
  LLMEvent,
  LLMMessage,
  LLMRequest,
  LLMResponse,
  ReportedUsage,
  RequestPurpose,
} from '../llm/types.ts';
import { newMessageId } from '../session/ids.ts';
import { LiveDeltas } from './live-deltas.ts';
import type { RunState } from './run-state.ts';
import { tokenTotal } from './usage.ts';

export interface Question {
  readonly purpose: RequestPurpose;
  readonly messages: readonly LLMMessage[];
  readonly toolChoice?: 'none';
  readonly maxOutputTokens?: number;
}

/** What came of one call of the model. Nothing is thrown: a fault is data. */
export interface Asked {
  readonly messageId: string;
  readonly response: LLMResponse | null;
  readonly error: LLMErrorInfo | null;
  /** An urgent message of the user stopped the reply. */
  readonly interrupted: boolean;
  readonly usage: ReportedUsage;
  readonly costUsd: number | null;
}

type End = Extract<LLMEvent, { type: 'end' }>;

/** How long a client may take to end after its signal was aborted, before it is left alone. */
const ABORT_GRACE_MS = 500;

/**
 * One call of the model: streams its events into the log, counts usage and cost, and writes `llm_response` before
 * anything is done with the reply.
 */
export async function askModel(run: RunState, question: Question): Promise<Asked> {
  const messageId = newMessageId();
  const stop = new AbortController();
  const releaseRun = follow(run.controller.signal, stop);
  const release = run.queue.whileInterruptible(() => stop.abort('now'));
  const { signal } = stop;
  const estimated = run.context.tokens;
  const end = await consume(run, question, messageId, signal);
  release();
  releaseRun();
  const costUsd = run.budgets.addCall(end.usage, run.client.prices);
  const asked: Asked = {
    messageId,
    response: end.response,
    error: end.error ?? null,
    interrupted: stop.signal.aborted && !run.controller.signal.aborted,
    usage: end.usage,
    costUsd,
  };
  writeResponse(run, question, asked, estimated);
  return asked;
}

/** Aborts the controller with the signal. Unlike AbortSignal.any it leaves nothing behind on a signal that lives long. */
function follow(signal: AbortSignal, controller: AbortController): () => void {
  const abort = () => controller.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return () => signal.removeEventListener('abort', abort);
}

/** Was the reply stopped before its end, by a fault, a cancel or an urgent message? */
export function isPartial(asked: Asked): boolean {
  return asked.error !== null || asked.interrupted;
}

/** The text of a stopped reply; its calls are dropped. */
export function partialText(response: LLMResponse | null): string {
  return response?.content ?? '';
}

async function consume(
  run: RunState,
  question: Question,
  messageId: string,
  signal: AbortSignal,
): Promise<End> {
  const deadline = run.budgets.deadline;
  const options = deadline === null ? { signal } : { signal, deadline };
  const stream = run.client.stream(requestFor(run, question), options);
  const reading = readToEnd(run, question.purpose, messageId, stream);
  return Promise.race([reading, abandoned(signal)]);
}

function requestFor(run: RunState, question: Question): LLMRequest {
  return {
    system: run.system,
    messages: question.messages,
    tools: run.tools,
    resolve: (name) => run.offered.find(name)?.tool.name ?? null,
    ...(question.toolChoice === undefined ? {} : { toolChoice: question.toolChoice }),
    ...(question.maxOutputTokens === undefined
      ? {}
      : { maxOutputTokens: question.maxOutputTokens }),
    cache: { key: run.sessionId, retention: run.cacheRetention },
    purpose: question.purpose,
    sessionId: run.sessionId,
  };
}

async function readToEnd(
  run: RunState,
  purpose: RequestPurpose,
  messageId: string,
  stream: AsyncIterable<LLMEvent>,
): Promise<End> {
  const deltas = purpose === 'step' ? new LiveDeltas(run, messageId) : null;
  for await (const event of stream) {
    if (event.type === 'end') {
      deltas?.end();
      return event;
    }
    show(run, purpose, event);
    deltas?.show(event);
  }
  return endWith('protocol', 'The model client ended without a result.');
}

function show(run: RunState, purpose: RequestPurpose, event: LLMEvent): void {
  const { log, scope } = run;
  if (event.type === 'headers') run.requestLeft();
  if (event.type === 'attempt')
    log.emit(scope, 'llm_request', {
      purpose,
      attempt: event.attempt,
      estimated_tokens: run.context.tokens,
    });
  if (event.type === 'retry') {
    const { attempt, max_attempts, delay_ms, error } = event;
    const { kind, message } = error;
    log.append(scope, 'retry', {
      attempt,
      max_attempts,
      delay_ms,
      error: { kind, status: error.status ?? null, message },
    });
  }
  if (event.type === 'warning')
    log.append(scope, 'warning', { code: event.code, message: event.message });
}

function abandoned(signal: AbortSignal): Promise<End> {
  return new Promise((resolve) => {
    const giveUp = () =>
      setTimeout(() => resolve(endWith('aborted', 'The call was stopped.')), ABORT_GRACE_MS);
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
  });
}

function endWith(kind: 'aborted' | 'protocol', message: string): End {
  return {
    type: 'end',
    response: null,
    error: { kind, message, retryable: false },
    usage: {
      input_tokens: 0,
      output_tokens: 0,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      reasoning_tokens: 0,
      estimated: true,
    },
  };
}

function writeResponse(run: RunState, question: Question, asked: Asked, estimated: number): void {
  const partial = isPartial(asked);
  const { response } = asked;
  if (response === null && tokenTotal(asked.usage) === 0) return;
  const text = partialText(response);
  const kept = text === '' ? [] : [{ type: 'text' as const, text }];
  run.log.append(run.scope, 'llm_response', {
    ...storedResponse(run, asked, partial),
    purpose: question.purpose,
    message_id: asked.messageId,
    provider: run.client.provider,
    model: run.client.model,
    content: partial || response === null ? kept : response.blocks,
    cost_usd: asked.costUsd,
    partial,
    estimated_tokens: estimated,
  });
}

function storedResponse(run: RunState, asked: Asked, partial: boolean) {
  if (asked.response === null)
    return {
      reasoning: null,
      model: run.client.model,
      finish_reason: 'unknown' as const,
      raw_finish_reason: null,
      usage: asked.usage,
      complete: false,
      raw: null,
      flags: [],
      ttft_ms: null,
      duration_ms: 0,
      attempts: asked.error?.attempt ?? 1,
      request_sha256: '',
    };
  const { blocks: _blocks, content: _content, tool_calls: _calls, ...rest } = asked.response;
  return { ...rest, usage: asked.usage, ...(partial ? { raw: null, complete: false } : {}) };
}
