/** Encoder of Anthropic Messages requests. */
import { anthropicMarks } from '../../cache-marks.ts';
import type { Profile } from '../../profile-types.ts';
import type { JsonObject, LLMRequest, ToolChoice } from '../../types.ts';
import { type BodyMember, bodyBytes } from '../body.ts';
import type { EncodedRequest, EncodeInput, WireWarning } from '../codec.ts';
import {
  allowedChoice,
  asksReasoning,
  reasoningBudget,
  wireEffort,
  wireSampling,
  withoutDropped,
} from '../params.ts';
import { usableChoice, type WireTool, wireTools } from '../tools.ts';
import { anthropicMessages, markedJson, type WireMessage, wireMessage } from './messages.ts';

const SAMPLING_NAMES = {
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  stop: 'stop_sequences',
} as const;

const FIXED = ['model', 'messages', 'tools', 'system', 'stream'];

/** Sent when neither configuration nor model table says more. The endpoint demands a limit. */
const DEFAULT_LIMIT = 8192;
const SMALLEST_BUDGET = 1024;

export function encodeAnthropic(input: EncodeInput): EncodedRequest {
  const { request, profile, history } = input;
  const offered = wireTools(history.tools, profile);
  const warnings: WireWarning[] = [...offered.warnings];
  const choice = allowedChoice(usableChoice(history.choice, offered), input, warnings);
  const system = request.system.filter((block) => block.text.trim() !== '');
  const messages = history.turns.map((turn) => wireMessage(turn, profile));
  const marks = marksOf(input, offered.tools.length, system.length, messages);
  const ttl = marks.prefixTtl === '1h' ? { ttl: '1h' } : {};
  const mark = { type: 'ephemeral', ...ttl };
  const params: JsonObject = {
    max_tokens: input.outputLimit ?? DEFAULT_LIMIT,
    ...(offered.tools.length > 0 ? choiceParams(choice, request, profile) : {}),
    ...samplingParams(input, warnings),
    ...reasoningParams(input, warnings),
  };
  const members: BodyMember[] = [
    ['model', input.model],
    ...toolMember(offered.tools, marks.lastTool ? mark : null),
    ...systemMember(system, marks.lastSystem ? mark : null),
    ['messages', undefined, anthropicMessages(messages, marks.blocks), history.turns[0]],
    ...Object.entries(withoutDropped(params, profile)),
    ['stream', true],
  ];
  return { body: bodyBytes(members, request.extraBody ?? {}, FIXED), warnings };
}

function marksOf(
  { request, profile, history }: EncodeInput,
  toolCount: number,
  systemCount: number,
  messages: readonly WireMessage[],
) {
  const wanted =
    profile.cache.kind === 'breakpoints' ? (request.cache?.retention ?? 'short') : 'none';
  return anthropicMarks({
    toolCount,
    systemCount,
    messages: messages.map((message) => message.marks),
    previousTail: previousTail(
      history.turns.map((turn) => turn.role),
      messages,
    ),
    retention: wanted,
  });
}

/** The request before this one ended where the last reply begins. */
function previousTail(roles: readonly string[], messages: readonly WireMessage[]): number | null {
  const lastReply = roles.lastIndexOf('assistant');
  if (lastReply < 0) return null;
  return messages.slice(0, lastReply).reduce((sum, message) => sum + message.blocks.length, 0);
}

function toolMember(tools: readonly WireTool[], mark: JsonObject | null): BodyMember[] {
  if (tools.length === 0) return [];
  const entries = tools.map(({ name, description, schema }, index) => {
    const json = JSON.stringify({ name, description, input_schema: schema });
    return mark !== null && index === tools.length - 1 ? markedJson(json, mark) : json;
  });
  return [['tools', undefined, entries]];
}

function systemMember(
  system: readonly { readonly text: string }[],
  mark: JsonObject | null,
): BodyMember[] {
  if (system.length === 0) return [];
  const entries = system.map(({ text }, index) => {
    const json = JSON.stringify({ type: 'text', text });
    return mark !== null && index === system.length - 1 ? markedJson(json, mark) : json;
  });
  return [['system', undefined, entries]];
}

function choiceParams(choice: ToolChoice, request: LLMRequest, profile: Profile): JsonObject {
  const serial = request.parallelToolCalls === false && profile.parallelField && choice !== 'none';
  if (choice === 'auto' && !serial) return {};
  const value: JsonObject =
    typeof choice === 'object'
      ? { type: 'tool', name: choice.name }
      : { type: choice === 'required' ? 'any' : choice };
  return { tool_choice: { ...value, ...(serial ? { disable_parallel_tool_use: true } : {}) } };
}

/** Of temperature and top_p only one may be sent. */
function samplingParams(input: EncodeInput, warnings: WireWarning[]): JsonObject {
  const sent = wireSampling(input, SAMPLING_NAMES, warnings);
  if (sent.temperature === undefined || sent.top_p === undefined) return sent;
  warnings.push({
    code: 'param_dropped',
    message: 'sampling value "topP" is not sent: only one of temperature and top_p may be given',
  });
  const { top_p: _, ...rest } = sent;
  return rest;
}

function reasoningParams(input: EncodeInput, warnings: WireWarning[]): JsonObject {
  const format = formatParam(input, warnings);
  const asked = asksReasoning(input.request);
  const { style } = input.profile.reasoning;
  if (asked && style === 'anthropic_adaptive') {
    const effort = wireEffort(input.request, input.profile, warnings);
    return {
      thinking: { type: 'adaptive' },
      output_config: { ...(effort === undefined ? {} : { effort }), ...format },
    };
  }
  const config = format === undefined ? {} : { output_config: format };
  if (!asked || style !== 'anthropic_budget') return config;
  const budget = reasoningBudget(input.request, input.outputLimit ?? DEFAULT_LIMIT) ?? 0;
  if (budget >= SMALLEST_BUDGET) {
    return { thinking: { type: 'enabled', budget_tokens: budget }, ...config };
  }
  warnings.push({
    code: 'param_dropped',
    message: `reasoning is not asked for: the output limit leaves fewer than ${SMALLEST_BUDGET} tokens`,
  });
  return config;
}

function formatParam(input: EncodeInput, warnings: WireWarning[]): JsonObject | undefined {
  const { responseSchema } = input.request;
  if (responseSchema === undefined) return undefined;
  if (input.modelFacts.outputConfig) {
    return { format: { type: 'json_schema', schema: responseSchema.schema } };
  }
  warnings.push({
    code: 'param_dropped',
    message: 'the answer schema is not sent: this model does not take one',
  });
  return undefined;
}
