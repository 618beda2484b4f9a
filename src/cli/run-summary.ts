import type { AgentExecution } from '../agent/types.ts';
import type { RunSummary } from '../session/console.ts';

/** The command that goes on with a session. */
export function resumeCommand(sessionId: string): string {
  return `toolwright resume ${sessionId}`;
}

export function summaryOf(execution: AgentExecution): RunSummary {
  const { patch, total_tokens: tokens } = execution;
  const changed = patch !== null && patch.files > 0;
  return {
    task: execution.task,
    success: execution.success,
    stopReason: execution.stop_reason,
    error: execution.error?.message ?? null,
    steps: execution.steps.length,
    seconds: execution.execution_time,
    inputTokens:
      tokens.input_tokens + tokens.cache_creation_input_tokens + tokens.cache_read_input_tokens,
    outputTokens: tokens.output_tokens,
    cacheReadTokens: tokens.cache_read_input_tokens,
    costUsd: execution.cost_usd,
    patchPath: patch?.path ?? null,
    patchStat: changed ? `${patch.files} files, +${patch.insertions} -${patch.deletions}` : null,
    trajectoryFile: execution.trajectory_file,
    sessionId: execution.session_id,
    resumeCommand: execution.success ? null : resumeCommand(execution.session_id),
  };
}
