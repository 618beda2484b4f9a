import type { ToolCall } from '../llm/types.ts';
import { callTool } from '../tools/basic/call-tool.ts';
import type { ExecutedCall, ExecutorContext } from '../tools/types.ts';
import { abortExit, budgetNotes } from './boundary.ts';
import type { CompletionAttempt } from './completion.ts';
import { blocked, COMPLETED, type RunExit } from './exits.ts';
import type { GuardReport } from './guards/loop-guards.ts';
import { resultsMessage, userMessage } from './messages.ts';
import { joinNotes } from './reflection.ts';
import { addUserMessage, type RunState, type StepOutcome } from './run-state.ts';
import type { StepDraft } from './step-draft.ts';

const NOT_ACTING: ReadonlySet<string> = new Set(['read', 'state', 'user']);

/** Runs the calls of a reply, reflects on the results, and looks whether the run ends with them. */
export async function callTools(
  run: RunState,
  step: StepDraft,
  replyId: string,
  calls: readonly ToolCall[],
): Promise<StepOutcome> {
  step.state = 'calling_tool';
  run.completion.beginStep();
  if (calls.some((call) => mayAct(run, call))) await run.patch?.beforeActing();
  const executed = await run.executor.execute(calls, executorContext(run, step));
  step.results = executed.map((call) => call.result);
  const results = resultsMessage(replyId, executed);
  run.conversation.add(results);
  run.context.added(results);
  const refusals = noteDenials(run, executed);
  const guards = run.guards.afterCalls(executed);
  for (const event of guards.events) run.log.append(run.scope, 'loop_guard', event);
  const attempt = await run.completion.attemptOfStep();
  const aborted = run.controller.signal.aborted;
  if (!aborted) await reflect(run, step, calls, guards);
  if (executed.some((call) => call.acting && call.result.success))
    run.completion.actingCallSucceeded();
  return (
    (aborted && !ends(attempt) ? abortExit(run) : null) ??
    refusals ??
    afterAttempt(run, attempt) ??
    guards.end
  );
}

/** The tool a wrapper names counts, not the wrapper. */
function mayAct({ offered }: RunState, call: ToolCall): boolean {
  if (call.status !== 'ok') return false;
  const named = (offered.find(call.name) ?? offered.find(call.raw_name))?.tool;
  const tool =
    named?.name === callTool.name ? offered.find(String(call.arguments.name))?.tool : named;
  return tool !== undefined && !NOT_ACTING.has(tool.permission);
}

function executorContext(run: RunState, step: StepDraft): ExecutorContext {
  const { parent_run_id, parent_call_id } = run.scope;
  return {
    runId: run.runId,
    ...(parent_run_id === undefined ? {} : { parentRunId: parent_run_id }),
    ...(parent_call_id === undefined ? {} : { parentCallId: parent_call_id }),
    step: step.sessionStep,
    signal: run.controller.signal,
    get deadline() {
      return run.budgets.deadline;
    },
    stopBefore: () => (run.queue.urgent ? 'skipped' : null),
    guard: (tool, args) => run.guards.beforeCall(tool, args),
    taskDone: (args, siblings) => run.completion.taskDone(args, siblings),
    serial: !run.parallelCalls,
  };
}

/** Keeps what was denied for the result. A plain refusal of a person ends the run. */
function noteDenials(run: RunState, executed: readonly ExecutedCall[]): RunExit | null {
  for (const call of executed) {
    if (call.denial === null) continue;
    run.progress.actingCallDenied ||= call.acting;
    run.denials.push({
      call_id: call.result.call_id,
      tool: call.resolvedName ?? call.result.name,
      class: call.class ?? 'read',
      error_kind: call.result.error_kind ?? 'permission_denied',
      rule: call.denial.rule,
      scope: call.denial.scope,
    });
  }
  const refused = executed.find((call) => call.plainRefusal);
  if (refused === undefined) return null;
  return blocked('refused_by_user', `You refused a call of ${refused.result.name}.`);
}

/** Notes exist: they follow the results as one user-role text, never as words of the model. */
async function reflect(
  run: RunState,
  step: StepDraft,
  calls: readonly ToolCall[],
  guards: GuardReport,
): Promise<void> {
  const results = step.results ?? [];
  const failuresInRow = run.streaks.add(results);
  const parts = {
    failed_results: [run.definition.reflectOnResult(results, { failuresInRow }) ?? ''],
    guards: guards.notes,
    budgets: budgetNotes(run),
  };
  const long = { instructions: await run.instructionNotes(calls) };
  const text = joinNotes(Object.values(parts).flat(), Object.values(long).flat());
  if (text === null) return;
  step.state = 'reflecting';
  step.reflection = text;
  const reasons = Object.entries({ ...parts, ...long })
    .filter(([, notes]) => notes.some((note) => note !== ''))
    .map(([reason]) => reason);
  run.log.append(run.scope, 'reflection', { step_number: step.number, text, reasons });
  addUserMessage(run, userMessage('note', [text]));
}

function ends(attempt: CompletionAttempt | null): boolean {
  return attempt?.kind === 'accepted' || attempt?.kind === 'ended';
}

function afterAttempt(run: RunState, attempt: CompletionAttempt | null): StepOutcome {
  if (attempt === null) return null;
  if (attempt.kind === 'refused')
    return run.completion.refused(attempt.reason, run.progress.actingCallDenied);
  if (attempt.kind !== 'accepted') return attempt.exit;
  return finishUnlessMessagesWait(run, attempt);
}

/** An accepted end; a message that waits keeps the run going instead. */
export function finishUnlessMessagesWait(
  run: RunState,
  attempt: Extract<CompletionAttempt, { kind: 'accepted' }>,
): StepOutcome {
  if (run.queue.size > 0) return null;
  run.progress.finalText = attempt.text === '' ? null : attempt.text;
  if ('answer' in attempt) run.progress.answer = { value: attempt.answer };
  return COMPLETED;
}
