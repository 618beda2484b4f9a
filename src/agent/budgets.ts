import { CostTotal, costOf } from '../llm/cost.ts';
import type { ModelPrices, ReportedUsage } from '../llm/types.ts';
import type { RunLimits } from '../session/events.ts';
import type { Clock } from './clock.ts';
import { addUsage, NO_USAGE, tokenTotal } from './usage.ts';

export type LimitName = 'timeout' | 'max_cost' | 'max_tokens' | 'max_steps';

export interface BudgetWarning {
  readonly budget: string;
  readonly used: number;
  readonly limit: number;
}

/** An output limit below this is not worth a call: the run stops instead. */
const SMALLEST_OUTPUT = 256;
const WARN_AT = 0.8;

/**
 * Steps, cost, tokens and time of one run. A limit is exceeded when used >= limit. Time stands still while a
 * person is asked; the deadline aborts what is in flight, the other limits are looked at between calls.
 */
export class Budgets {
  readonly limits: RunLimits;
  readonly cost = new CostTotal();
  usage = NO_USAGE;
  steps = 0;
  private readonly clock: Clock;
  private readonly startedAt: number;
  private readonly warned = new Set<string>();
  private waited = 0;
  private waits = 0;
  private waitingSince = 0;
  private timer: NodeJS.Timeout | null = null;
  private onDeadline: (() => void) | null = null;

  constructor(limits: RunLimits, clock: Clock) {
    this.limits = limits;
    this.clock = clock;
    this.startedAt = clock.now();
  }

  /** Counts one call of the model; returns its cost in USD, null when the price is unknown. */
  addCall(usage: ReportedUsage, prices: ModelPrices | null): number | null {
    const usd = costOf(usage, prices);
    this.usage = addUsage(this.usage, usage);
    this.cost.add(usd);
    return usd;
  }

  /** The first limit that holds, in the order time, cost, tokens, steps. */
  exceeded(): LimitName | null {
    const { limits } = this;
    if (limits.timeout_seconds !== null && this.elapsedSeconds() >= limits.timeout_seconds)
      return 'timeout';
    if (limits.max_cost !== null && this.cost.knownUsd >= limits.max_cost) return 'max_cost';
    if (limits.max_tokens !== null && tokenTotal(this.usage) >= limits.max_tokens)
      return 'max_tokens';
    return this.steps >= limits.max_steps ? 'max_steps' : null;
  }

  /** The output limit the budgets leave for the next call: null = they set none, a name = the run stops. */
  outputCap(prices: ModelPrices | null): number | null | LimitName {
    const caps: (readonly [number, LimitName])[] = [];
    const { max_tokens, max_cost } = this.limits;
    if (max_tokens !== null) caps.push([max_tokens - tokenTotal(this.usage), 'max_tokens']);
    const price = prices?.output ?? 0;
    if (max_cost !== null && price > 0)
      caps.push([((max_cost - this.cost.knownUsd) * 1e6) / price, 'max_cost']);
    const smallest = caps.sort((a, b) => a[0] - b[0])[0];
    if (smallest === undefined) return null;
    return smallest[0] < SMALLEST_OUTPUT ? smallest[1] : Math.floor(smallest[0]);
  }

  /** Budgets that reached 80 % since the last time this was asked; each once. */
  newWarnings(): BudgetWarning[] {
    const { limits } = this;
    const rows: (readonly [string, number, number | null])[] = [
      ['steps', this.steps, limits.max_steps],
      ['cost', this.cost.knownUsd, limits.max_cost],
      ['tokens', tokenTotal(this.usage), limits.max_tokens],
      ['time', this.elapsedSeconds(), limits.timeout_seconds],
    ];
    return rows.flatMap(([budget, used, limit]) => {
      if (limit === null || used < limit * WARN_AT || this.warned.has(budget)) return [];
      this.warned.add(budget);
      return [{ budget, used, limit }];
    });
  }

  elapsedSeconds(): number {
    const waiting = this.waits > 0 ? this.clock.now() - this.waitingSince : 0;
    return (this.clock.now() - this.startedAt - this.waited - waiting) / 1000;
  }

  /** Monotonic milliseconds, or null without a time limit. Moves while a person is asked. */
  get deadline(): number | null {
    const left = this.millisecondsLeft();
    return left === null ? null : this.clock.now() + left;
  }

  /** Calls `onDeadline` once when the time is used up. */
  watchTime(onDeadline: () => void): void {
    this.onDeadline = onDeadline;
    this.arm();
  }

  stopWatching(): void {
    this.onDeadline = null;
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }

  /** Between these two a person is thinking; waits may overlap. */
  personWaitStarted(): void {
    this.waits += 1;
    if (this.waits > 1) return;
    this.waitingSince = this.clock.now();
    if (this.timer !== null) clearTimeout(this.timer);
  }

  personWaitEnded(): void {
    this.waits -= 1;
    if (this.waits > 0) return;
    this.waited += this.clock.now() - this.waitingSince;
    this.arm();
  }

  private millisecondsLeft(): number | null {
    const limit = this.limits.timeout_seconds;
    return limit === null ? null : Math.max(0, (limit - this.elapsedSeconds()) * 1000);
  }

  private arm(): void {
    const left = this.millisecondsLeft();
    if (left === null || this.onDeadline === null) return;
    this.timer = setTimeout(() => this.onDeadline?.(), Math.min(left, 2 ** 31 - 1));
  }
}
