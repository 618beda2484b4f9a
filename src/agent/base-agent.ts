import type { LLMResponse } from '../llm/types.ts';
import { passBoundary } from './boundary.ts';
import { callTools, finishUnlessMessagesWait } from './call-tools.ts';
import { asCut, classifyReply, refuseRepaired } from './classify-reply.ts';
import { gaveUp, internalError, providerFailed, type RunExit } from './exits.ts';
import { userMessage } from './messages.ts';
import { addUserMessage, type RunState, type StepOutcome } from './run-state.ts';
import { beginStep, finishStep, type StepDraft } from './step-draft.ts';
import { think } from './think.ts';

const MOST_SEGMENTS = 3;
const MOST_EMPTY = 2;

/**
 * The loop: boundary, then one step, until something ends the run. The state machine of agent.md 2.1 and 2.2; what
 * differs between kinds of agents comes from their definition in the run state.
 */
export class BaseAgent {
  protected readonly run: RunState;

  constructor(run: RunState) {
    this.run = run;
  }

  /** Never throws: a defect is an exit too. */
  async executeTask(): Promise<RunExit> {
    const { run } = this;
    run.budgets.watchTime(() => run.controller.abort('timeout'));
    try {
      for (;;) {
        const exit = (await passBoundary(run)) ?? (await this.step());
        if (exit !== null) return exit;
      }
    } catch (error) {
      return await this.defect(error);
    } finally {
      run.budgets.stopWatching();
    }
  }

  private async step(): Promise<StepOutcome> {
    const step = beginStep(this.run);
    const exit = await this.runStep(step).catch((error: unknown) => this.defect(error));
    finishStep(this.run, step, exit);
    return exit;
  }

  private async runStep(step: StepDraft): Promise<StepOutcome> {
    const thought = await think(this.run, step);
    if (thought.kind === 'exit') return thought.exit;
    return thought.kind === 'interrupted'
      ? null
      : this.act(step, thought.messageId, thought.response);
  }

  private async act(step: StepDraft, replyId: string, response: LLMResponse): Promise<StepOutcome> {
    const { run } = this;
    const { progress } = run;
    const kind = classifyReply(response);
    if (kind !== 'empty') progress.emptyInRow = 0;
    if (kind === 'text' || kind === 'pause') return this.textReply(response.content);
    if (kind === 'cut_text') return this.cutText(response.content);
    if (kind === 'empty') return this.emptyReply();
    if (kind === 'refusal' || kind === 'content_filter')
      return providerFailed(kind, refusalMessage(kind, response.content));
    progress.segments = [];
    progress.justReminded = false;
    const calls = response.tool_calls;
    if (kind === 'cut_calls') return callTools(run, step, replyId, asCut(calls));
    const runnable = kind === 'calls_unrepaired_only' ? refuseRepaired(calls) : calls;
    return callTools(run, step, replyId, runnable);
  }

  private async cutText(text: string): Promise<StepOutcome> {
    const { segments } = this.run.progress;
    if (segments.length >= MOST_SEGMENTS) return this.textReply(text);
    segments.push(text);
    this.say(
      'note',
      '[note] Your reply was cut off at its length limit. Go on exactly where it stopped, without repeating anything.',
    );
    return null;
  }

  private async emptyReply(): Promise<StepOutcome> {
    const { progress } = this.run;
    progress.emptyInRow += 1;
    if (progress.emptyInRow > MOST_EMPTY)
      return gaveUp(
        'empty_reply',
        `The model sent ${progress.emptyInRow} empty replies in a row; try another model or resume.`,
      );
    this.say('note', '[note] Your reply was empty. Go on with the task, or call task_done.');
    return null;
  }

  private async textReply(lastSegment: string): Promise<StepOutcome> {
    const { run } = this;
    const { progress, completion } = run;
    const text = progress.segments.join('') + lastSegment;
    progress.segments = [];
    const attempt = await completion.attemptByText(text);
    if (attempt.kind === 'refused') {
      const exit = completion.refused(attempt.reason, progress.actingCallDenied);
      if (exit === null) this.say('reminder', `[note] ${attempt.message}`);
      return exit;
    }
    if (attempt.kind !== 'accepted') return attempt.exit;
    const reminder = completion.reminderFor(text);
    if (reminder !== null) {
      progress.justReminded = true;
      this.say('reminder', reminder);
      return null;
    }
    const answer = completion.answerText(text, progress.justReminded);
    return finishUnlessMessagesWait(run, { ...attempt, text: answer });
  }

  private say(origin: 'note' | 'reminder', text: string): void {
    addUserMessage(this.run, userMessage(origin, [text]));
  }

  private async defect(error: unknown): Promise<RunExit> {
    return internalError('internal_error', await this.run.reportDefect(error));
  }
}

function refusalMessage(kind: 'refusal' | 'content_filter', text: string): string {
  const what =
    kind === 'refusal'
      ? 'The model refused the request'
      : "The provider's content filter stopped the reply";
  return text.trim() === '' ? `${what}.` : `${what}: ${text.trim().slice(0, 300).toWellFormed()}`;
}
