/**
 * Turns the events of one task, in order, into its model calls and steps.
 */
import type { DurableEvent, ErrorInfo, EventOf, FileChange } from './events.ts';
import { plainUsage } from './session-usage.ts';
import {
  callPart,
  callsOf,
  messagePart,
  replyParts,
  responsePart,
  responseReasoning,
  resultMessage,
  resultPart,
  type TrajectoryCall,
  type TrajectoryMessage,
  type TrajectoryResponse,
  type TrajectoryResult,
  trajectoryTime,
} from './trajectory-parts.ts';

interface StepPart {
  step_number: number;
  timestamp: string;
  state: string;
  llm_messages: TrajectoryMessage[];
  llm_response: TrajectoryResponse | null;
  tool_calls: TrajectoryCall[] | null;
  tool_results: TrajectoryResult[] | null;
  reflection: string | null;
  error: string | null;
  lakeview_summary: string | null;
  session_step: number | null;
  duration_ms: number | null;
  llm_usage: unknown;
  cost_usd: number | null;
  files_changed: FileChange[];
  approvals: unknown[];
}

function newStep(event: EventOf<'step_started'>): StepPart {
  return {
    step_number: event.step_number,
    timestamp: trajectoryTime(event.ts),
    state: 'thinking',
    llm_messages: [],
    llm_response: null,
    tool_calls: null,
    tool_results: null,
    reflection: null,
    error: null,
    lakeview_summary: null,
    session_step: event.session_step,
    duration_ms: null,
    llm_usage: null,
    cost_usd: null,
    files_changed: [],
    approvals: [],
  };
}

export function errorText(error: ErrorInfo | null): string | null {
  return error === null ? null : `${error.kind}: ${error.message}`;
}

function labelText(event: EventOf<'label'>): string {
  return `[${event.tags.join(', ')}] ${event.task}${event.details === '' ? '' : `: ${event.details}`}`;
}

/** The payload of an event with its time and step, without the envelope. */
function listed(event: DurableEvent, step: StepPart | null): object {
  const { v, seq, ts, session_id, run_id, parent_run_id, parent_call_id, type, ...payload } = event;
  return { timestamp: trajectoryTime(ts), step_number: step?.step_number ?? null, ...payload };
}

export class TrajectoryRun {
  readonly interactions: object[] = [];
  readonly steps: StepPart[] = [];
  readonly retries: object[] = [];
  readonly compactions: object[] = [];
  #toolNames: readonly string[] = [];
  /** What the next call of the model is the first to see. */
  #fresh: TrajectoryMessage[] = [];
  #finished: EventOf<'tool_finished'>[] = [];
  #step: StepPart | null = null;
  #stepOpen = false;
  #startedAt = 0;
  readonly #requests = new Map<string, EventOf<'approval_requested'>>();

  apply(event: DurableEvent): void {
    switch (event.type) {
      case 'run_started':
        this.#beginRun(event);
        break;
      case 'step_started':
        this.#beginStep(event);
        break;
      case 'message_added':
        this.#flushResults();
        this.#add([messagePart(event.message)]);
        break;
      case 'llm_response':
        this.#addReply(event);
        break;
      case 'tool_finished':
        this.#finished.push(event);
        break;
      case 'step_finished':
        this.#finishStep(event);
        break;
      default:
        this.#note(event);
    }
  }

  /** Results of a step that never finished belong to it all the same. */
  end(): void {
    this.#flushResults();
  }

