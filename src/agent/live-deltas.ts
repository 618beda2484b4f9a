import type { LLMEvent } from '../llm/types.ts';
import type { Redactor } from '../session/types.ts';
import type { RunState } from './run-state.ts';

interface OpenPart {
  readonly stream: ReturnType<Redactor['stream']>;
  readonly send: (text: string) => void;
}

/** Text and reasoning come one after the other; calls may come interleaved and end with the reply. */
const IN_TURN = ['text_delta', 'reasoning_delta'] as const;

/**
 * The pieces of one reply as transient events, without known secrets, also where one is split over pieces. Of each
 * part (the text, the reasoning, the arguments of one call) only a tail that could still become a secret waits.
 */
export class LiveDeltas {
  private readonly run: RunState;
  private readonly messageId: string;
  private readonly open = new Map<string, OpenPart>();

  constructor(run: RunState, messageId: string) {
    this.run = run;
    this.messageId = messageId;
  }

  show(event: LLMEvent): void {
    const { log, scope } = this.run;
    const message_id = this.messageId;
    if (event.type === 'text_delta' || event.type === 'reasoning_delta') {
      const { type } = event;
      this.turnTo(type);
      const send = (text: string) => log.emit(scope, type, { message_id, text });
      const text = this.ready(type, event.text, send);
      if (text !== '') send(text);
    }
    if (event.type === 'tool_call_delta') {
      const { index, name } = event;
      this.turnTo(null);
      const send = (text: string, named: { name?: string } = {}) =>
        log.emit(scope, 'tool_call_delta', { message_id, index, ...named, text });
      const text = this.ready(`call ${index}`, event.text, send);
      if (name !== undefined) send(text, { name });
      else if (text !== '') send(text);
    }
    if (event.type === 'discard') {
      this.open.clear();
      log.emit(scope, 'discard', { message_id, reason: event.reason });
    }
  }

  /** The reply is over: what waited is shown. */
  end(): void {
    for (const part of [...this.open.keys()]) this.close(part);
  }

  private turnTo(part: (typeof IN_TURN)[number] | null): void {
    for (const other of IN_TURN) if (other !== part) this.close(other);
  }

  /** What of the part can be shown now; the rest goes to `send` when the part ends, unless more of it comes. */
  private ready(part: string, text: string, send: OpenPart['send']): string {
    const stream = this.open.get(part)?.stream ?? this.run.redactor.stream();
    this.open.set(part, { stream, send });
    return stream.push(text);
  }

  private close(part: string): void {
    const ended = this.open.get(part);
    if (ended === undefined) return;
    this.open.delete(part);
    const rest = ended.stream.end();
    if (rest !== '') ended.send(rest);
  }
}
