import type { LLMMessage, LLMRequest, LLMUsage, ModelClient } from '../../llm/types.ts';
import { inputTotal } from '../usage.ts';

const SMALLEST_RATIO = 0.5;
const LARGEST_RATIO = 2;

/**
 * How full the context is: the last reported total plus an estimate of what was added since. Each message is
 * estimated once, so the work of a step does not grow with the history.
 */
export class ContextMeter {
  private client: ModelClient;
  private frame: LLMRequest;
  private frameTokens: number;
  private messageTokens = 0;
  private reported: number | null = null;
  private since = 0;
  private ratio = 1;

  constructor(client: ModelClient, frame: LLMRequest, messages: readonly LLMMessage[]) {
    this.client = client;
    this.frame = { ...frame, messages: [] };
    this.frameTokens = client.estimate(this.frame);
    this.recount(messages);
  }

  /** Of the next request's input. */
  get tokens(): number {
    const estimate =
      this.reported === null
        ? (this.frameTokens + this.messageTokens) * this.ratio
        : this.reported + this.since * this.ratio;
    return Math.ceil(estimate);
  }

  /** Of a list of messages with system and tools, before the ratio is applied. */
  estimateOf(messages: readonly LLMMessage[]): number {
    return Math.ceil((this.frameTokens + this.sum(messages)) * this.ratio);
  }

  added(message: LLMMessage): void {
    const tokens = this.sum([message]);
    this.messageTokens += tokens;
    this.since += tokens;
  }

  /** The provider's figures for the request just made; its reply is already among the messages. */
  report(usage: LLMUsage, estimated: boolean, reply: LLMMessage): void {
    const input = inputTotal(usage);
    if (estimated || input === 0) return;
    const unscaled = this.frameTokens + this.messageTokens - this.sum([reply]);
    if (unscaled > 0)
      this.ratio = Math.min(LARGEST_RATIO, Math.max(SMALLEST_RATIO, input / unscaled));
    this.reported = input + usage.output_tokens;
    this.since = 0;
  }

  /** After the list, the model or the tools changed: from the last report nothing holds any more. */
  reset(client: ModelClient, frame: LLMRequest, messages: readonly LLMMessage[]): void {
    if (client !== this.client) this.ratio = 1;
    this.client = client;
    this.frame = { ...frame, messages: [] };
    this.frameTokens = client.estimate(this.frame);
    this.recount(messages);
  }

  recount(messages: readonly LLMMessage[]): void {
    this.messageTokens = this.sum(messages);
    this.reported = null;
    this.since = 0;
  }

  private sum(messages: readonly LLMMessage[]): number {
    if (messages.length === 0) return 0;
    return this.client.estimate({ ...this.frame, system: [], tools: [], messages });
  }
}
