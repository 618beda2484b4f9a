/** Usage of Anthropic Messages: counts are cumulative, a later report restates earlier ones. */
import { numberAt } from '../../json.ts';
import type { JsonObject } from '../../types.ts';
import type { UsageCounts } from '../usage.ts';

export function readAnthropicUsage(usage: JsonObject): UsageCounts {
  return {
    input: numberAt(usage, 'input_tokens') ?? 0,
    output: numberAt(usage, 'output_tokens') ?? 0,
    cacheRead: numberAt(usage, 'cache_read_input_tokens') ?? 0,
    cacheWrite: numberAt(usage, 'cache_creation_input_tokens') ?? 0,
    raw: usage,
  };
}

/** The later report over the earlier one; a null restates nothing. */
export function mergeUsage(earlier: JsonObject | null, later: JsonObject): JsonObject {
  const stated = Object.entries(later).filter(([, value]) => value !== null);
  return { ...(earlier ?? {}), ...Object.fromEntries(stated) };
}
