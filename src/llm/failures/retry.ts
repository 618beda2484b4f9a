/** Decides whether and when a failed attempt is made again. */
import type { LLMErrorInfo } from '../types.ts';

export interface RetryLimits {
  /** Retries for one call; overloaded endpoints get twice as many. */
  readonly maxRetries: number;
  /** Longest wait an endpoint may ask for, in milliseconds. */
  readonly maxWaitMs: number;
  /** All waits of one call together, in milliseconds. */
  readonly maxTotalMs: number;
}

export interface RetryState {
  /** Retries made so far. */
  readonly retries: number;
  readonly waitedMs: number;
}

export type RetryDecision =
  | { readonly retry: true; readonly delayMs: number; readonly maxAttempts: number }
  /** `reason` is added to the error's message when it tells something new. */
  | { readonly retry: false; readonly reason?: string };

const PROTOCOL_RETRIES = 2;
const SHORTEST_HINTED_WAIT = 250;
const SLOW_BASE = 2000;
const FAST_BASE = 500;

/** `random` is uniform in [0, 1). `shouldRetry` is the endpoint's own `x-should-retry`. */
export function decideRetry(
  error: LLMErrorInfo,
  state: RetryState,
  limits: RetryLimits,
  random: () => number,
  shouldRetry?: boolean,
): RetryDecision {
  if (!error.retryable || shouldRetry === false) return { retry: false };
  const most = mostRetries(error, limits.maxRetries);
  if (state.retries >= most) return { retry: false };
  const hint = error.retry_after_ms;
  if (hint !== undefined && hint > limits.maxWaitMs) {
    return { retry: false, reason: `the endpoint asks to wait ${Math.ceil(hint / 1000)} s` };
  }
  const delayMs =
    hint === undefined ? computedWait(error, state.retries + 1, random) : hintedWait(hint, random);
  if (state.waitedMs + delayMs > limits.maxTotalMs) {
    const waited = Math.round(state.waitedMs / 1000);
    return { retry: false, reason: `gave up after waiting ${waited} s in all` };
  }
  return { retry: true, delayMs, maxAttempts: most + 1 };
}

function mostRetries(error: LLMErrorInfo, maxRetries: number): number {
  if (error.kind === 'overloaded') return maxRetries * 2;
  const few = error.kind === 'protocol' || error.detail === 'refused_arguments';
  return few ? Math.min(PROTOCOL_RETRIES, maxRetries) : maxRetries;
}

function hintedWait(hint: number, random: () => number): number {
  return Math.max(SHORTEST_HINTED_WAIT, hint * (1 + random() * 0.1));
}

/** Doubles from the base, capped, times 0.75 to 1. */
function computedWait(error: LLMErrorInfo, attempt: number, random: () => number): number {
  const slow =
    error.kind === 'rate_limit' || (error.kind === 'overloaded' && error.detail !== 'server');
  const base = slow ? SLOW_BASE : FAST_BASE;
  const cap = slow ? 60_000 : 30_000;
  return Math.min(cap, base * 2 ** (attempt - 1)) * (0.75 + random() * 0.25);
}
