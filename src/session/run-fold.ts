/**
 * Folds durable events into runs, tasks and steps with their totals. Nothing is counted twice: the spending of a
 * sub-agent goes into its own run and every run above it, totals are sums over top-level runs.
 */
import type { DurableEvent, EventOf } from './events.ts';
import type { RunState, StepState, TaskState } from './session-state.ts';
import { addSpent, NOTHING_SPENT, plainUsage, type Spent, spentBy } from './session-usage.ts';

function newRun(event: EventOf<'run_started'>, runId: string): RunState {
  return {
    run_id: runId,
    parent_run_id: event.parent_run_id ?? null,
    parent_call_id: event.parent_call_id ?? null,
    started: event,
    state: 'running',
    finished: null,
    stop_reason: null,
    success: false,
    error: null,
    resumes: event.resumes ?? null,
    last_step_number: 0,
    base: null,
    ...NOTHING_SPENT,
  };
}

function finishedRun(run: RunState, event: EventOf<'run_finished'>): RunState {
  return {
    ...run,
    state: event.success ? 'completed' : 'error',
    finished: event,
    stop_reason: event.stop_reason,
    success: event.success,
    error: event.error,
    usage: plainUsage(event.usage),
    cost_usd: event.cost_usd,
    cost_known_usd: event.cost_known_usd,
  };
}

function inCallOrder(step: StepState): StepState['results'] {
  const calls = step.reply?.content ?? [];
  const order = new Map(
    calls.flatMap((block, index) =>
      block.type === 'tool_call' ? [[block.call.call_id, index] as const] : [],
    ),
  );
  const place = (callId: string): number => order.get(callId) ?? calls.length;
  return [...step.results].sort((a, b) => place(a.call_id) - place(b.call_id));
}

export class RunFold {
  readonly #runs = new Map<string, RunState>();
  readonly #steps: StepState[] = [];
  /** Index in `#steps` of the last step begun in each run. */
  readonly #current = new Map<string, number>();
  #outside: Spent = NOTHING_SPENT;
  sessionStep = 0;

  apply(event: DurableEvent): void {
    const runId = event.run_id;
    if (event.type === 'llm_response') this.#spend(runId, event);
    if (runId === null) return;
    switch (event.type) {
      case 'run_started':
        this.#runs.set(runId, newRun(event, runId));
        break;
      case 'run_finished':
        this.#changeRun(runId, (run) => finishedRun(run, event));
        break;
      case 'run_interrupted':
        this.#changeRun(runId, (run) => ({ ...run, state: 'interrupted' }));
        break;
      case 'base_taken':
        this.#changeRun(runId, (run) => ({ ...run, base: event }));
        break;
      case 'step_started':
        this.#beginStep(runId, event);
        break;
      default:
        this.#changeStep(runId, event);
    }
  }

  runs(): RunState[] {
    return [...this.#runs.values()];
  }

  steps(): StepState[] {
    return [...this.#steps];
  }

  /** Number of the step a run is in, 0 before the first. */
  stepOf(runId: string): number {
    return this.#runs.get(runId)?.last_step_number ?? 0;
  }

  total(): Spent {
    return this.runs()
      .filter((run) => run.parent_run_id === null)
      .reduce<Spent>(addSpent, this.#outside);
  }

  tasks(): TaskState[] {
    const tasks = new Map<string, TaskState>();
    const firstOf = new Map<string, string>();
    for (const run of this.#runs.values()) {
      if (run.parent_run_id !== null) continue;
      const first = (run.resumes !== null ? firstOf.get(run.resumes) : undefined) ?? run.run_id;
      firstOf.set(run.run_id, first);
      tasks.set(first, withRun(tasks.get(first), run));
    }
    return [...tasks.values()];
  }

  #changeRun(runId: string, change: (run: RunState) => RunState): void {
    const run = this.#runs.get(runId);
    if (run !== undefined) this.#runs.set(runId, change(run));
  }

  #spend(runId: string | null, event: EventOf<'llm_response'>): void {
    const spent = spentBy(event.usage, event.cost_usd);
    let run = runId === null ? undefined : this.#runs.get(runId);
    if (run === undefined) this.#outside = addSpent(this.#outside, spent);
    while (run !== undefined) {
      this.#runs.set(run.run_id, { ...run, ...addSpent(run, spent) });
      run = run.parent_run_id === null ? undefined : this.#runs.get(run.parent_run_id);
    }
  }

  #beginStep(runId: string, event: EventOf<'step_started'>): void {
    this.sessionStep = Math.max(this.sessionStep, event.session_step ?? 0);
    this.#changeRun(runId, (run) => ({ ...run, last_step_number: event.step_number }));
    this.#current.set(runId, this.#steps.length);
    this.#steps.push({
      run_id: runId,
      step_number: event.step_number,
      session_step: event.session_step,
      state: 'thinking',
      started_at: event.ts,
      ended_at: null,
      finished: null,
      reply: null,
      results: [],
      reflection: null,
      label: null,
    });
  }

  #changeStep(runId: string, event: DurableEvent): void {
    const index =
      event.type === 'label' || event.type === 'reflection'
        ? this.#steps.findLastIndex(
            (step) => step.run_id === runId && step.step_number === event.step_number,
          )
        : (this.#current.get(runId) ?? -1);
    const step = this.#steps[index];
    if (step !== undefined) this.#steps[index] = changedStep(step, event);
  }
}

function changedStep(step: StepState, event: DurableEvent): StepState {
  switch (event.type) {
    case 'llm_response':
      return event.purpose === 'step' ? { ...step, reply: event } : step;
    case 'tool_started':
      return { ...step, state: 'calling_tool' };
    case 'tool_finished':
      return { ...step, state: 'calling_tool', results: [...step.results, event] };
    case 'reflection':
      return { ...step, state: 'reflecting', reflection: event.text };
    case 'label':
      return { ...step, label: event };
    case 'step_finished':
      return {
        ...step,
        state: event.state,
        ended_at: event.ts,
        finished: event,
        results: inCallOrder(step),
      };
    default:
      return step;
  }
}

function withRun(task: TaskState | undefined, run: RunState): TaskState {
  const before = task ?? {
    task: run.started.task,
    run_ids: [],
    next_step_number: 1,
    ...NOTHING_SPENT,
  };
  return {
    task: before.task,
    run_ids: [...before.run_ids, run.run_id],
    state: run.state,
    success: run.success,
    next_step_number: Math.max(before.next_step_number, run.last_step_number + 1),
    ...addSpent(before, run),
  };
}
