/** Usage of Chat Completions and its dialects. */
import { numberAt, objectAt } from '../../json.ts';
import type { JsonObject } from '../../types.ts';
import type { UsageCounts } from '../usage.ts';

export function readChatUsage(usage: JsonObject, costField: string | null): UsageCounts {
  const prompt = numberAt(usage, 'prompt_tokens') ?? 0;
  const promptDetails = objectAt(usage, 'prompt_tokens_details');
  const hit = numberAt(usage, 'prompt_cache_hit_tokens');
  const cacheRead =
    hit ?? numberAt(promptDetails, 'cached_tokens') ?? numberAt(usage, 'cached_tokens') ?? 0;
  const cacheWrite = numberAt(promptDetails, 'cache_write_tokens') ?? 0;
  const completion = numberAt(usage, 'completion_tokens') ?? 0;
  const reasoning =
    numberAt(objectAt(usage, 'completion_tokens_details'), 'reasoning_tokens') ??
    numberAt(usage, 'reasoning_tokens') ??
    0;
  const apart = numberAt(usage, 'total_tokens') === prompt + completion + reasoning;
  const cost = costField === null ? undefined : numberAt(usage, costField);
  return {
    input: numberAt(usage, 'prompt_cache_miss_tokens') ?? prompt - cacheRead - cacheWrite,
    // xAI counts reasoning beside the completion; its total shows it.
    output: apart ? completion + reasoning : completion,
    cacheRead,
    cacheWrite,
    reasoning,
    raw: usage,
    ...(cost === undefined ? {} : { cost }),
  };
}
