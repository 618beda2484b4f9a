/**
 * Readers of a running log. Durable events come when acknowledged; transient ones at once, numbered after the last
 * durable event shown. A reader that throws is removed and reported; the others and the run go on.
 */
import type {
  DurableEvent,
  EventScope,
  SessionEvent,
  TransientEvent,
  TransientPayloads,
  TransientType,
} from './events.ts';
import type { EventListener } from './types.ts';

export class Listeners {
  readonly #listeners = new Set<EventListener>();
  readonly #onRemoved: (error: unknown) => void;
  #lastSeq: number;
  #sub = 0;

  constructor(lastSeq: number, onRemoved: (error: unknown) => void) {
    this.#lastSeq = lastSeq;
    this.#onRemoved = onRemoved;
  }

  get any(): boolean {
    return this.#listeners.size > 0;
  }

  add(listener: EventListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  showDurable(seq: number, event: () => DurableEvent): void {
    this.#lastSeq = seq;
    this.#sub = 0;
    if (this.any) this.#show(event());
  }

  showTransient<T extends TransientType>(
    scope: EventScope,
    type: T,
    payload: TransientPayloads[T],
    base: { readonly ts: string; readonly session_id: string },
  ): void {
    this.#sub += 1;
    const envelope = { v: 1, seq: this.#lastSeq, sub: this.#sub, ...base, ...scope, type };
    // TypeScript cannot follow that `payload` belongs to `type` once both are spread.
    this.#show({ ...envelope, ...payload } as unknown as TransientEvent);
  }

  #show(event: SessionEvent): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(event);
      } catch (error) {
        this.#listeners.delete(listener);
        this.#onRemoved(error);
      }
    }
  }
}
