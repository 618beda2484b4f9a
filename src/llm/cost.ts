/** What a call cost, and what calls cost together. */
import { isObject, numberAt, objectAt } from './json.ts';
import type { ModelPrices, ReportedUsage } from './types.ts';

const NANO = 1_000_000_000;
const PER = 1_000_000;

/**
 * Cost in USD as a whole number of nano-dollars, or null when the price is unknown. A cost the provider itself
 * reported wins over prices. `prices` are USD per million tokens; a price without cache members counts cached
 * tokens at the input price. Reasoning is part of the output.
 */
export function costOf(usage: ReportedUsage, prices: ModelPrices | null): number | null {
  if (usage.cost_usd !== undefined) return Math.round(usage.cost_usd * NANO) / NANO;
  if (prices === null) return null;
  const rates = ratesFor(usage, prices);
  const hour = hourLongWrites(usage);
  const nano =
    part(usage.input_tokens, rates.input) +
    part(usage.output_tokens, rates.output) +
    part(usage.cache_read_input_tokens, rates.read) +
    part(usage.cache_creation_input_tokens - hour, rates.write) +
    part(hour, prices.cache_write_1h ?? rates.write);
  return nano / NANO;
}

function part(tokens: number, usdPerMillion: number): number {
  return Math.round((tokens * usdPerMillion * NANO) / PER);
}

interface Rates {
  readonly input: number;
  readonly output: number;
  readonly read: number;
  readonly write: number;
}

/** The highest tier whose bound lies below the whole input. */
function ratesFor(usage: ReportedUsage, prices: ModelPrices): Rates {
  const size =
    usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
  const tier = [...(prices.tiers ?? [])]
    .sort((a, b) => b.above_input_tokens - a.above_input_tokens)
    .find((entry) => size > entry.above_input_tokens);
  const input = tier?.input ?? prices.input;
  return {
    input,
    output: tier?.output ?? prices.output,
    read: tier?.cache_read ?? prices.cache_read ?? input,
    write: tier?.cache_write ?? prices.cache_write ?? input,
  };
}

/** Anthropic splits cache writes by their life; the other protocols do not. */
function hourLongWrites(usage: ReportedUsage): number {
  if (!isObject(usage.raw)) return 0;
  const hour = numberAt(objectAt(usage.raw, 'cache_creation'), 'ephemeral_1h_input_tokens') ?? 0;
  return Math.min(hour, usage.cache_creation_input_tokens);
}

/** Running sum in whole nano-dollars. One call of unknown price makes the total unknown, never zero. */
export class CostTotal {
  #nano = 0;
  #unknown = false;

  add(usd: number | null): void {
    if (usd === null) this.#unknown = true;
    else this.#nano += Math.round(usd * NANO);
  }

  /** USD, or null when a part of it is unknown. */
  get usd(): number | null {
    return this.#unknown ? null : this.knownUsd;
  }

  /** USD of the calls whose price is known. */
  get knownUsd(): number {
    return this.#nano / NANO;
  }
}
