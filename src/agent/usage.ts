import type { LLMUsage } from '../llm/types.ts';

export const NO_USAGE: LLMUsage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  reasoning_tokens: 0,
};

export function addUsage(a: LLMUsage, b: LLMUsage): LLMUsage {
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    cache_creation_input_tokens: a.cache_creation_input_tokens + b.cache_creation_input_tokens,
    cache_read_input_tokens: a.cache_read_input_tokens + b.cache_read_input_tokens,
    reasoning_tokens: a.reasoning_tokens + b.reasoning_tokens,
  };
}

/** Tokens that went in, cached or not. */
export function inputTotal(usage: LLMUsage): number {
  return usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;
}

/** What `limits.max_tokens` counts: the four disjoint figures. */
export function tokenTotal(usage: LLMUsage): number {
  return inputTotal(usage) + usage.output_tokens;
}
