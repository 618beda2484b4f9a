import type { LLMMessage } from '../../llm/types.ts';

/** Where the messages kept verbatim at the end begin. */
export interface Split {
  /** Messages [1, tailStart) are replaced; the first message and the tail stay. */
  readonly tailStart: number;
}

/**
 * The last `rounds` rounds within `mostTokens`, at least none. A round is a reply with everything up to the next
 * reply, so a reply and its results always move together.
 */
export function splitForCompaction(
  messages: readonly LLMMessage[],
  rounds: number,
  mostTokens: number,
  tokensOf: (messages: readonly LLMMessage[]) => number,
): Split {
  let tailStart = messages.length;
  let kept = 0;
  let tokens = 0;
  for (let index = messages.length - 1; index > 0 && kept < rounds; index -= 1) {
    if (messages[index]?.role !== 'assistant') continue;
    tokens += tokensOf(messages.slice(index, tailStart));
    if (tokens > mostTokens) break;
    tailStart = index;
    kept += 1;
  }
  return { tailStart };
}
