import type { LLMErrorInfo, LLMMessage, ReportedUsage } from '../../llm/types.ts';
import { providerFailed, type RunExit } from '../exits.ts';
import type { ContextKeeper, RunState } from '../run-state.ts';
import {
  type CompactionPlan,
  type CompactionReason,
  modelSummary,
  rulesSummary,
  withSummary,
} from './compact.ts';
import type { ConversationMessages } from './conversation.ts';
import { type ContextLimits, contextLimits } from './limits.ts';
import type { ContextMeter } from './meter.ts';
import { splitForCompaction } from './rounds.ts';
import { planTrim } from './trim.ts';

const KEPT_ROUNDS = 4;
const PAUSE_STEPS = 5;
const MODEL_FAILURES = 3;
const SMALLEST_OUTPUT = 1024;
/** Bytes of text a token stands for, when only the size of what is freed matters. */
const BYTES_PER_TOKEN = 3.6;

export interface ContextOptions {
  readonly conversation: ConversationMessages;
  readonly meter: ContextMeter;
  readonly contextWindow: number;
  /** The output limit that is sent with each request, null when none is. */
  readonly outputLimit: number | null;
  /** Keeps a whole result under `tool-output/<callId>.txt`. */
  readonly storeResult: (callId: string, text: string) => Promise<void>;
}

/** Keeps the conversation inside the model's window, cheapest means first. */
export class ContextManager implements ContextKeeper {
  private readonly options: ContextOptions;
  private learnedWindow: number | null = null;
  private lowered: number | null = null;
  private modelFailures = 0;
  private pausedUntilStep = 0;

  constructor(options: ContextOptions) {
    this.options = options;
  }

  get tokens(): number {
    return this.options.meter.tokens;
  }

  get window(): number {
    return this.limits.window;
  }

  get outputLimit(): number | null {
    return this.lowered;
  }

  get limits(): ContextLimits {
    const { contextWindow, outputLimit } = this.options;
    return contextLimits(this.learnedWindow ?? contextWindow, this.lowered ?? outputLimit);
  }

  added(message: LLMMessage): void {
    this.options.meter.added(message);
  }

  report(usage: ReportedUsage, reply: LLMMessage): void {
    this.options.meter.report(usage, usage.estimated, reply);
  }

  async prepare(run: RunState): Promise<RunExit | null> {
    const { limits } = this;
    if (this.tokens <= limits.soft) return null;
    if (this.leastTokens() > limits.hard) return this.doesNotFit();
    await this.trim(run, limits.hard / 2, limits.window * 0.1);
    if (this.tokens <= limits.soft) return null;
    await this.compact(run, 'soft_limit', null);
    return null;
  }

  async recover(run: RunState, error: LLMErrorInfo, count: number): Promise<RunExit | null> {
    if (error.overflow?.window !== undefined) this.learnedWindow = error.overflow.window;
    if (count > 2 || this.leastTokens() > this.limits.hard) return this.doesNotFit();
    if (count === 1 && this.lowerOutput(error)) return null;
    const target = this.limits.hard / 2;
    if (count === 2) {
      await this.rules(run, 'overflow', this.plan(1));
      return null;
    }
    await this.trim(run, target, 0);
    if (this.tokens > target) await this.compact(run, 'overflow', null);
    return null;
  }

  /** Compacts now. True when the result was accepted. */
  async compact(run: RunState, reason: CompactionReason, focus: string | null): Promise<boolean> {
    const plan = this.plan(KEPT_ROUNDS);
    if (plan === null) return false;
    const mustShrink = reason === 'overflow' || this.tokens > this.limits.hard;
    const onlyRules = this.modelFailures >= MODEL_FAILURES;
    const paused = reason === 'soft_limit' && run.progress.nextSessionStep < this.pausedUntilStep;
    if (!onlyRules && (!paused || mustShrink) && (await this.byModel(run, reason, plan, focus)))
      return true;
    if (run.controller.signal.aborted || (!onlyRules && !mustShrink)) return false;
    return this.rules(run, reason, plan);
  }

