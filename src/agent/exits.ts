import type { ErrorInfo, RunLimits, StopReason } from '../session/events.ts';
import type { LimitName } from './budgets.ts';

/** How a run ended. `error` is null exactly when `success`. */
export interface RunExit {
  readonly success: boolean;
  readonly stopReason: StopReason;
  readonly error: ErrorInfo | null;
}

export const COMPLETED: RunExit = { success: true, stopReason: 'completed', error: null };

/** What `final_result` says after a step limit when the model left no text. */
export const STEPS_EXCEEDED_TEXT = 'Task execution exceeded maximum steps without completion.';

export function gaveUp(kind: string, message: string): RunExit {
  return failed('gave_up', kind, message);
}

export function blocked(kind: string, message: string): RunExit {
  return failed('blocked', kind, message);
}

export function providerFailed(kind: string, message: string): RunExit {
  return failed('provider_error', kind, message);
}

export function internalError(kind: string, message: string): RunExit {
  return failed('internal_error', kind, message);
}

export function cancelled(): RunExit {
  return failed('cancelled', 'cancelled', 'The run was cancelled; resume the session to go on.');
}

export function limitReached(limit: LimitName, limits: RunLimits): RunExit {
  const sentences: Record<LimitName, string> = {
    max_steps: `The step limit of ${limits.max_steps} was reached; resume the session, or raise --max-steps.`,
    max_cost: `The cost limit of ${limits.max_cost} USD was reached; resume the session, or raise --max-cost.`,
    max_tokens: `The token limit of ${limits.max_tokens} was reached; resume the session, or raise --max-tokens.`,
    timeout: `The time limit of ${limits.timeout_seconds} s was reached; resume the session, or raise --timeout.`,
  };
  return failed(limit, limit, sentences[limit]);
}

function failed(stopReason: StopReason, kind: string, message: string): RunExit {
  return { success: false, stopReason, error: { kind, message } };
}

/** The process exit code of an ended run (cli.md section 3). After SIGTERM the caller uses 143 instead of 130. */
export function exitCodeOf(stopReason: StopReason): number {
  const codes: Record<StopReason, number> = {
    completed: 0,
    gave_up: 1,
    internal_error: 1,
    max_steps: 3,
    max_cost: 3,
    max_tokens: 3,
    timeout: 3,
    provider_error: 4,
    blocked: 5,
    cancelled: 130,
  };
  return codes[stopReason];
}
