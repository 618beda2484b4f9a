/**
 * Folds durable events into the conversation of the top-level agent: what a live run keeps in memory, rebuilt from the
 * log alone.
 */
import type { LLMMessage, ToolCall, ToolResultBlock } from '../llm/types.ts';
import type { DurableEvent, EventOf } from './events.ts';
import { resultsMessageId } from './ids.ts';
import { resultBlock, trimmedResultText } from './result-text.ts';

/** The results of one reply: a message as soon as one is there, in call order. */
class ResultsEntry {
  readonly id: string;
  readonly calls: readonly ToolCall[];
  readonly #blocks = new Map<string, ToolResultBlock>();
  #message: LLMMessage | null = null;

  constructor(id: string, calls: readonly ToolCall[]) {
    this.id = id;
    this.calls = calls;
  }

  get(callId: string): ToolResultBlock | undefined {
    return this.#blocks.get(callId);
  }

  set(block: ToolResultBlock): void {
    this.#blocks.set(block.call_id, block);
    this.#message = null;
  }

  get message(): LLMMessage | null {
    if (this.#blocks.size === 0) return null;
    this.#message ??= {
      message_id: this.id,
      role: 'user',
      origin: 'tool',
      content: this.calls.flatMap(({ call_id }) => this.#blocks.get(call_id) ?? []),
    };
    return this.#message;
  }
}

type Entry = { readonly id: string; readonly message: LLMMessage } | ResultsEntry;

const WINDOW_EXCEEDED = 'model_context_window_exceeded';

/** The assistant message a reply becomes; null when nothing of it stays. */
function replyMessage(event: EventOf<'llm_response'>): LLMMessage | null {
  if (event.purpose !== 'step' || event.raw_finish_reason === WINDOW_EXCEEDED) return null;
  const { raw, complete } = event;
  const content = event.partial
    ? event.content.filter((block) => block.type !== 'tool_call')
    : event.content;
  if (event.partial && content.length === 0) return null;
  return {
    message_id: event.message_id,
    role: 'assistant',
    origin: 'model',
    content,
    ...(raw === null || event.partial ? {} : { raw }),
    complete: complete && !event.partial,
  };
}

export class ConversationFold {
  #entries: Entry[] = [];
  #resultsOf = new Map<string, ResultsEntry>();
  /** Where a summary goes whose `compaction` came before its message. */
  #awaited: { readonly id: string; readonly index: number } | null = null;
  /** Every event that made the present conversation, and where each step of the session began in it. */
  #history: DurableEvent[] = [];
  #stepStarts = new Map<number, number>();
  #runStart = 0;
  #runHasSteps = false;

  apply(event: DurableEvent): void {
    if (event.parent_run_id !== undefined) return;
    if (event.type === 'history_cleared') this.#restart([]);
    else if (event.type === 'history_rewound') this.#rewind(event.to_session_step);
    else this.#record(event);
  }

  messages(): LLMMessage[] {
    return this.#entries.flatMap((entry) => entry.message ?? []);
  }

  /** Calls of replies in the conversation that have no result. */
  unanswered(): ToolCall[] {
    return this.#entries.flatMap((entry) =>
      entry instanceof ResultsEntry
        ? entry.calls.filter(({ call_id }) => entry.get(call_id) === undefined)
        : [],
    );
  }

  #record(event: DurableEvent): void {
    switch (event.type) {
      case 'run_started':
        this.#runStart = this.#history.length;
        this.#runHasSteps = false;
        break;
      case 'step_started':
        this.#markStep(event);
        break;
      case 'message_added':
        this.#addMessage(event.message);
        break;
      case 'llm_response':
        this.#addReply(event);
        break;
      case 'tool_finished':
        this.#resultsOf.get(event.call_id)?.set(resultBlock(event));
        break;
      case 'compaction':
        this.#compact(event);
        break;
      case 'context_trimmed':
        for (const item of event.items) this.#trim(item);
        break;
      default:
        return;
    }
    this.#history.push(event);
  }

  /** Going back before the first step of a run also takes back the task that began it. */
  #markStep(event: EventOf<'step_started'>): void {
    const begin = this.#runHasSteps ? this.#history.length : this.#runStart;
    if (event.session_step !== null) this.#stepStarts.set(event.session_step, begin);
    this.#runHasSteps = true;
  }

  #addMessage(message: LLMMessage): void {
    const entry = { id: message.message_id, message };
    if (this.#awaited?.id === message.message_id) {
      this.#entries.splice(this.#awaited.index, 0, entry);
      this.#awaited = null;
    } else this.#entries.push(entry);
  }

  #addReply(event: EventOf<'llm_response'>): void {
    const message = replyMessage(event);
    if (message === null) return;
    this.#entries.push({ id: message.message_id, message });
    const calls = message.content.flatMap((block) =>
      block.type === 'tool_call' ? [block.call] : [],
    );
    if (calls.length === 0) return;
    const results = new ResultsEntry(resultsMessageId(message.message_id), calls);
    this.#entries.push(results);
    for (const { call_id } of calls) this.#resultsOf.set(call_id, results);
  }

  #compact(event: EventOf<'compaction'>): void {
    if (!event.ok || event.replaced === null || event.summary_message_id === null) return;
    const [firstId, lastId] = event.replaced;
    const summaryId = event.summary_message_id;
    const summary = this.#entries.find(({ id }) => id === summaryId);
    const others = this.#entries.filter((entry) => entry !== summary);
    const first = others.findIndex(({ id }) => id === firstId);
    const last = others.findIndex(({ id }) => id === lastId);
    if (first < 0 || last < first) return;
    others.splice(first, last - first + 1, ...(summary === undefined ? [] : [summary]));
    if (summary === undefined) this.#awaited = { id: summaryId, index: first };
    this.#entries = others;
  }

  #trim(item: EventOf<'context_trimmed'>['items'][number]): void {
    const entry = this.#resultsOf.get(item.call_id);
    const block = entry?.get(item.call_id);
    if (entry === undefined || block === undefined) return;
    const { images: _dropped, ...rest } = block;
    entry.set({ ...rest, text: item.text ?? trimmedResultText(block.text, item.spill) });
  }

  #rewind(sessionStep: number): void {
    const start = this.#stepStarts.get(sessionStep);
    if (start !== undefined) this.#restart(this.#history.slice(0, start));
  }

  #restart(history: readonly DurableEvent[]): void {
    this.#entries = [];
    this.#resultsOf = new Map();
    this.#awaited = null;
    this.#history = [];
    this.#stepStarts = new Map();
    this.#runStart = 0;
    this.#runHasSteps = false;
    for (const event of history) this.#record(event);
  }
}