  #note(event: DurableEvent): void {
    switch (event.type) {
      case 'reflection':
        this.#stepNumbered(event.step_number, (step) => {
          step.reflection = event.text;
        });
        break;
      case 'label':
        this.#stepNumbered(event.step_number, (step) => {
          step.lakeview_summary = labelText(event);
        });
        break;
      case 'approval_requested':
        this.#requests.set(event.approval_id, event);
        break;
      case 'approval_resolved':
        this.#addApproval(event);
        break;
      case 'retry':
        this.retries.push(listed(event, this.#step));
        break;
      case 'compaction':
        this.compactions.push(listed(event, this.#step));
        break;
      default:
    }
  }

  #beginRun(event: EventOf<'run_started'>): void {
    this.#toolNames = event.tools.map((tool) => tool.name);
    if (this.interactions.length > 0 || this.#fresh.length > 0) return;
    this.#fresh.push({ role: 'system', content: event.system });
  }

  #beginStep(event: EventOf<'step_started'>): void {
    this.#flushResults();
    this.#step = newStep(event);
    this.#stepOpen = true;
    this.#startedAt = Date.parse(event.ts);
    this.steps.push(this.#step);
  }

  #add(messages: readonly TrajectoryMessage[]): void {
    this.#fresh.push(...messages);
    if (this.#stepOpen) this.#step?.llm_messages.push(...messages);
  }

  #addReply(event: EventOf<'llm_response'>): void {
    const ofStep = event.purpose === 'step';
    if (ofStep) this.#flushResults();
    this.interactions.push({
      timestamp: trajectoryTime(event.ts),
      provider: event.provider,
      model: event.model,
      input_messages: ofStep ? this.#fresh : [],
      response: responsePart(event),
      tools_available: this.#toolNames,
      purpose: event.purpose,
      step_number: this.#step?.step_number ?? null,
      attempts: event.attempts,
      ttft_ms: event.ttft_ms,
      duration_ms: event.duration_ms,
      cost_usd: event.cost_usd,
      reasoning: responseReasoning(event),
      request_sha256: event.request_sha256,
    });
    if (!ofStep) return;
    this.#fresh = [];
    if (this.#step === null) return;
    const calls = callsOf(event.content);
    this.#step.llm_response = responsePart(event);
    this.#step.tool_calls = calls.length === 0 ? null : calls.map(callPart);
    this.#step.llm_messages.push(...replyParts(event));
  }

  /** Results arrive as they finish; they stand in the order of the calls. */
  #flushResults(): void {
    if (this.#finished.length === 0) return;
    const order = this.#step?.tool_calls?.map(({ call_id }) => call_id) ?? [];
    const place = (callId: string): number =>
      order.includes(callId) ? order.indexOf(callId) : order.length;
    const sorted = this.#finished.sort((a, b) => place(a.call_id) - place(b.call_id));
    this.#finished = [];
    this.#fresh.push(...sorted.map(resultMessage));
    if (this.#step === null) return;
    this.#step.llm_messages.push(...sorted.map(resultMessage));
    this.#step.tool_results = [...(this.#step.tool_results ?? []), ...sorted.map(resultPart)];
    this.#step.files_changed.push(...sorted.flatMap((event) => event.files_changed));
  }

  #finishStep(event: EventOf<'step_finished'>): void {
    this.#flushResults();
    this.#stepOpen = false;
    this.#stepNumbered(event.step_number, (step) => {
      step.state = event.state;
      step.error = errorText(event.error);
      step.duration_ms = Math.max(0, Date.parse(event.ts) - this.#startedAt);
      step.llm_usage = plainUsage(event.usage);
      step.cost_usd = event.cost_usd;
    });
  }

  #stepNumbered(number: number, change: (step: StepPart) => void): void {
    const step = this.steps.findLast(({ step_number }) => step_number === number);
    if (step !== undefined) change(step);
  }

  #addApproval(event: EventOf<'approval_resolved'>): void {
    const request = this.#requests.get(event.approval_id);
    this.#step?.approvals.push({
      approval_id: event.approval_id,
      call_id: request?.call_id ?? null,
      tool: request?.tool ?? null,
      summary: request?.summary ?? null,
      decision: event.decision,
      scope: event.scope,
      by: event.by,
      rule: event.rule ?? null,
      note: event.note ?? null,
    });
  }
}
