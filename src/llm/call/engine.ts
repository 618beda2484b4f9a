/** One client call: attempts, adaptations and retries until a turn or a final error. */
import { loadCodec } from '../codecs/load.ts';
import { addUsage, NO_USAGE, totalOf } from '../codecs/usage.ts';
import { isLLMError } from '../errors.ts';
import { chooseAdaptation, isForThisCallOnly, MOST_ADAPTATIONS } from '../failures/adaptations.ts';
import { countImages } from '../failures/remove-images.ts';
import { decideRetry } from '../failures/retry.ts';
import { maskText } from '../mask.ts';
import { estimateRequest } from '../tokens.ts';
import type {
  CallOptions,
  LLMErrorInfo,
  LLMEvent,
  LLMRequest,
  LLMResponse,
  ReportedUsage,
} from '../types.ts';
import { assembleResponse, usageOrEstimate } from './assemble.ts';
import { ABORTED, type AttemptOutcome, requestIdOf, runAttempt } from './attempt.ts';
import type { ClientContext } from './context.ts';
import { judge, REJECTED_FLAG } from './judge.ts';
import { type PreparedAttempt, prepareAttempt, protocolOf } from './prepare.ts';
import { rejectCalls } from './reject-calls.ts';

interface CallState {
  readonly made: Set<string>;
  readonly callStart: number;
  /** Of the request's input in tokens; made when an endpoint reports nothing. */
  readonly estimate: () => number;
  attempt: number;
  retries: number;
  waitedMs: number;
  adaptations: number;
  usage: ReportedUsage;
  /** What had arrived when the last attempt failed. */
  partial: LLMResponse | null;
}

type Step = 'again' | { readonly response: LLMResponse } | { readonly error: LLMErrorInfo };

/** Never throws. Exactly one `end`, last. */
export async function* runCall(
  context: ClientContext,
  request: LLMRequest,
  options: CallOptions,
  signal: AbortSignal,
): AsyncGenerator<LLMEvent, void, undefined> {
  const state: CallState = {
    made: new Set(context.memory),
    callStart: context.clock.now(),
    estimate: () => estimateRequest(request),
    attempt: 0,
    retries: 0,
    waitedMs: 0,
    adaptations: 0,
    usage: NO_USAGE,
    partial: null,
  };
  let step: Step = 'again';
  try {
    while (step === 'again') step = yield* oneAttempt(context, request, options, signal, state);
  } catch (error) {
    step = { error: unexpected(error) };
  }
  if ('response' in step) {
    yield { type: 'usage', usage: step.response.usage };
    yield { type: 'end', response: step.response, usage: state.usage };
    return;
  }
  const error = finished(step.error, context, state);
  yield { type: 'end', response: state.partial, error, usage: state.usage };
}

async function* oneAttempt(
  context: ClientContext,
  request: LLMRequest,
  options: CallOptions,
  signal: AbortSignal,
  state: CallState,
): AsyncGenerator<LLMEvent, Step, undefined> {
  const { target, config } = context;
  if (signal.aborted) return { error: abortReason(signal) };
  if (target.profile.auth.required && !config.apiKey && context.waits)
    return { error: noKey(context) };
  const protocol = protocolOf(target, state.made);
  const codec = await loadCodec(protocol);
  if (codec === undefined) return { error: noCodec(protocol) };
  const prepared = prepareAttempt(context, request, codec, state.made);
  state.attempt += 1;
  if (state.attempt === 1) {
    for (const warning of prepared.warnings) yield { type: 'warning', ...warning };
  }
  yield {
    type: 'attempt',
    attempt: state.attempt,
    bytes: prepared.body.byteLength,
    request_sha256: prepared.sha256,
  };
  const started = context.clock.now();
  const outcome = yield* runAttempt({
    context,
    prepared,
    asked: request,
    codec,
    attempt: state.attempt,
    callStart: state.callStart,
    signal,
  });
  const judgement = judge({
    outcome,
    context,
    prepared,
    estimate: state.estimate,
    hasImages: () => countImages(request) > 0,
  });
  countUsage(state, outcome);
  const assemble = (usable: boolean, decoded: AttemptOutcome['decoded']) =>
    decoded === null
      ? null
      : toResponse(context, prepared, outcome, state, decoded, usable, started);
  if (judgement.kind === 'turn') {
    const response = assemble(true, judgement.decoded);
    if (response !== null) return { response };
  }
  state.partial = outcome.receivedContent ? assemble(false, outcome.decoded) : null;
  const failed = judgement.kind === 'error' ? judgement : { error: ABORTED };
  return yield* afterFailure(context, request, options, signal, state, prepared, outcome, failed);
}

function toResponse(
  context: ClientContext,
  prepared: PreparedAttempt,
  outcome: AttemptOutcome,
  state: CallState,
  decoded: NonNullable<AttemptOutcome['decoded']>,
  usable: boolean,
  started: number,
): LLMResponse {
  const response = assembleResponse({
    decoded,
    request: prepared.request,
    profile: prepared.profile,
    model: context.target.model,
    replayKey: prepared.replayKey,
    sentLimit: prepared.sentLimit,
    estimate: state.estimate,
    newCallId: context.newCallId,
    usable,
    facts: {
      requestId: requestIdOf(outcome.headers),
      ttftMs: outcome.ttftMs,
      durationMs: context.clock.now() - started,
      attempts: state.attempt,
      requestSha256: prepared.sha256,
      flags: outcome.flags,
    },
  });
  return decoded.flags[0] === REJECTED_FLAG
    ? rejectCalls(response, decoded.flags[1] ?? '')
    : response;
}

