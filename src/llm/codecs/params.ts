/** Sampling, reasoning and choice values as a vendor takes them, with a warning for each that cannot be sent. */
import type { Profile } from '../profile-types.ts';
import type { JsonObject, LLMRequest, ReasoningEffort, ToolChoice } from '../types.ts';
import type { EncodeInput, WireWarning } from './codec.ts';

const EFFORTS: readonly string[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

const BUDGETS: Readonly<Record<ReasoningEffort, number>> = {
  none: 0,
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  max: 32_768,
};

/** Reasoning was asked for, not merely mentioned with effort `none`. */
export function asksReasoning(request: LLMRequest): boolean {
  const { effort, budgetTokens } = request.reasoning ?? {};
  return (effort !== undefined && effort !== 'none') || (budgetTokens ?? 0) > 0;
}

/** The level to send, or undefined when none was asked. A level the vendor lacks becomes the nearest lower one. */
export function wireEffort(
  request: LLMRequest,
  profile: Profile,
  warnings: WireWarning[],
): string | undefined {
  const asked = request.reasoning?.effort ?? effortOfBudget(request.reasoning?.budgetTokens);
  if (asked === undefined) return undefined;
  const { efforts } = profile.reasoning;
  if (efforts.includes(asked)) return asked;
  const rank = EFFORTS.indexOf(asked);
  const lower = EFFORTS.slice(0, rank).findLast((level) => efforts.includes(level));
  const chosen = lower ?? EFFORTS.find((level) => efforts.includes(level));
  if (chosen === undefined) return undefined;
  warnings.push({
    code: 'reasoning_effort_changed',
    message: `reasoning effort "${asked}" is not known to this model; "${chosen}" is sent`,
  });
  return chosen;
}

function effortOfBudget(budget: number | undefined): ReasoningEffort | undefined {
  if (budget === undefined) return undefined;
  if (budget <= 0) return 'none';
  const levels: readonly ReasoningEffort[] = ['minimal', 'low', 'medium', 'high', 'max'];
  return levels.find((level) => BUDGETS[level] >= budget) ?? 'max';
}

/** Tokens of reasoning to ask for, kept below the output limit; undefined when none was asked. */
export function reasoningBudget(
  request: LLMRequest,
  outputLimit: number | null,
): number | undefined {
  const { effort, budgetTokens } = request.reasoning ?? {};
  const wanted = budgetTokens ?? (effort === undefined ? undefined : BUDGETS[effort]);
  if (wanted === undefined || outputLimit === null) return wanted;
  return Math.min(wanted, outputLimit - 1);
}

/** Sampling values by their name on the wire, in a fixed order, without those that may not be sent. */
export function wireSampling(
  input: EncodeInput,
  names: Readonly<Partial<Record<keyof NonNullable<LLMRequest['sampling']>, string>>>,
  warnings: WireWarning[],
): JsonObject {
  const { request, profile } = input;
  const thinking = asksReasoning(request) && !profile.samplingWithThinking;
  const sent: JsonObject = {};
  for (const key of SAMPLING_ORDER) {
    const value = request.sampling?.[key];
    if (value === undefined) continue;
    const name = names[key];
    const refused = REFUSED_BY_REASONING_MODELS.has(key) && !input.modelFacts.sampling;
    if (name === undefined || refused || thinking || profile.dropParams.includes(name)) {
      warnings.push({
        code: 'param_dropped',
        message: `sampling value "${key}" is not sent: ${thinking ? 'it may not stand beside reasoning' : 'this model does not take it'}`,
      });
      continue;
    }
    sent[name] = typeof value === 'number' ? value : [...value];
  }
  return sent;
}

const SAMPLING_ORDER = [
  'temperature',
  'topP',
  'topK',
  'seed',
  'stop',
  'presencePenalty',
  'frequencyPenalty',
] as const;

const REFUSED_BY_REASONING_MODELS = new Set<string>([
  'temperature',
  'topP',
  'topK',
  'stop',
  'presencePenalty',
  'frequencyPenalty',
]);

/** A forced choice beside reasoning becomes `auto` where the vendor refuses the pair. */
export function allowedChoice(
  choice: ToolChoice,
  input: EncodeInput,
  warnings: WireWarning[],
): ToolChoice {
  const forced = choice === 'required' || typeof choice === 'object';
  const reasons = asksReasoning(input.request) || input.modelFacts.reasons;
  if (!forced || !reasons || input.profile.reasoning.forcedChoice === 'ok') return choice;
  warnings.push({
    code: 'tool_choice_downgraded',
    message: 'a forced tool call may not stand beside reasoning here; the model is left to choose',
  });
  return 'auto';
}

/** The values without those the profile never sends. */
export function withoutDropped(values: JsonObject, profile: Profile): JsonObject {
  if (profile.dropParams.length === 0) return values;
  return Object.fromEntries(
    Object.entries(values).filter(([name]) => !profile.dropParams.includes(name)),
  );
}
