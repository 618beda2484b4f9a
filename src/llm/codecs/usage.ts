/** Makes the disjoint token counts of a usage report. */
import { isObject, numberAt, objectAt } from '../json.ts';
import type { JsonObject, JsonValue, LLMEvent, LLMUsage, ReportedUsage } from '../types.ts';

export interface UsageCounts {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly reasoning?: number;
  readonly raw: JsonValue;
  readonly cost?: number;
}

/** `inconsistent` is true when a count came out negative and was set to 0. */
export function makeUsage(counts: UsageCounts): { usage: ReportedUsage; inconsistent: boolean } {
  const values = [
    counts.input,
    counts.output,
    counts.cacheWrite ?? 0,
    counts.cacheRead ?? 0,
    counts.reasoning ?? 0,
  ];
  const [input, output, cacheWrite, cacheRead, reasoning] = values.map((n) =>
    Number.isFinite(n) ? Math.max(0, Math.round(n)) : 0,
  );
  return {
    usage: {
      input_tokens: input ?? 0,
      output_tokens: output ?? 0,
      cache_creation_input_tokens: cacheWrite ?? 0,
      cache_read_input_tokens: cacheRead ?? 0,
      reasoning_tokens: reasoning ?? 0,
      estimated: false,
      raw: counts.raw,
      ...(counts.cost === undefined ? {} : { cost_usd: counts.cost }),
    },
    inconsistent: values.some((n) => n < 0),
  };
}

export function inconsistentUsage(
  usage: ReportedUsage | null,
): Extract<LLMEvent, { type: 'warning' }> {
  return {
    type: 'warning',
    code: 'usage_inconsistent',
    message: 'the endpoint reported token counts that do not add up; negative ones count as 0',
    ...(usage?.raw === undefined ? {} : { data: usage.raw }),
  };
}

export const NO_USAGE: ReportedUsage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  reasoning_tokens: 0,
  estimated: false,
};

/** Sum of several attempts. A reported cost survives only when every part that used tokens has one. */
export function addUsage(left: ReportedUsage, right: ReportedUsage): ReportedUsage {
  if (totalOf(left) === 0 && left.cost_usd === undefined) return right;
  if (totalOf(right) === 0 && right.cost_usd === undefined) return left;
  const { cost_usd: a } = left;
  const { cost_usd: b } = right;
  return {
    input_tokens: left.input_tokens + right.input_tokens,
    output_tokens: left.output_tokens + right.output_tokens,
    cache_creation_input_tokens:
      left.cache_creation_input_tokens + right.cache_creation_input_tokens,
    cache_read_input_tokens: left.cache_read_input_tokens + right.cache_read_input_tokens,
    reasoning_tokens: left.reasoning_tokens + right.reasoning_tokens,
    estimated: left.estimated || right.estimated,
    ...hourWrites(left, right),
    ...(a === undefined || b === undefined ? {} : { cost_usd: a + b }),
  };
}

/** The part of the cache writes that costs more, kept in the vendor's form so that a sum can be priced. */
function hourWrites(left: ReportedUsage, right: ReportedUsage): { raw?: JsonObject } {
  const sum = hourOf(left) + hourOf(right);
  return sum === 0 ? {} : { raw: { cache_creation: { ephemeral_1h_input_tokens: sum } } };
}

function hourOf({ raw }: ReportedUsage): number {
  if (!isObject(raw)) return 0;
  return numberAt(objectAt(raw, 'cache_creation'), 'ephemeral_1h_input_tokens') ?? 0;
}

export function totalOf(usage: LLMUsage): number {
  return (
    usage.input_tokens +
    usage.output_tokens +
    usage.cache_creation_input_tokens +
    usage.cache_read_input_tokens
  );
}
