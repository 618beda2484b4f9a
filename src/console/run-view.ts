import type { ErrorInfo, EventOf, SessionEvent } from '../session/events.ts';
import type { LLMUsage } from '../session/types.ts';

/** One tool call as a console shows it. Text fields are still unsanitised. */
export interface CallView {
  readonly callId: string;
  name: string;
  title: string;
  arguments: unknown;
  state: 'running' | 'ok' | 'failed';
  /** The last lines of live output, at most 8. */
  tail: string[];
  result: string;
  error: string | null;
  errorKind: string | null;
  diff: string | null;
  durationMs: number;
}

export interface StepView {
  number: number;
  text: string;
  reasoning: string;
  calls: CallView[];
  reflection: string | null;
  label: string | null;
  error: ErrorInfo | null;
  usage: LLMUsage | null;
  costUsd: number | null;
}

/** A reply while it streams. It may run ahead of the step the durable events have reached. */
export interface StreamView {
  messageId: string;
  text: string;
  reasoning: string;
}

export interface RunView {
  maxSteps: number;
  step: StepView | null;
  stream: StreamView | null;
  /** Totals of the run so far, from `usage` events. */
  usage: LLMUsage | null;
  costUsd: number | null;
  contextTokens: number;
  contextWindow: number;
  thinking: boolean;
}

const TAIL_LINES = 8;
/** Longer lines lose their end: no screen shows it, and a line may never end. */
const LINE_UNITS = 2000;
/** Of a long piece only so much of its end is looked at. */
const RECENT_UNITS = (TAIL_LINES + 1) * LINE_UNITS;

function emptyStep(number: number): StepView {
  return {
    number,
    text: '',
    reasoning: '',
    calls: [],
    reflection: null,
    label: null,
    error: null,
    usage: null,
    costUsd: null,
  };
}

function callOf(step: StepView, callId: string): CallView {
  const known = step.calls.find((call) => call.callId === callId);
  if (known) return known;
  const call: CallView = {
    callId,
    name: '',
    title: '',
    arguments: {},
    state: 'running',
    tail: [],
    result: '',
    error: null,
    errorKind: null,
    diff: null,
    durationMs: 0,
  };
  step.calls.push(call);
  return call;
}

function addTail(call: CallView, text: string): void {
  const joined = [...call.tail.splice(0), ''];
  const open = joined.length > 1 ? joined.slice(0, -1).join('\n') : '';
  const recent = text.length > RECENT_UNITS ? text.slice(-RECENT_UNITS) : `${open}${text}`;
  const lines = recent.split('\n').slice(-TAIL_LINES - 1);
  call.tail = lines.map((line) => line.slice(0, LINE_UNITS));
}

/** The lines of live output worth showing: without the empty piece after a final line break. */
export function tailLines(call: CallView): string[] {
  const lines = call.tail.at(-1) === '' ? call.tail.slice(0, -1) : call.tail;
  return lines.slice(-TAIL_LINES);
}

function fromResponse(
  step: StepView,
  event: Extract<SessionEvent, { type: 'llm_response' }>,
): void {
  const text = event.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  step.text = text.join('\n');
  step.reasoning = event.reasoning ?? '';
  for (const block of event.content) {
    if (block.type !== 'tool_call') continue;
    const call = callOf(step, block.call.call_id);
    call.name = block.call.name;
    call.arguments = block.call.arguments;
  }
}

function fromFinished(
  step: StepView,
  event: Extract<SessionEvent, { type: 'tool_finished' }>,
): void {
  const call = callOf(step, event.call_id);
  call.name = event.name || call.name;
  call.state = event.success ? 'ok' : 'failed';
  call.result = event.result ?? '';
  call.error = event.error;
  call.errorKind = event.error_kind;
  call.durationMs = event.duration_ms;
  call.diff = typeof event.metadata.diff === 'string' ? event.metadata.diff : null;
}

/** Folds one event into the view. Events of sub-agents and of purposes other than a step change nothing here. */
export function applyEvent(view: RunView, event: SessionEvent): void {
  if (event.parent_run_id !== undefined) return;
  if (event.type === 'run_started') {
    view.maxSteps = event.max_steps;
    return;
  }
  if (event.type === 'usage') {
    view.usage = event.usage;
    view.costUsd = event.cost_usd;
    view.contextTokens = event.context_tokens;
    view.contextWindow = event.context_window;
    return;
  }
  if (event.type === 'text_delta' || event.type === 'reasoning_delta') {
    addDelta(view, event);
    return;
  }
  if (event.type === 'discard') {
    view.stream = null;
    return;
  }
  if (event.type === 'step_started') {
    view.step = emptyStep(event.step_number);
    view.thinking = true;
    return;
  }
  if (view.step) applyToStep(view, view.step, event);
}

function addDelta(view: RunView, event: EventOf<'text_delta' | 'reasoning_delta'>): void {
  if (view.stream?.messageId !== event.message_id) {
    view.stream = { messageId: event.message_id, text: '', reasoning: '' };
  }
  if (event.type === 'text_delta') view.stream.text += event.text;
  else view.stream.reasoning += event.text;
}

function applyToStep(view: RunView, step: StepView, event: SessionEvent): void {
  switch (event.type) {
    case 'llm_response':
      if (event.purpose !== 'step') break;
      view.thinking = false;
      if (view.stream?.messageId === event.message_id) view.stream = null;
      fromResponse(step, event);
      break;
    case 'tool_started': {
      const call = callOf(step, event.call_id);
      call.name = event.name;
      call.title = event.title;
      call.arguments = event.arguments;
      break;
    }
    case 'tool_output':
      addTail(callOf(step, event.call_id), event.text);
      break;
    case 'tool_finished':
      fromFinished(step, event);
      break;
    case 'reflection':
      step.reflection = event.text;
      break;
    case 'label':
      step.label = [event.tags.join(' '), event.task].filter(Boolean).join(' ');
      break;
    case 'step_finished':
      view.thinking = false;
      step.error = event.error;
      step.usage = event.usage;
      step.costUsd = event.cost_usd;
      break;
    default:
      break;
  }
}

export function createRunView(): RunView {
  return {
    maxSteps: 0,
    step: null,
    stream: null,
    usage: null,
    costUsd: null,
    contextTokens: 0,
    contextWindow: 0,
    thinking: false,
  };
}
