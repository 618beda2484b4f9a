import type { ErrorKind } from '../errors.ts';
import type { ToolResultRecord } from '../session/events.ts';
import type { AnswerSchema } from './answer-schema.ts';
import { blocked, gaveUp, type RunExit } from './exits.ts';
import type { AgentDefinition, HookContext } from './types.ts';

const MOST_REFUSALS = 3;

export interface CompletionOptions {
  readonly definition: AgentDefinition;
  readonly textReply: AgentDefinition['textReply'];
  readonly answerSchema: AnswerSchema | null;
  readonly hooks: HookContext;
}

/** What one attempt to finish came to. */
export type CompletionAttempt =
  | { readonly kind: 'accepted'; readonly text: string; readonly answer?: unknown }
  /** The model itself says that it failed or is blocked: accepted without checks, not a success. */
  | { readonly kind: 'ended'; readonly text: string; readonly exit: RunExit }
  | { readonly kind: 'refused'; readonly reason: string; readonly message: string }
  | { readonly kind: 'blocked'; readonly message: string; readonly exit: RunExit };

export interface TaskDoneVerdict {
  readonly accepted: boolean;
  readonly text: string;
  readonly errorKind: ErrorKind | null;
}

/** The rules of agent.md 2.4 over one run: what is accepted, what is refused, and when refusing ends the run. */
export class Completion {
  private readonly options: CompletionOptions;
  private refusals = 0;
  private remindedText: string | null = null;
  private stepAttempt: Promise<CompletionAttempt> | null = null;

  constructor(options: CompletionOptions) {
    this.options = options;
  }

  /** A second `task_done` in one reply gets the result of the first. */
  beginStep(): void {
    this.stepAttempt = null;
  }

  async taskDone(
    args: Readonly<Record<string, unknown>>,
    siblings: readonly ToolResultRecord[],
  ): Promise<TaskDoneVerdict> {
    this.stepAttempt ??= this.attemptByCall(args, siblings);
    const attempt = await this.stepAttempt;
    const accepted = attempt.kind === 'accepted' || attempt.kind === 'ended';
    return {
      accepted,
      text: accepted ? 'Task done.' : attempt.message,
      errorKind: accepted ? null : 'completion_refused',
    };
  }

  /** The attempt made by `task_done` in this step, if there was one. */
  async attemptOfStep(): Promise<CompletionAttempt | null> {
    return this.stepAttempt;
  }

  async attemptByText(text: string): Promise<CompletionAttempt> {
    const { answerSchema } = this.options;
    const checked = await this.check([], () => answerSchema?.checkText(text));
    return checked.kind === 'accepted' ? { ...checked, text } : checked;
  }

  /**
   * The reminder for an accepted text reply under `remind_once`, once in a run; null when the reply is the answer.
   */
  reminderFor(text: string): string | null {
    if (this.options.textReply === 'final' || this.remindedText !== null) return null;
    this.remindedText = text;
    return '[note] You replied without a tool call. If the task is finished, call task_done with a short summary; otherwise go on working.';
  }

  /** The answer of a second text reply: joined with the first one when the two are adjacent. */
  answerText(text: string, adjacent: boolean): string {
    return adjacent && this.remindedText !== null ? `${this.remindedText}\n\n${text}` : text;
  }

  /** Something was done after a refusal: the count begins again. */
  actingCallSucceeded(): void {
    this.refusals = 0;
  }

  /** Counts a refusal; the third without a successful acting call in between ends the run. */
  refused(reason: string, actingCallDenied: boolean): RunExit | null {
    this.refusals += 1;
    if (this.refusals < MOST_REFUSALS) return null;
    if (reason === 'patch_empty' && actingCallDenied)
      return blocked(
        'permission_denied',
        'The task needs a change and changing was denied; allow it with --allow, or change the permission mode.',
      );
    return gaveUp(
      reason,
      `Completion was refused ${MOST_REFUSALS} times: ${REASONS[reason] ?? reason}.`,
    );
  }

  private async attemptByCall(
    args: Readonly<Record<string, unknown>>,
    siblings: readonly ToolResultRecord[],
  ): Promise<CompletionAttempt> {
    const summary = typeof args.summary === 'string' ? args.summary : '';
    if (args.outcome === 'failed' || args.outcome === 'blocked')
      return { kind: 'ended', text: summary, exit: selfReported(args.outcome, summary) };
    const { answerSchema } = this.options;
    const checked = await this.check(siblings, () => answerSchema?.check(args.answer));
    return checked.kind === 'accepted' ? { ...checked, text: summary } : checked;
  }

  private async check(
    siblings: readonly ToolResultRecord[],
    checkAnswer: () => ReturnType<AnswerSchema['check']> | undefined,
  ): Promise<CompletionAttempt> {
    const { definition, hooks } = this.options;
    const failed = siblings.filter((sibling) => !sibling.success).map((sibling) => sibling.name);
    if (failed.length > 0) return this.refusal('sibling_failed', `Failed: ${failed.join(', ')}.`);
    if (hooks.mustPatch && (await hooks.changedNonTestPaths()).length === 0)
      return this.refusal('patch_empty', '');
    const answer = await checkAnswer();
    if (answer !== undefined && !answer.ok) return this.refusal('answer_invalid', answer.faults);
    const verdict = await definition.isTaskCompleted(hooks);
    if ('blocked' in verdict) {
      const { kind, message } = verdict.blocked;
      return { kind: 'blocked', message, exit: blocked(kind, message) };
    }
    if (!verdict.done) return this.refusal(verdict.reason, verdict.message);
    return {
      kind: 'accepted',
      text: '',
      ...(answer === undefined ? {} : { answer: answer.answer }),
    };
  }

  private refusal(reason: string, details: string): CompletionAttempt {
    const text = this.options.definition.taskIncompleteMessage(reason);
    return { kind: 'refused', reason, message: details === '' ? text : `${text}\n${details}` };
  }
}

const REASONS: Readonly<Record<string, string>> = {
  sibling_failed: 'a call of the same reply had failed',
  patch_empty: 'nothing but tests was changed, and a change was demanded',
  answer_invalid: 'the answer does not fit the answer schema',
  stop_hook: 'a stop hook refused',
};

function selfReported(outcome: 'failed' | 'blocked', summary: string): RunExit {
  const message = summary === '' ? `The model reported the task as ${outcome}.` : summary;
  return outcome === 'failed'
    ? gaveUp('self_reported', message)
    : blocked('self_reported', message);
}
