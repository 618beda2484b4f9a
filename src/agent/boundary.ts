import { cancelled, internalError, limitReached, type RunExit } from './exits.ts';
import { userMessage } from './messages.ts';
import { joinNotes } from './reflection.ts';
import { addUserMessage, type RunState } from './run-state.ts';

/**
 * Between two steps: cancelled, time, cost, tokens, steps, in this order; then waiting messages are delivered and
 * the context is brought below its soft limit.
 */
export async function passBoundary(run: RunState): Promise<RunExit | null> {
  const stop = stopReason(run);
  if (stop !== null) return stop;
  deliverMessages(run);
  const note = joinNotes(budgetNotes(run));
  if (note !== null) addUserMessage(run, userMessage('note', [note]));
  return (await run.context.prepare(run)) ?? stopReason(run) ?? outputStop(run);
}

/** The exit that holds now, or null. */
export function stopReason(run: RunState): RunExit | null {
  if (run.controller.signal.aborted) return abortExit(run);
  if (run.log.failed !== null)
    return internalError(
      'log_failed',
      `The event log could not be written (${run.log.failed.message}); free space or check the disk, then resume.`,
    );
  if (run.log.diskFull === true)
    return internalError(
      'log_failed',
      'The disk that holds the session is full; free some space, then resume.',
    );
  const limit = run.budgets.exceeded();
  return limit === null ? null : limitReached(limit, run.budgets.limits);
}

export function abortExit(run: RunState): RunExit {
  return run.controller.signal.reason === 'timeout'
    ? limitReached('timeout', run.budgets.limits)
    : cancelled();
}

/** The budgets leave less output than a useful reply needs. */
export function outputStop(run: RunState): RunExit | null {
  const cap = run.budgets.outputCap(run.client.prices);
  return typeof cap === 'string' ? limitReached(cap, run.budgets.limits) : null;
}

export function deliverMessages(run: RunState): void {
  for (const message of run.queue.takeAll())
    addUserMessage(run, userMessage('steer', [message.text], message.messageId));
}

/** Notes about budgets that are due now; each is given once. */
export function budgetNotes(run: RunState): string[] {
  const notes = run.budgets.newWarnings().map((warning) => {
    run.log.append(run.scope, 'budget_warning', warning);
    const used = Math.round((warning.used / warning.limit) * 100);
    return `${used} % of the ${warning.budget} budget is used; come to an end in time.`;
  });
  const { progress, budgets } = run;
  if (!progress.lastStepAnnounced && budgets.limits.max_steps - budgets.steps === 1) {
    progress.lastStepAnnounced = true;
    notes.push(
      'The next step is the last one allowed. Make the last change, if one is needed, and call task_done in it.',
    );
  }
  return notes;
}