/** An attempt counts once content or a report of the endpoint arrived. */
function countUsage(state: CallState, outcome: AttemptOutcome): void {
  const { decoded } = outcome;
  if (decoded === null) return;
  if (decoded.discardedUsage !== null) state.usage = addUsage(state.usage, decoded.discardedUsage);
  if (!outcome.receivedContent && !decoded.closed) return;
  const used = usageOrEstimate(decoded, state.estimate);
  const failedEmpty = decoded.usage === null && !outcome.receivedContent;
  if (!failedEmpty && totalOf(used) >= 0) state.usage = addUsage(state.usage, used);
}

async function* afterFailure(
  context: ClientContext,
  request: LLMRequest,
  options: CallOptions,
  signal: AbortSignal,
  state: CallState,
  prepared: PreparedAttempt,
  outcome: AttemptOutcome,
  judgement: { readonly error: LLMErrorInfo; readonly shouldRetry?: boolean },
): AsyncGenerator<LLMEvent, Step, undefined> {
  const { error } = judgement;
  const change = adaptation(context, request, state, prepared, error);
  if (change !== undefined) {
    state.made.add(change);
    state.adaptations += 1;
    if (!isForThisCallOnly(change)) context.memory.add(change);
    if (outcome.showedDeltas) yield { type: 'discard', reason: error.message };
    yield {
      type: 'warning',
      code: 'request_adapted',
      message: `the endpoint refused the request (${masked(error.message, context)}); it is sent again changed: ${change}`,
      data: { change },
    };
    return 'again';
  }
  const decision = decideRetry(
    error,
    { retries: state.retries, waitedMs: state.waitedMs },
    context.retry,
    context.random,
    judgement.shouldRetry,
  );
  if (!decision.retry) {
    return { error: decision.reason === undefined ? error : withReason(error, decision.reason) };
  }
  const delayMs = context.waits ? decision.delayMs : 0;
  const { deadline } = options;
  if (deadline !== undefined && context.clock.now() + delayMs > deadline) {
    return {
      error: withReason(error, 'the deadline of the run leaves no time for another attempt'),
    };
  }
  if (outcome.showedDeltas) yield { type: 'discard', reason: masked(error.message, context) };
  yield {
    type: 'retry',
    attempt: state.attempt,
    max_attempts: decision.maxAttempts,
    delay_ms: delayMs,
    error: finished(error, context, state),
  };
  state.retries += 1;
  state.waitedMs += delayMs;
  if (delayMs > 0) await wait(context, delayMs, signal);
  return signal.aborted ? { error: abortReason(signal) } : 'again';
}

async function wait(context: ClientContext, ms: number, signal: AbortSignal): Promise<void> {
  try {
    await context.clock.sleep(ms, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function adaptation(
  context: ClientContext,
  request: LLMRequest,
  state: CallState,
  prepared: PreparedAttempt,
  error: LLMErrorInfo,
): string | undefined {
  if (state.adaptations >= MOST_ADAPTATIONS) return undefined;
  const { target, config } = context;
  return chooseAdaptation({
    error,
    request: { ...request, toolChoice: prepared.request.toolChoice ?? 'auto' },
    profile: prepared.profile,
    foreignBaseUrl: config.baseUrl !== undefined && target.baseUrl !== target.profile.baseUrl,
    hasImages: countImages(prepared.request) > 0,
    made: state.made,
  });
}

function withReason(error: LLMErrorInfo, reason: string): LLMErrorInfo {
  return { ...error, retryable: false, message: `${error.message}; ${reason}` };
}

function masked(text: string, context: ClientContext): string {
  return maskText(text, context.secrets);
}

/** The error as it leaves: keys masked, provider, model and attempt named. */
function finished(error: LLMErrorInfo, context: ClientContext, state: CallState): LLMErrorInfo {
  return {
    ...error,
    message: masked(error.message, context),
    ...(error.excerpt === undefined ? {} : { excerpt: masked(error.excerpt, context) }),
    attempt: state.attempt,
    provider: context.target.provider,
    model: context.target.model,
  };
}

function abortReason(signal: AbortSignal): LLMErrorInfo {
  return isLLMError(signal.reason) ? signal.reason.info : ABORTED;
}

function noKey(context: ClientContext): LLMErrorInfo {
  const { provider, profile } = context.target;
  const names = profile.keyEnv.join(' or ');
  const remedy =
    names === ''
      ? 'give api_key in model_providers'
      : `set ${names}, or api_key in model_providers`;
  return {
    kind: 'auth',
    detail: 'no_key',
    retryable: false,
    phase: 'local',
    message: `no API key for provider "${provider}"; ${remedy}`,
  };
}

function noCodec(protocol: string): LLMErrorInfo {
  return {
    kind: 'bad_request',
    detail: 'no_codec',
    retryable: false,
    phase: 'local',
    message: `the protocol "${protocol}" is not available in this build`,
  };
}

function unexpected(error: unknown): LLMErrorInfo {
  if (isLLMError(error)) return error.info;
  const message = error instanceof Error ? error.message : String(error);
  return {
    kind: 'protocol',
    detail: 'internal',
    retryable: false,
    phase: 'local',
    message: `the request could not be made: ${message}`,
  };
}
