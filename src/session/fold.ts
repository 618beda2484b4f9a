/**
 * The state of a session as a pure fold over its durable events: resume, rewind, export and the views of a stored
 * session read this, and nothing is executed to rebuild it.
 */
import { ConversationFold } from './conversation-fold.ts';
import type { DurableEvent, DurablePayloads, EventOf } from './events.ts';
import { LoadedTools } from './loaded-tools.ts';
import { RunFold } from './run-fold.ts';
import type { OpenApproval, OpenCall, OpenQuestion, SessionState } from './session-state.ts';
import { WrittenFiles } from './written-files.ts';

/** Approvals and questions whose call has no result yet. */
class Waiting {
  readonly #approvals = new Map<string, OpenApproval>();
  readonly #questions = new Map<string, OpenQuestion>();

  apply(event: DurableEvent): void {
    switch (event.type) {
      case 'approval_requested':
        this.#approvals.set(event.approval_id, { request: event, answer: null });
        break;
      case 'approval_resolved':
        this.#answer(event);
        break;
      case 'question_asked':
        this.#questions.set(event.question_id, { question: event, answer: null });
        break;
      case 'question_answered':
        this.#answerQuestion(event);
        break;
      case 'tool_started':
        this.#drop(event.call_id, false);
        break;
      case 'tool_finished':
        this.#drop(event.call_id, true);
        break;
      default:
    }
  }

  approvals(): OpenApproval[] {
    return [...this.#approvals.values()];
  }

  questions(): OpenQuestion[] {
    return [...this.#questions.values()];
  }

  #answer(event: EventOf<'approval_resolved'>): void {
    const open = this.#approvals.get(event.approval_id);
    if (open !== undefined) this.#approvals.set(event.approval_id, { ...open, answer: event });
  }

  #answerQuestion(event: EventOf<'question_answered'>): void {
    const open = this.#questions.get(event.question_id);
    if (open !== undefined) this.#questions.set(event.question_id, { ...open, answer: event });
  }

  /** A started call has used its approval; a question is asked while its call runs. */
  #drop(callId: string, finished: boolean): void {
    for (const [id, { request }] of this.#approvals) {
      if (request.call_id === callId) this.#approvals.delete(id);
    }
    if (!finished) return;
    for (const [id, { question }] of this.#questions) {
      if (question.call_id === callId) this.#questions.delete(id);
    }
  }
}

/** An incremental fold: `apply` takes the next durable event, `state` gives the state after it. */
export class SessionFold {
  readonly #conversation = new ConversationFold();
  readonly #runs = new RunFold();
  readonly #waiting = new Waiting();
  readonly #loaded = new LoadedTools();
  readonly #written = new WrittenFiles();
  readonly #startedCalls = new Set<string>();
  readonly #origins = new Map<string, { readonly run_id: string; readonly step_number: number }>();
  readonly #queued = new Map<string, DurablePayloads['steer_queued']>();
  readonly #changes: DurablePayloads['state_changed'][] = [];
  #lastSeq = 0;
  #started: SessionState['started'] = null;
  #provider: string | null = null;
  #model: string | null = null;
  #mode: string | null = null;
  #anchor: SessionState['audit_anchor'] = null;

  apply(event: DurableEvent): void {
    this.#lastSeq = event.seq;
    this.#runs.apply(event);
    this.#conversation.apply(event);
    this.#waiting.apply(event);
    this.#loaded.apply(event);
    this.#written.apply(event);
    this.#note(event);
  }

  state(): SessionState {
    const total = this.#runs.total();
    return {
      last_seq: this.#lastSeq,
      started: this.#started,
      messages: this.#conversation.messages(),
      runs: this.#runs.runs(),
      tasks: this.#runs.tasks(),
      steps: this.#runs.steps(),
      open_calls: this.#openCalls(),
      open_approvals: this.#waiting.approvals(),
      open_questions: this.#waiting.questions(),
      queued_messages: [...this.#queued.values()],
      provider: this.#provider,
      model: this.#model,
      permission_mode: this.#mode,
      session_step: this.#runs.sessionStep,
      changes: [...this.#changes],
      loaded_tools: this.#loaded.names,
      written_files: this.#written.list,
      audit_anchor: this.#anchor,
      usage: total.usage,
      cost_usd: total.cost_usd,
      cost_known_usd: total.cost_known_usd,
    };
  }

  #openCalls(): OpenCall[] {
    return this.#conversation.unanswered().map((call) => ({
      call,
      run_id: this.#origins.get(call.call_id)?.run_id ?? '',
      step_number: this.#origins.get(call.call_id)?.step_number ?? 0,
      started: this.#startedCalls.has(call.call_id),
    }));
  }

  #note(event: DurableEvent): void {
    switch (event.type) {
      case 'session_started':
        this.#started = event;
        break;
      case 'run_started':
        if (event.parent_run_id === undefined) this.#noteRun(event);
        break;
      case 'run_finished':
        this.#anchor = event.audit ?? this.#anchor;
        break;
      case 'model_changed':
        this.#model = event.to;
        break;
      case 'permission_mode_changed':
        this.#mode = event.to;
        break;
      case 'llm_response':
        this.#noteCalls(event);
        break;
      case 'tool_started':
        this.#startedCalls.add(event.call_id);
        break;
      case 'steer_queued':
        this.#queued.set(event.message_id, {
          message_id: event.message_id,
          text: event.text,
          mode: event.mode,
        });
        break;
      case 'message_added':
        this.#queued.delete(event.message.message_id);
        break;
      case 'state_changed':
        this.#changes.push({ store: event.store, change: event.change });
        break;
      default:
    }
  }

  #noteRun(event: EventOf<'run_started'>): void {
    this.#provider = event.provider;
    this.#model = event.model;
    this.#mode = event.permission_mode;
  }

  #noteCalls(event: EventOf<'llm_response'>): void {
    const { run_id } = event;
    if (run_id === null) return;
    const step_number = this.#runs.stepOf(run_id);
    for (const block of event.content) {
      if (block.type === 'tool_call')
        this.#origins.set(block.call.call_id, { run_id, step_number });
    }
  }
}

/** The state after all given events. */
export function foldSession(events: readonly DurableEvent[]): SessionState {
  const fold = new SessionFold();
  for (const event of events) fold.apply(event);
  return fold.state();
}
