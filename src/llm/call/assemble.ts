/** Makes the response of a turn from what the codec decoded. */
import type { DecodedBlock, DecodedCall, DecodedTurn } from '../codecs/codec.ts';
import type { Profile } from '../profile-types.ts';
import { estimateText } from '../tokens.ts';
import type {
  ContentBlock,
  FinishReason,
  LLMRequest,
  LLMResponse,
  ReportedUsage,
} from '../types.ts';
import { createCallParser, cutByLimit } from './parse-calls.ts';

export interface TurnFacts {
  readonly requestId: string | null;
  readonly ttftMs: number | null;
  readonly durationMs: number;
  readonly attempts: number;
  readonly requestSha256: string;
  readonly flags: readonly string[];
}

export interface AssembleInput {
  readonly decoded: DecodedTurn;
  readonly request: LLMRequest;
  readonly profile: Profile;
  readonly model: string;
  readonly replayKey: string;
  /** The output limit that was sent, or null. */
  readonly sentLimit: number | null;
  /** Estimated input of the request in tokens. */
  readonly estimate: () => number;
  readonly newCallId: () => string;
  readonly facts: TurnFacts;
  /** False: the attempt failed or was aborted; what had arrived is kept, its calls are cut. */
  readonly usable: boolean;
}

const RUNNABLE: readonly FinishReason[] = ['stop', 'tool_calls', 'unknown', 'pause'];
const ENDED_BY_ITSELF: readonly FinishReason[] = ['stop', 'tool_calls'];

export function assembleResponse(input: AssembleInput): LLMResponse {
  const { decoded, profile, request, facts } = input;
  const stated = statedFinish(input);
  const complete = input.usable && decoded.closed;
  const parser = createCallParser({
    request,
    profile,
    runnable: complete && RUNNABLE.includes(stated),
    unrepairedOnly: stated === 'unknown',
    outputBelowLimit: isBelowLimit(decoded.usage, input.sentLimit),
    newCallId: input.newCallId,
  });
  const blocks = decoded.blocks.flatMap((block): ContentBlock[] =>
    block.type === 'call'
      ? parser.parse(block).map((call) => ({ type: 'tool_call', call }))
      : [block],
  );
  const calls = blocks.flatMap((block) => (block.type === 'tool_call' ? [block.call] : []));
  const repeated = calls.some((call) => call.repairs.includes('duplicate_arguments'));
  const reasoning = textOf(blocks, 'reasoning');
  return {
    content: textOf(blocks, 'text'),
    reasoning: reasoning === '' ? null : reasoning,
    tool_calls: calls,
    model: input.model,
    finish_reason: calls.length > 0 && ['stop', 'pause'].includes(stated) ? 'tool_calls' : stated,
    raw_finish_reason: decoded.stop?.raw ?? null,
    usage: usageOrEstimate(decoded, input.estimate),
    complete,
    blocks,
    raw:
      complete && decoded.raw !== null
        ? { replay_key: input.replayKey, protocol: profile.protocol, value: decoded.raw }
        : null,
    ...(decoded.servedModel === undefined ? {} : { served_model: decoded.servedModel }),
    ...(decoded.responseId === undefined ? {} : { response_id: decoded.responseId }),
    ...(facts.requestId === null ? {} : { request_id: facts.requestId }),
    flags: [...facts.flags, ...decoded.flags, ...(repeated ? ['duplicate_arguments'] : [])],
    ttft_ms: facts.ttftMs,
    duration_ms: facts.durationMs,
    attempts: facts.attempts,
    request_sha256: facts.requestSha256,
  };
}

function statedFinish({ decoded, sentLimit }: AssembleInput): FinishReason {
  if (decoded.stop?.kind !== 'reason') return 'unknown';
  const { finish } = decoded.stop;
  const calls = decoded.blocks.filter(isCall);
  const cut = ENDED_BY_ITSELF.includes(finish) && cutByLimit(calls, decoded.usage, sentLimit);
  return cut ? 'length' : finish;
}

function isCall(block: DecodedBlock): block is DecodedCall {
  return block.type === 'call';
}

function isBelowLimit(usage: ReportedUsage | null, limit: number | null): boolean {
  return usage !== null && (limit === null || usage.output_tokens < limit);
}

function textOf(blocks: readonly ContentBlock[], type: 'text' | 'reasoning'): string {
  return blocks.map((block) => (block.type === type ? block.text : '')).join('');
}

/** Where nothing was reported, an estimate from the request and what arrived. */
export function usageOrEstimate(decoded: DecodedTurn, estimate: () => number): ReportedUsage {
  if (decoded.usage !== null) return decoded.usage;
  let output = 0;
  let reasoning = 0;
  for (const block of decoded.blocks) {
    if (block.type === 'reasoning') reasoning += estimateText(block.text);
    else if (block.type === 'text' || block.type === 'refusal') output += estimateText(block.text);
    else if (block.type === 'call') output += estimateText(callText(block));
  }
  return {
    input_tokens: estimate(),
    output_tokens: output + reasoning,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    reasoning_tokens: reasoning,
    estimated: true,
  };
}

function callText(call: DecodedCall): string {
  const { argumentsValue } = call;
  const text =
    typeof argumentsValue === 'string' ? argumentsValue : JSON.stringify(argumentsValue ?? {});
  return call.name + text;
}
