import type { DurableEvent } from '../../session/events.ts';
import { SessionFold } from '../../session/fold.ts';
import { interruptedCall } from '../../session/interrupted-call.ts';
import type { OpenCall, SessionState } from '../../session/session-state.ts';
import type { EventLog } from '../../session/types.ts';

/**
 * Settles runs the program's end left without `run_finished`: each open call gets an `interrupted` result, each run
 * `run_interrupted`. A call that only waited for an answer is left open: it is asked again. Nothing is run.
 */
export function settleInterrupted(log: EventLog, events: readonly DurableEvent[]): SessionState {
  const fold = new SessionFold();
  for (const event of events) fold.apply(event);
  const before = fold.state();
  const waiting = waitingCalls(before);
  for (const open of before.open_calls) {
    if (waiting.includes(open)) continue;
    const scope = { run_id: open.run_id === '' ? null : open.run_id };
    fold.apply(log.append(scope, 'tool_finished', interruptedCall(open)).event);
  }
  for (const run of before.runs.filter(({ state }) => state === 'running')) {
    const scope = {
      run_id: run.run_id,
      ...(run.parent_run_id === null ? {} : { parent_run_id: run.parent_run_id }),
      ...(run.parent_call_id === null ? {} : { parent_call_id: run.parent_call_id }),
    };
    const open_calls = before.open_calls
      .filter(({ run_id }) => run_id === run.run_id)
      .map(({ call }) => call.call_id);
    const payload = { last_seq: before.last_seq, open_calls };
    fold.apply(log.append(scope, 'run_interrupted', payload).event);
  }
  return fold.state();
}

/** Calls from the first one that waited for a person on, none of which started: they go on when it is answered. */
export function waitingCalls(state: SessionState): readonly OpenCall[] {
  const asked = new Set(state.open_approvals.map(({ request }) => request.call_id));
  const first = state.open_calls.findIndex(
    ({ call, started }) => !started && asked.has(call.call_id),
  );
  return first < 0 ? [] : state.open_calls.slice(first).filter(({ started }) => !started);
}
