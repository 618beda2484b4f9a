/** Usage of OpenAI Responses. */
import { numberAt, objectAt } from '../../json.ts';
import type { JsonObject } from '../../types.ts';
import type { UsageCounts } from '../usage.ts';

export function readResponsesUsage(usage: JsonObject, costField: string | null): UsageCounts {
  const details = objectAt(usage, 'input_tokens_details');
  const cacheRead = numberAt(details, 'cached_tokens') ?? 0;
  const cacheWrite = numberAt(details, 'cache_write_tokens') ?? 0;
  const cost = costField === null ? undefined : numberAt(usage, costField);
  return {
    input: (numberAt(usage, 'input_tokens') ?? 0) - cacheRead - cacheWrite,
    output: numberAt(usage, 'output_tokens') ?? 0,
    cacheRead,
    cacheWrite,
    reasoning: numberAt(objectAt(usage, 'output_tokens_details'), 'reasoning_tokens') ?? 0,
    raw: usage,
    ...(cost === undefined ? {} : { cost }),
  };
}
