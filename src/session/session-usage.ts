/** Sums of tokens and cost. Costs are added in whole nano-dollars, so that the order of adding does not matter. */
import type { LLMUsage } from '../llm/types.ts';

export interface Spent {
  readonly usage: LLMUsage;
  /** Null as soon as one call in it has no known price. */
  readonly cost_usd: number | null;
  /** The part whose price is known. */
  readonly cost_known_usd: number;
}

export const NOTHING_SPENT: Spent = {
  usage: {
    input_tokens: 0,
    output_tokens: 0,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    reasoning_tokens: 0,
  },
  cost_usd: 0,
  cost_known_usd: 0,
};

/** Only the five counts, without what a provider reports beside them. */
export function plainUsage(usage: LLMUsage): LLMUsage {
  return {
    input_tokens: usage.input_tokens,
    output_tokens: usage.output_tokens,
    cache_creation_input_tokens: usage.cache_creation_input_tokens,
    cache_read_input_tokens: usage.cache_read_input_tokens,
    reasoning_tokens: usage.reasoning_tokens,
  };
}

function addUsage(a: LLMUsage, b: LLMUsage): LLMUsage {
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    cache_creation_input_tokens: a.cache_creation_input_tokens + b.cache_creation_input_tokens,
    cache_read_input_tokens: a.cache_read_input_tokens + b.cache_read_input_tokens,
    reasoning_tokens: a.reasoning_tokens + b.reasoning_tokens,
  };
}

const NANO = 1e9;

function addUsd(a: number, b: number): number {
  return (Math.round(a * NANO) + Math.round(b * NANO)) / NANO;
}

export function addSpent(a: Spent, b: Spent): Spent {
  return {
    usage: addUsage(a.usage, b.usage),
    cost_usd: a.cost_usd === null || b.cost_usd === null ? null : addUsd(a.cost_usd, b.cost_usd),
    cost_known_usd: addUsd(a.cost_known_usd, b.cost_known_usd),
  };
}

export function spentBy(usage: LLMUsage, costUsd: number | null): Spent {
  return { usage: plainUsage(usage), cost_usd: costUsd, cost_known_usd: costUsd ?? 0 };
}
