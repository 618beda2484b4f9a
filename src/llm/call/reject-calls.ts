/** Calls the provider itself refused: not run, and fed back with the provider's words. */
import type { ContentBlock, LLMResponse, ToolCall } from '../types.ts';

const LONGEST = 600;
const TAIL = 200;

export function rejectCalls(response: LLMResponse, words: string): LLMResponse {
  const blocks = response.blocks.map(
    (block): ContentBlock =>
      block.type === 'tool_call' ? { type: 'tool_call', call: rejected(block.call, words) } : block,
  );
  return {
    ...response,
    blocks,
    tool_calls: blocks.flatMap((block) => (block.type === 'tool_call' ? [block.call] : [])),
    flags: ['provider_rejected'],
    raw: null,
  };
}

function rejected(call: ToolCall, words: string): ToolCall {
  const message = `The call was not run: the provider refused its arguments. It said: ${words}`;
  return {
    ...call,
    arguments: {},
    status: 'provider_rejected',
    repairs: [],
    fault: {
      kind: 'provider_rejected',
      message: message.slice(0, LONGEST),
      position: -1,
      tail: (call.raw_arguments ?? '').slice(-TAIL),
      truncated: false,
    },
  };
}
