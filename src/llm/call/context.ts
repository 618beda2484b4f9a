/** What all attempts of one client share. */
import type { AdaptationMemory } from '../failures/adaptations.ts';
import type { RetryLimits } from '../failures/retry.ts';
import type { Target } from '../target.ts';
import type { Exchange, ModelConfig, Transport } from '../types.ts';
import type { TimeLimits } from './watchdog.ts';

export interface Clock {
  /** Monotonic milliseconds. */
  now(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export interface ClientContext {
  readonly config: ModelConfig;
  readonly target: Target;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly foreignClock: boolean;
  readonly random: () => number;
  readonly newCallId: () => string;
  readonly limits: TimeLimits;
  readonly retry: RetryLimits;
  readonly memory: AdaptationMemory;
  /** Masked wherever they appear. */
  readonly secrets: readonly string[];
  /** False for a replay: nothing is waited for. */
  readonly waits: boolean;
  /** Null when nobody listens, or after the listener threw. */
  readonly exchanges: { listener: ((exchange: Exchange) => void) | null; seq: number };
}
