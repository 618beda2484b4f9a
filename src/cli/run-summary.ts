import type { AgentExecution } from '../agent/types.ts';
import type { RunSummary } from '../session/console.ts';
import type { RunFlags } from './run-flags.ts';

/** Flags without which a session that was started with them finds no model again; never a key. */
const MODEL_FLAGS = [
  ['configFile', '--config-file'],
  ['provider', '--provider'],
  ['model', '--model'],
  ['modelBaseUrl', '--model-base-url'],
] as const;

/** The command that goes on with a session. */
export function resumeCommand(sessionId: string, flags: RunFlags = {}): string {
  const given = MODEL_FLAGS.flatMap(([name, flag]) => {
    const value = flags[name];
    return value === undefined ? [] : [flag, quoted(value)];
  });
  return ['toolwright resume', sessionId, ...given].join(' ');
}

function quoted(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The table at the end of a run. The command that resumes is a line of its own: a table would cut it. */
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
    patchStat: changed
      ? `${patch.files} ${patch.files === 1 ? 'file' : 'files'}, +${patch.insertions} -${patch.deletions}`
      : null,
    trajectoryFile: execution.trajectory_file,
    sessionId: execution.session_id,
    resumeCommand: null,
  };
}
