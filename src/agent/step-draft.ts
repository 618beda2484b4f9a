import type { LLMResponse, ReportedUsage } from '../llm/types.ts';
import type { AgentStepState, ErrorInfo, ToolResultRecord } from '../session/events.ts';
import type { Asked } from './ask-model.ts';
import type { RunExit } from './exits.ts';
import type { RunState } from './run-state.ts';
import type { AgentStep } from './types.ts';
import { addUsage, NO_USAGE } from './usage.ts';

/** A step while it runs. Its final state is written once and never again. */
export class StepDraft {
  readonly number: number;
  readonly sessionStep: number;
  state: AgentStepState = 'thinking';
  response: LLMResponse | null = null;
  results: readonly ToolResultRecord[] | null = null;
  reflection: string | null = null;
  private readonly startedAt: string;
  private usage = NO_USAGE;
  private cost: number | null = 0;

  constructor(number: number, sessionStep: number, startedAt: string) {
    this.number = number;
    this.sessionStep = sessionStep;
    this.startedAt = startedAt;
  }

  add(asked: Asked): void {
    const usage: ReportedUsage = asked.usage;
    this.usage = addUsage(this.usage, usage);
    this.cost = this.cost === null || asked.costUsd === null ? null : this.cost + asked.costUsd;
    this.response = asked.response ?? this.response;
  }

  finish(state: 'completed' | 'error', error: ErrorInfo | null, endedAt: string): AgentStep {
    this.state = state;
    return {
      step_number: this.number,
      session_step: this.sessionStep,
      state,
      started_at: this.startedAt,
      ended_at: endedAt,
      llm_response: this.response,
      tool_calls: this.results === null ? null : (this.response?.tool_calls ?? null),
      tool_results: this.results,
      reflection: this.reflection,
      error,
      llm_usage: this.usage,
      cost_usd: this.cost,
      label: null,
      extra: {},
    };
  }
}

export function beginStep(run: RunState): StepDraft {
  const { progress } = run;
  const step = new StepDraft(
    progress.nextStep,
    progress.nextSessionStep,
    run.clock.date().toISOString(),
  );
  progress.nextStep += 1;
  progress.nextSessionStep += 1;
  run.budgets.steps += 1;
  run.log.append(run.scope, 'step_started', {
    step_number: step.number,
    session_step: step.sessionStep,
  });
  return step;
}

/** Ends the step: `error` on a provider fault, cancel, deadline or defect, else `completed`. */
export function finishStep(run: RunState, step: StepDraft, exit: RunExit | null): void {
  const broken = exit !== null && BREAKS_THE_STEP.has(exit.stopReason);
  const error = broken ? exit.error : null;
  const record = step.finish(broken ? 'error' : 'completed', error, run.clock.date().toISOString());
  run.steps.push(record);
  run.log.append(run.scope, 'step_finished', {
    step_number: record.step_number,
    session_step: record.session_step,
    state: record.state,
    error: record.error,
    usage: record.llm_usage,
    cost_usd: record.cost_usd,
  });
  run.log.emit(run.scope, 'usage', {
    usage: run.budgets.usage,
    cost_usd: run.budgets.cost.usd,
    context_tokens: run.context.tokens,
    context_window: run.context.window,
  });
  run.patch?.stepFinished();
}

const BREAKS_THE_STEP: ReadonlySet<string> = new Set([
  'provider_error',
  'cancelled',
  'timeout',
  'internal_error',
  'max_cost',
  'max_tokens',
]);
