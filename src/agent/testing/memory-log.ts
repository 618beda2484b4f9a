import type {
  DurableEvent,
  DurablePayloads,
  DurableType,
  EventScope,
  SessionEvent,
  TransientPayloads,
  TransientType,
} from '../../session/events.ts';
import type { Appended, EventListener, EventLog } from '../../session/types.ts';

/** An event log in memory for tests: everything is acknowledged at once. */
export class MemoryLog implements EventLog {
  readonly sessionId = 'ses_test';
  failed: Error | null = null;
  diskFull = false;
  readonly all: SessionEvent[] = [];
  private readonly listeners = new Set<EventListener>();
  private seq = 0;

  append<T extends DurableType>(scope: EventScope, type: T, payload: DurablePayloads[T]): Appended {
    this.seq += 1;
    const event = this.envelope(scope, type, payload) as DurableEvent;
    this.show(event);
    return {
      seq: this.seq,
      event,
      written: Promise.resolve(),
      acknowledged: Promise.resolve(),
    };
  }

  emit<T extends TransientType>(scope: EventScope, type: T, payload: TransientPayloads[T]): void {
    this.show(this.envelope(scope, type, payload) as SessionEvent);
  }

  subscribe(listener: EventListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async flush(): Promise<void> {}

  async events(): Promise<DurableEvent[]> {
    return this.all.filter((event) => !('sub' in event)) as DurableEvent[];
  }

  async close(): Promise<void> {}

  /** All events of one type. */
  of<T extends SessionEvent['type']>(type: T): Extract<SessionEvent, { type: T }>[] {
    return this.all.filter(
      (event): event is Extract<SessionEvent, { type: T }> => event.type === type,
    );
  }

  private envelope(scope: EventScope, type: string, payload: object): object {
    const ts = new Date().toISOString();
    return { v: 1, seq: this.seq, ts, session_id: this.sessionId, ...scope, type, ...payload };
  }

  private show(event: SessionEvent): void {
    this.all.push(event);
    for (const listener of this.listeners) listener(event);
  }
}
