/** The result object of cli.md section 3. */
import type { AgentExecution } from '../agent/types.ts';
import type { EventOf, ResultObject } from '../session/events.ts';

export type PrintedResult = { readonly type: 'result' } & ResultObject;

/** From the `result` event of the run, without its envelope. */
export function resultOfEvent(event: EventOf<'result'>): PrintedResult {
  const { v: _v, seq: _seq, sub: _sub, ts: _ts, type, ...payload } = event;
  const { parent_run_id: _run, parent_call_id: _call, ...result } = payload;
  return { type, ...result };
}

export function resultOfExecution(
  execution: AgentExecution,
  patchPath: string | undefined,
): PrintedResult {
  return {
    type: 'result',
    session_id: execution.session_id,
    run_id: execution.run_id,
    success: execution.success,
    state: execution.success ? 'completed' : 'error',
    stop_reason: execution.stop_reason,
    final_result: execution.final_result,
    steps: execution.steps.length,
    usage: execution.total_tokens,
    cost_usd: execution.cost_usd,
    duration_ms: Math.round(execution.execution_time * 1000),
    denials: execution.denials,
    trajectory_file: execution.trajectory_file,
    ...(patchPath === undefined ? {} : { patch_path: patchPath }),
    ...(execution.answer === undefined ? {} : { answer: execution.answer }),
    ...(execution.error === null ? {} : { error: execution.error }),
  };
}

/** What a person or a pipe gets on stdout: the answer where one was asked for by schema, else the final text. */
export function resultText(execution: AgentExecution): string | null {
  if (execution.answer !== undefined) return JSON.stringify(execution.answer);
  return execution.final_result;
}
