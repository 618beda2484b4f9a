import type { SessionEvent } from '../session/events.ts';
import { formatTokens, oneLine } from './format.ts';

/** Events that are one plain line of their own, between the steps; null for all others. */
export function noticeOf(event: SessionEvent): string | null {
  switch (event.type) {
    case 'retry': {
      const wait = (event.delay_ms / 1000).toFixed(1);
      return `retry ${event.attempt} of ${event.max_attempts} in ${wait} s: ${oneLine(event.error.message)}`;
    }
    case 'warning':
      return `warning: ${oneLine(event.message)}`;
    case 'budget_warning':
      return `budget: ${event.used} of ${event.limit} ${event.budget} used`;
    case 'loop_guard':
      return event.action === 'note' ? null : `loop guard: ${event.guard} (${event.count} times)`;
    case 'compaction':
      return event.ok
        ? `conversation compacted: ${formatTokens(event.tokens_before)} to ${formatTokens(event.tokens_after)} tokens`
        : 'conversation could not be compacted';
    case 'context_trimmed':
      return `${event.items.length} old results shortened to make room`;
    case 'run_interrupted':
      return 'the last run of this session was interrupted; going on from its log';
    default:
      return null;
  }
}
