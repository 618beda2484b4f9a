/** Exit codes (cli.md section 3) from how a run ended. */
import { isToolwrightError } from '../errors.ts';
import type { StopReason } from '../session/events.ts';

export const EXIT = {
  completed: 0,
  failed: 1,
  usage: 2,
  limit: 3,
  provider: 4,
  blocked: 5,
  interrupted: 130,
  terminated: 143,
  hungUp: 129,
} as const;

const BY_REASON: Readonly<Record<StopReason, number>> = {
  completed: EXIT.completed,
  gave_up: EXIT.failed,
  internal_error: EXIT.failed,
  max_steps: EXIT.limit,
  max_cost: EXIT.limit,
  max_tokens: EXIT.limit,
  timeout: EXIT.limit,
  provider_error: EXIT.provider,
  blocked: EXIT.blocked,
  cancelled: EXIT.interrupted,
};

const BY_SIGNAL: Readonly<Record<string, number>> = {
  SIGINT: EXIT.interrupted,
  SIGTERM: EXIT.terminated,
  SIGHUP: EXIT.hungUp,
};

/** `signal` is the one that cancelled the run, or null. A run that completed in spite of it is a success. */
export function exitCodeOfRun(reason: StopReason, signal: string | null): number {
  if (reason === 'cancelled' && signal !== null) return exitCodeOfSignal(signal);
  return BY_REASON[reason];
}

export function exitCodeOfSignal(signal: string): number {
  return BY_SIGNAL[signal] ?? EXIT.interrupted;
}

/** Faults found before anything ran, whatever noticed them. */
const USAGE_KINDS = ['config', 'session_locked', 'agent_busy'];

export function exitCodeOfError(error: unknown): number {
  return isToolwrightError(error) && USAGE_KINDS.includes(error.kind) ? EXIT.usage : EXIT.failed;
}