  private async byModel(
    run: RunState,
    reason: CompactionReason,
    plan: CompactionPlan,
    focus: string | null,
  ): Promise<boolean> {
    run.log.emit(run.scope, 'compaction_started', { reason });
    const summary = await modelSummary(run, plan, this.limits.hard, focus);
    if (run.controller.signal.aborted) return false;
    const ok = summary !== null && this.accept(run, reason, 'model', plan, summary);
    this.modelFailures = ok ? 0 : this.modelFailures + 1;
    if (!ok) {
      this.pausedUntilStep = run.progress.nextSessionStep + PAUSE_STEPS;
      if (summary === null) this.record(run, reason, 'model', this.tokens, null);
    }
    return ok;
  }

  private rules(run: RunState, reason: CompactionReason, plan: CompactionPlan | null): boolean {
    if (plan === null) return false;
    return this.accept(run, reason, 'rules', plan, rulesSummary(run, plan));
  }

  /** Takes the summary when it makes the context small enough, and says in the log what was done. */
  private accept(
    run: RunState,
    reason: CompactionReason,
    method: 'model' | 'rules',
    plan: CompactionPlan,
    summary: string,
  ): boolean {
    const before = this.options.meter.estimateOf(run.conversation.messages);
    const next = withSummary(run, plan, summary);
    const after = this.options.meter.estimateOf(next.messages);
    const enough = after <= this.limits.hard * 0.6 && after <= before * 0.8;
    const good = enough || (method === 'rules' && after < before);
    if (!good) {
      this.record(run, reason, method, before, null);
      return false;
    }
    const { messages } = run.conversation;
    const first = messages[plan.from]?.message_id ?? '';
    const last = messages[plan.to - 1]?.message_id ?? '';
    run.log.append(run.scope, 'message_added', { message: next.summary });
    run.log.append(run.scope, 'compaction', {
      reason,
      ok: true,
      method,
      tokens_before: before,
      tokens_after: after,
      replaced: [first, last],
      summary_message_id: next.summary.message_id,
    });
    run.conversation.replace(next.messages);
    return true;
  }

  private record(
    run: RunState,
    reason: CompactionReason,
    method: 'model' | 'rules',
    tokens: number,
    replaced: null,
  ): void {
    run.log.append(run.scope, 'compaction', {
      reason,
      ok: false,
      method,
      tokens_before: tokens,
      tokens_after: tokens,
      replaced,
      summary_message_id: null,
    });
  }

  private plan(rounds: number): CompactionPlan | null {
    const { messages } = this.options.conversation;
    const { meter } = this.options;
    const base = meter.estimateOf([]);
    const { tailStart } = splitForCompaction(
      messages,
      rounds,
      this.limits.window / 4,
      (part) => meter.estimateOf(part) - base,
    );
    return tailStart > 1 ? { from: 1, to: tailStart } : null;
  }

  private async trim(run: RunState, target: number, leastFreed: number): Promise<void> {
    const before = this.options.meter.estimateOf(run.conversation.messages);
    const surplus = (before - target) * BYTES_PER_TOKEN;
    const plan = planTrim(run.conversation.messages, (freed) => freed >= surplus);
    const after = this.options.meter.estimateOf(plan.messages);
    if (plan.items.length === 0 || before - after < leastFreed) return;
    await Promise.all(plan.texts.map(({ callId, text }) => this.options.storeResult(callId, text)));
    run.log.append(run.scope, 'context_trimmed', { items: plan.items });
    run.conversation.replace(plan.messages);
  }

  /** When input and output together are too much, a lower output limit may be enough. */
  private lowerOutput(error: LLMErrorInfo): boolean {
    const { window, input, output } = error.overflow ?? {};
    if (window === undefined || input === undefined || output === undefined) return false;
    const left = window - input;
    if (input + output <= window || left < SMALLEST_OUTPUT) return false;
    this.lowered = left;
    return true;
  }

  /** System, tools and the first message: what nothing can make smaller. */
  private leastTokens(): number {
    return this.options.meter.estimateOf(this.options.conversation.messages.slice(0, 1));
  }

  private doesNotFit(): RunExit {
    return providerFailed(
      'context_overflow',
      `The request does not fit the model's window: about ${this.tokens} tokens, of which ${this.leastTokens()} are the system text, the tools and the first message, against ${this.limits.hard} usable of ${this.limits.window}; use a model with a larger window, or shorten the task and instruction files.`,
    );
  }
}
