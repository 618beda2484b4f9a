/** Encoder of Chat Completions requests. */
import type { Profile } from '../../profile-types.ts';
import type { JsonObject, JsonValue, LLMRequest, ToolChoice } from '../../types.ts';
import { type BodyMember, bodyBytes, createCache } from '../body.ts';
import { promptCacheKey } from '../cache-key.ts';
import type { EncodedRequest, EncodeInput, WireWarning } from '../codec.ts';
import {
  allowedChoice,
  reasoningBudget,
  wireEffort,
  wireSampling,
  withoutDropped,
} from '../params.ts';
import { usableChoice, type WireTool, wireTools } from '../tools.ts';
import { chatMessages } from './messages.ts';

const SAMPLING_NAMES = {
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  seed: 'seed',
  stop: 'stop',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
} as const;

const FIXED = ['model', 'messages', 'tools', 'stream'];

export function encodeChat(input: EncodeInput): EncodedRequest {
  const { request, profile, history } = input;
  const offered = wireTools(history.tools, profile);
  const warnings: WireWarning[] = [...offered.warnings];
  const hasTools = offered.tools.length > 0;
  const choice = allowedChoice(usableChoice(history.choice, offered), input, warnings);
  const cacheKey = profile.cache.kind === 'key' ? promptCacheKey(request) : undefined;
  const params: JsonObject = {
    ...(hasTools ? choiceParams(choice, request, profile) : {}),
    ...(input.outputLimit === null ? {} : { [profile.tokenField]: input.outputLimit }),
    ...wireSampling(input, SAMPLING_NAMES, warnings),
    ...reasoningParams(input, warnings),
    ...formatParams(request),
    ...(cacheKey === undefined ? {} : { prompt_cache_key: cacheKey }),
    ...(profile.usageOption ? { stream_options: { include_usage: true } } : {}),
  };
  const members: BodyMember[] = [
    ['model', input.model],
    ...(hasTools ? [toolMember(offered.tools, profile)] : []),
    ['messages', undefined, chatMessages(request, history, profile), history.turns[0]],
    ...Object.entries(withoutDropped(params, profile)),
    ['stream', true],
  ];
  return { body: bodyBytes(members, request.extraBody ?? {}, FIXED), warnings };
}

const encodedTools = createCache(encodeTools);

function toolMember(tools: readonly WireTool[], profile: Profile): BodyMember {
  return ['tools', undefined, encodedTools(tools, profile)];
}

function encodeTools(tools: readonly WireTool[], profile: Profile): string[] {
  const sendsStrict = !profile.dropParams.includes('strict');
  return tools.map(({ name, description, schema, strict }) =>
    JSON.stringify({
      type: 'function',
      function: {
        name,
        description,
        parameters: schema,
        ...(strict && sendsStrict ? { strict: true } : {}),
      },
    }),
  );
}

function choiceParams(choice: ToolChoice, request: LLMRequest, profile: Profile): JsonObject {
  const value: JsonValue =
    typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.name } };
  const parallel = request.parallelToolCalls;
  return {
    ...(choice === 'auto' ? {} : { tool_choice: value }),
    ...(parallel === undefined || !profile.parallelField ? {} : { parallel_tool_calls: parallel }),
  };
}

function formatParams(request: LLMRequest): JsonObject {
  if (request.responseSchema === undefined) return {};
  const { name, schema, strict } = request.responseSchema;
  return { response_format: { type: 'json_schema', json_schema: { name, schema, strict } } };
}

/** Nothing is sent unless the request asks: the vendor's default holds. */
function reasoningParams(input: EncodeInput, warnings: WireWarning[]): JsonObject {
  const { request, profile, outputLimit } = input;
  if (request.reasoning === undefined) return {};
  const { effort, budgetTokens } = request.reasoning;
  const off = effort === 'none' || budgetTokens === 0;
  switch (profile.reasoning.style) {
    case 'effort': {
      const level = wireEffort(request, profile, warnings);
      return level === undefined ? {} : { reasoning_effort: level };
    }
    case 'openrouter': {
      if (budgetTokens !== undefined) {
        return { reasoning: { max_tokens: reasoningBudget(request, outputLimit) ?? budgetTokens } };
      }
      const level = wireEffort(request, profile, warnings);
      return level === undefined ? {} : { reasoning: { effort: level } };
    }
    case 'enable_thinking': {
      if (effort === undefined && budgetTokens === undefined) return {};
      const budget = reasoningBudget(request, outputLimit) ?? 0;
      return off ? { enable_thinking: false } : { enable_thinking: true, thinking_budget: budget };
    }
    case 'thinking':
    case 'thinking_kept':
    case 'thinking_effort':
      return thinkingParams(input, off, warnings);
    default:
      return {};
  }
}

function thinkingParams(input: EncodeInput, off: boolean, warnings: WireWarning[]): JsonObject {
  const { request, profile } = input;
  const { effort, budgetTokens } = request.reasoning ?? {};
  if (effort === undefined && budgetTokens === undefined) return {};
  if (off) return { thinking: { type: 'disabled' } };
  const kept = profile.reasoning.style === 'thinking_kept' ? { clear_thinking: false } : {};
  const thinking = { thinking: { type: 'enabled', ...kept } };
  if (profile.reasoning.style !== 'thinking_effort') return thinking;
  const level = wireEffort(request, profile, warnings);
  return level === undefined ? thinking : { ...thinking, reasoning_effort: level };
}
