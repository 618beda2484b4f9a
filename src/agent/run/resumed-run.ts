import { ConfigError } from '../../errors.ts';
import type { DurableEvent } from '../../session/events.ts';
import { foldSession } from '../../session/fold.ts';
import type { ResumedRun } from './prepare-run.ts';

/** The unfinished last task of a session. Throws ConfigError when there is none. */
export function resumedRunOf(
  events: readonly DurableEvent[],
): ResumedRun & { readonly task: string } {
  const state = foldSession(events);
  const task = state.tasks.at(-1);
  const last = task?.run_ids.at(-1);
  if (task === undefined || last === undefined)
    throw new ConfigError('There is nothing to resume in this session; give a task.');
  if (task.success)
    throw new ConfigError('The last task of this session succeeded; give a new task to go on.');
  const runs = state.runs.filter(({ run_id }) => task.run_ids.includes(run_id));
  return {
    runId: last,
    task: task.task,
    nextStep: task.next_step_number,
    base: runs.find(({ base }) => base !== null)?.base ?? null,
  };
}
