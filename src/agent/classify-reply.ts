import type { LLMResponse, ToolCall } from '../llm/types.ts';

/** What the loop does with a reply that arrived without a wire error: one name for each row of the table. */
export type ReplyClass =
  | 'calls'
  /** Calls of an `unknown` finish: those that needed repair do not run. */
  | 'calls_unrepaired_only'
  | 'cut_calls'
  | 'cut_text'
  | 'text'
  | 'empty'
  | 'pause'
  | 'refusal'
  | 'content_filter';

export function classifyReply(response: LLMResponse): ReplyClass {
  const reason = response.finish_reason;
  if (reason === 'refusal' || reason === 'content_filter') return reason;
  if (response.tool_calls.length > 0) return classifyCalls(response);
  if (reason === 'pause') return 'pause';
  if (response.content.trim() === '' || reason === 'tool_calls') return 'empty';
  return reason === 'length' || !response.complete ? 'cut_text' : 'text';
}

function classifyCalls(response: LLMResponse): ReplyClass {
  const cut =
    response.finish_reason === 'length' ||
    !response.complete ||
    response.tool_calls.some((call) => call.status === 'cut');
  if (cut) return 'cut_calls';
  return response.finish_reason === 'unknown' ? 'calls_unrepaired_only' : 'calls';
}

/** The calls of a cut reply, marked so that none of them runs: each gets `truncated_arguments`. */
export function asCut(calls: readonly ToolCall[]): ToolCall[] {
  return calls.map((call) => (call.status === 'cut' ? call : withFault(call, 'cut')));
}

/** After an `unknown` finish a repaired call may be another call than the model meant: it gets `invalid_arguments`. */
export function refuseRepaired(calls: readonly ToolCall[]): ToolCall[] {
  return calls.map((call) => (call.repairs.length > 0 ? withFault(call, 'invalid_json') : call));
}

function withFault(call: ToolCall, kind: 'cut' | 'invalid_json'): ToolCall {
  const text = call.raw_arguments ?? JSON.stringify(call.arguments);
  const message =
    kind === 'cut'
      ? 'The reply was cut off before this call was complete, so it was not run.'
      : 'The reply ended without a known end mark and the arguments of this call are not valid JSON, so it was not run.';
  return {
    ...call,
    arguments: {},
    status: kind === 'cut' ? 'cut' : 'invalid',
    fault: { kind, message, position: -1, tail: text.slice(-200), truncated: kind === 'cut' },
  };
}
