/** The vendors' words for the end of a turn, over all protocols. */
import type { FinishReason } from '../types.ts';
import type { DecodedStop } from './codec.ts';

const FINISH: Readonly<Record<string, FinishReason>> = {
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  tool_use: 'tool_calls',
  stop: 'stop',
  eos: 'stop',
  completed: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop',
  length: 'length',
  model_length: 'length',
  max_tokens: 'length',
  max_output_tokens: 'length',
  pause_turn: 'pause',
  refusal: 'refusal',
  content_filter: 'content_filter',
  safety: 'content_filter',
  recitation: 'content_filter',
  blocklist: 'content_filter',
  prohibited_content: 'content_filter',
  spii: 'content_filter',
};

const MALFORMED = new Set([
  'malformed_function_call',
  'unexpected_tool_call',
  'too_many_tool_calls',
  'malformed_response',
]);

const FAILED = new Set([
  'error',
  'failed',
  'cancelled',
  'insufficient_system_resource',
  'missing_thought_signature',
]);

/** What a stop value means. Unknown words are kept and mean `unknown`. */
export function readStop(raw: string): DecodedStop {
  const word = raw.toLowerCase();
  if (word === 'model_context_window_exceeded') return { kind: 'overflow', raw };
  if (MALFORMED.has(word)) return { kind: 'malformed_call', raw };
  if (FAILED.has(word)) {
    return {
      kind: 'error',
      raw,
      body: { error: { type: failureType(word), message: `the model ended with "${raw}"` } },
    };
  }
  const finish = word.startsWith('image_') ? 'content_filter' : FINISH[word];
  return { kind: 'reason', finish: finish ?? 'unknown', raw };
}

function failureType(word: string): string {
  if (word === 'insufficient_system_resource') return 'overloaded_error';
  return word === 'missing_thought_signature' ? 'invalid_request_error' : 'server_error';
}
