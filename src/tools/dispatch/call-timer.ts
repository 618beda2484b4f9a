import { ToolFailure } from '../../errors.ts';

/** The signal of one call: aborted by the run, or when the call's time is over; the reason is a ToolFailure. */
export interface CallTimer {
  readonly signal: AbortSignal;
  /** Monotonic milliseconds of the same clock as `now`. */
  readonly deadline: number;
  /** Resolves when the call was aborted and the grace to end by itself is over too. */
  readonly overdue: Promise<void>;
  stop(): void;
}

/** A cancelled call must answer within 1 s; one that timed out may need 2 s to end its processes. */
const CANCEL_GRACE_MS = 900;
const TIMEOUT_GRACE_MS = 3000;

export function createCallTimer(
  run: AbortSignal,
  now: number,
  timeoutMs: number,
  runDeadline: number | null,
): CallTimer {
  const controller = new AbortController();
  const { promise: overdue, resolve } = Promise.withResolvers<void>();
  const timers: NodeJS.Timeout[] = [];
  const abort = (reason: ToolFailure, graceMs: number) => {
    if (controller.signal.aborted) return;
    controller.abort(reason);
    timers.push(setTimeout(resolve, graceMs));
  };
  const onRunAbort = () =>
    abort(new ToolFailure('cancelled', 'cancelled by the user'), CANCEL_GRACE_MS);
  const runLeft = runDeadline === null ? Number.POSITIVE_INFINITY : runDeadline - now;
  const left = Math.max(0, Math.min(timeoutMs, runLeft));
  const onTime = () => {
    if (runLeft <= timeoutMs) {
      abort(new ToolFailure('cancelled', 'the time of the run is over'), CANCEL_GRACE_MS);
      return;
    }
    const seconds = Math.round(timeoutMs / 100) / 10;
    abort(new ToolFailure('timeout', `did not finish within ${seconds} s`), TIMEOUT_GRACE_MS);
  };
  timers.push(setTimeout(onTime, left));
  run.addEventListener('abort', onRunAbort, { once: true });
  if (run.aborted) onRunAbort();
  return {
    signal: controller.signal,
    deadline: now + left,
    overdue,
    stop() {
      for (const timer of timers) clearTimeout(timer);
      run.removeEventListener('abort', onRunAbort);
    },
  };
}
