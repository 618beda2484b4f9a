import type { ModelClient } from '../../llm/types.ts';

export interface ContextLimits {
  readonly window: number;
  readonly reserve: number;
  /** Input above this does not fit. */
  readonly hard: number;
  /** Input above this is made smaller before the next call. */
  readonly soft: number;
}

const LARGEST_DEFAULT_RESERVE = 8192;

/** Limits in tokens for a window; `outputLimit` is what will be sent, null when nothing is. */
export function contextLimits(window: number, outputLimit: number | null): ContextLimits {
  const wanted = outputLimit ?? Math.min(LARGEST_DEFAULT_RESERVE, window / 8);
  const reserve = Math.floor(Math.min(wanted, window / 2));
  const hard = Math.floor(window - reserve - window * 0.02);
  return { window, reserve, hard, soft: Math.floor(hard * 0.8) };
}

export function limitsOf(client: ModelClient, learnedWindow: number | null): ContextLimits {
  return contextLimits(learnedWindow ?? client.contextWindow, client.outputLimit);
}
