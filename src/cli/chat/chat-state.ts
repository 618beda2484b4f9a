/** What a chat knows of its session from the events: for /status, /cost and /tools. */
import type { EventOf, OfferedTool, SessionEvent } from '../../session/events.ts';
import { addSpent, NOTHING_SPENT, type Spent, spentBy } from '../../session/session-usage.ts';
import type { RunFlags } from '../run-flags.ts';

export interface ChatPlace {
  readonly flags: RunFlags;
  readonly workspace: string;
  readonly agentType: string;
  /** The session that is gone on with, or null. */
  readonly sessionId: string | null;
  /** What its earlier runs used. */
  readonly earlier: Spent;
}

/** Spending by "model, purpose". */
export type SpentByUse = ReadonlyMap<string, Spent>;

export class ChatState {
  readonly place: ChatPlace;
  sessionId: string | null;
  run: EventOf<'run_started'> | null = null;
  context: EventOf<'usage'> | null = null;
  /** Chosen by /model and not used yet. */
  chosenModel: string | null = null;
  /** Chosen by /model earlier and in use. */
  switchedModel: string | null = null;
  #task = new Map<string, Spent>();
  readonly #session = new Map<string, Spent>();

  constructor(place: ChatPlace) {
    this.place = place;
    this.sessionId = place.sessionId;
  }

  /** The flags this chat would be started with now: `/model` may have changed the model. */
  get flags(): RunFlags {
    const model = this.chosenModel ?? this.switchedModel;
    return model === null ? this.place.flags : { ...this.place.flags, model };
  }

  get tools(): readonly OfferedTool[] {
    return this.run?.tools ?? [];
  }

  spent(of: 'task' | 'session'): SpentByUse {
    return of === 'task' ? this.#task : this.#session;
  }

  onEvent(event: SessionEvent): void {
    this.sessionId = event.session_id;
    if (event.type === 'run_started' && event.parent_run_id === undefined) {
      this.run = event;
      this.#task = new Map();
      this.switchedModel = this.chosenModel ?? this.switchedModel;
      this.chosenModel = null;
    }
    if (event.type === 'usage') this.context = event;
    if (event.type === 'llm_response') {
      add(this.#task, event);
      add(this.#session, event);
    }
  }
}

function add(totals: Map<string, Spent>, event: EventOf<'llm_response'>): void {
  const use = `${event.model}, ${event.purpose}`;
  const spent = spentBy(event.usage, event.cost_usd);
  totals.set(use, addSpent(totals.get(use) ?? NOTHING_SPENT, spent));
}
