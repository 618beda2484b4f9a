/** Decides what the outcome of an attempt means: a response, or an error with its class. */
import type { DecodedTurn } from '../codecs/codec.ts';
import { classifyError } from '../failures/classify.ts';
import { type ErrorFacts, readErrorText, readErrorValue } from '../failures/error-body.ts';
import { readRetryHint } from '../failures/hints.ts';
import { readOverflow } from '../failures/overflow.ts';
import type { LLMErrorInfo } from '../types.ts';
import { type AttemptOutcome, requestIdOf } from './attempt.ts';
import type { ClientContext } from './context.ts';
import type { PreparedAttempt } from './prepare.ts';

export type Judgement =
  | { readonly kind: 'turn'; readonly decoded: DecodedTurn }
  | { readonly kind: 'error'; readonly error: LLMErrorInfo; readonly shouldRetry?: boolean };

export interface JudgeInput {
  readonly outcome: AttemptOutcome;
  readonly context: ClientContext;
  readonly prepared: PreparedAttempt;
  /** Asked only when an error must be classified. */
  readonly estimate: () => number;
  readonly hasImages: () => boolean;
}

export function judge(input: JudgeInput): Judgement {
  const { outcome } = input;
  if (outcome.refusal !== null) {
    const facts = readErrorText(outcome.refusal.text);
    return fromFacts(input, facts, outcome.refusal.status, outcome.refusal.text);
  }
  if (outcome.error !== null) return { kind: 'error', error: outcome.error };
  return outcome.decoded === null
    ? { kind: 'error', error: protocol('empty_body', 'the endpoint sent nothing') }
    : fromTurn(input, outcome.decoded);
}

function fromTurn(input: JudgeInput, decoded: DecodedTurn): Judgement {
  const { stop } = decoded;
  if (!decoded.closed || stop === null) {
    return { kind: 'error', error: streamCut() };
  }
  switch (stop.kind) {
    case 'error':
      return fromFacts(input, readErrorValue(stop.body), null, JSON.stringify(stop.body));
    case 'malformed_call':
      return {
        kind: 'error',
        error: protocol(
          'malformed_call',
          `the model wrote a call its endpoint could not read (${stop.raw})`,
        ),
      };
    case 'overflow':
      return { kind: 'error', error: overflow('the context window is full', '') };
    case 'reason':
      return isSilentOverflow(input, decoded)
        ? {
            kind: 'error',
            error: overflow('the reply has no room: the context window is full', ''),
          }
        : { kind: 'turn', decoded };
  }
}

/** Cut at the length limit before the first token, with an input that fills the window. */
function isSilentOverflow({ context }: JudgeInput, { stop, usage }: DecodedTurn): boolean {
  if (stop?.kind !== 'reason' || stop.finish !== 'length' || usage === null || usage.estimated)
    return false;
  const { target } = context;
  const input =
    usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
  return usage.output_tokens === 0 && target.windowKnown && input >= target.contextWindow * 0.98;
}

const EXCERPT = 2000;

function fromFacts(
  input: JudgeInput,
  facts: ErrorFacts,
  status: number | null,
  excerpt: string,
): Judgement {
  const { outcome, prepared } = input;
  const refused = refusedArguments(input, facts);
  if (refused !== undefined) return refused;
  if (isFilter(facts)) return { kind: 'turn', decoded: filteredTurn(facts) };
  const found = classifyError({
    facts,
    status,
    estimate: input.estimate(),
    hasImages: input.hasImages(),
    quotaCodes: prepared.profile.quotaCodes,
    overflowPhrases: prepared.profile.overflowPhrases,
  });
  const hint = readRetryHint(outcome.headers, facts);
  const requestId = requestIdOf(outcome.headers);
  const said = outcome.headers['x-should-retry'];
  const message = status === null ? facts.message : `${facts.message} (HTTP ${status})`;
  return {
    kind: 'error',
    error: {
      kind: found.kind,
      message,
      retryable: found.retryable,
      ...(status === null ? {} : { status }),
      ...(found.detail === undefined ? {} : { detail: found.detail }),
      ...(found.overflow === undefined ? {} : { overflow: found.overflow }),
      ...(facts.code === undefined ? {} : { code: facts.code }),
      ...(facts.type === undefined ? {} : { type: facts.type }),
      ...(facts.param === undefined ? {} : { param: facts.param }),
      ...(requestId === null ? {} : { request_id: requestId }),
      ...(hint === undefined ? {} : { retry_after_ms: hint }),
      phase: status === null ? 'stream' : 'headers',
      excerpt: excerpt.slice(0, EXCERPT),
    },
    ...(said === undefined ? {} : { shouldRetry: said.trim().toLowerCase() !== 'false' }),
  };
}

/** The endpoint could not take the arguments the model wrote: they are fed back as a call that was not run. */
function refusedArguments({ prepared }: JudgeInput, facts: ErrorFacts): Judgement | undefined {
  const { refusalCodes } = prepared.profile;
  const words = [facts.code, facts.type];
  if (!words.some((word) => word !== undefined && refusalCodes.includes(word))) return undefined;
  if (facts.failedGeneration !== undefined && facts.failedGeneration.trim() !== '') {
    return { kind: 'turn', decoded: rejectedTurn(facts, facts.failedGeneration) };
  }
  return {
    kind: 'error',
    error: {
      kind: 'bad_request',
      detail: 'refused_arguments',
      retryable: true,
      phase: 'stream',
      message: facts.message,
    },
  };
}

/** Marks a decoded call as refused by the provider, with its words. */
export const REJECTED_FLAG = 'provider_rejected';

function rejectedTurn(facts: ErrorFacts, generation: string): DecodedTurn {
  const name =
    /"name"\s*:\s*"([^"]+)"/.exec(generation)?.[1] ?? /<function=([\w.-]+)/.exec(generation)?.[1];
  return {
    ...emptyTurn(),
    blocks: [{ type: 'call', id: null, name: name ?? '', argumentsValue: generation, index: 0 }],
    stop: { kind: 'reason', finish: 'tool_calls', raw: facts.code ?? null },
    flags: [REJECTED_FLAG, facts.message],
  };
}

function isFilter(facts: ErrorFacts): boolean {
  return facts.code === 'content_filter' || facts.code === 'ResponsibleAIPolicyViolation';
}

/** The prompt itself was filtered: a turn without content, ended for that reason. */
function filteredTurn(facts: ErrorFacts): DecodedTurn {
  return {
    ...emptyTurn(),
    blocks: [{ type: 'refusal', text: facts.message }],
    stop: { kind: 'reason', finish: 'content_filter', raw: facts.code ?? null },
  };
}

function emptyTurn(): DecodedTurn {
  return {
    blocks: [],
    closed: true,
    stop: null,
    usage: null,
    discardedUsage: null,
    raw: null,
    flags: [],
    callsConfirmed: true,
  };
}

export function streamCut(): LLMErrorInfo {
  return {
    kind: 'network',
    detail: 'stream_cut',
    retryable: true,
    phase: 'stream',
    message: 'the stream ended before the reply was complete',
  };
}

function protocol(detail: string, message: string): LLMErrorInfo {
  return { kind: 'protocol', detail, retryable: true, phase: 'decode', message };
}

function overflow(message: string, text: string): LLMErrorInfo {
  return {
    kind: 'overflow',
    retryable: false,
    phase: 'stream',
    message,
    overflow: readOverflow(text),
  };
}
