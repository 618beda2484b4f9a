/** Messages that arrive while a run is active, in order (agent.md 2.8). */
export type SteerMode = 'after_step' | 'now';

export interface QueuedMessage {
  readonly messageId: string;
  readonly text: string;
  readonly mode: SteerMode;
}

export class MessageQueue {
  private waiting: QueuedMessage[] = [];
  private onNow: (() => void) | null = null;

  get size(): number {
    return this.waiting.length;
  }

  push(message: QueuedMessage): void {
    this.waiting.push(message);
    if (message.mode === 'now') this.onNow?.();
  }

  takeAll(): readonly QueuedMessage[] {
    const taken = this.waiting;
    this.waiting = [];
    return taken;
  }

  texts(): readonly string[] {
    return this.waiting.map((message) => message.text);
  }

  /** True while a message waits that stops what has not started. */
  get urgent(): boolean {
    return this.waiting.some((message) => message.mode === 'now');
  }

  /** Calls `stop` when an urgent message arrives, or at once when one waits; returns the release. */
  whileInterruptible(stop: () => void): () => void {
    this.onNow = stop;
    if (this.urgent) stop();
    return () => {
      this.onNow = null;
    };
  }
}
