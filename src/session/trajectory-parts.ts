/**
 * The pieces of a trajectory file: trae-agent's keys first, then ours (agent.md section 5).
 */
import type { ContentBlock, ImageBlock, LLMMessage, LLMUsage, ToolCall } from '../llm/types.ts';
import type { EventOf, ToolResultRecord } from './events.ts';
import { resultText } from './result-text.ts';
import { plainUsage } from './session-usage.ts';

export interface TrajectoryCall {
  readonly call_id: string;
  readonly name: string;
  readonly arguments: unknown;
  readonly id: string | null;
  readonly raw_arguments?: string;
}

export type TrajectoryResult = Omit<ToolResultRecord, 'name'> & { readonly name: string };

export interface TrajectoryMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
  readonly tool_call?: TrajectoryCall;
  readonly tool_result?: TrajectoryResult;
  readonly message_id?: string;
  readonly origin?: string;
  readonly attachments?: readonly ContentBlock[];
}

export interface TrajectoryResponse {
  readonly content: string;
  readonly model: string;
  readonly finish_reason: string;
  readonly usage: LLMUsage;
  readonly tool_calls: readonly TrajectoryCall[] | null;
}

/** ISO time with `+00:00`, as trae-agent's readers expect. */
export function trajectoryTime(ts: string): string {
  return ts.replace(/Z$/, '+00:00');
}

export function callPart(call: ToolCall): TrajectoryCall {
  return {
    call_id: call.call_id,
    name: call.name,
    arguments: call.arguments,
    id: call.id,
    ...(call.raw_arguments === undefined ? {} : { raw_arguments: call.raw_arguments }),
  };
}

export function resultPart(event: EventOf<'tool_finished'>): TrajectoryResult {
  return {
    call_id: event.call_id,
    success: event.success,
    result: event.result,
    error: event.error,
    id: event.id,
    name: event.name,
    error_kind: event.error_kind,
    duration_ms: event.duration_ms,
    spill: event.spill,
    metadata: event.metadata,
  };
}

function textOf(content: readonly ContentBlock[]): string {
  return content
    .flatMap((block) => (block.type === 'text' || block.type === 'refusal' ? [block.text] : []))
    .join('\n\n');
}

function reasoningOf(content: readonly ContentBlock[]): string | null {
  const parts = content.flatMap((block) => (block.type === 'reasoning' ? [block.text] : []));
  return parts.length === 0 ? null : parts.join('\n\n');
}

export function callsOf(content: readonly ContentBlock[]): ToolCall[] {
  return content.flatMap((block) => (block.type === 'tool_call' ? [block.call] : []));
}

export function responsePart(event: EventOf<'llm_response'>): TrajectoryResponse {
  const calls = callsOf(event.content).map(callPart);
  return {
    content: textOf(event.content),
    model: event.model,
    finish_reason: event.finish_reason,
    usage: plainUsage(event.usage),
    tool_calls: calls.length === 0 ? null : calls,
  };
}

export function responseReasoning(event: EventOf<'llm_response'>): string | null {
  return event.reasoning ?? reasoningOf(event.content);
}

/** A message that is not tool results; images and documents stand beside the text. */
export function messagePart(message: LLMMessage): TrajectoryMessage {
  const attachments = message.content.filter(
    (block) => block.type === 'image' || block.type === 'document',
  );
  return {
    role: message.role,
    content: textOf(message.content),
    message_id: message.message_id,
    origin: message.origin,
    ...(attachments.length === 0 ? {} : { attachments }),
  };
}

/** A reply as messages of trae-agent's form: its text, then one message for each call. */
export function replyParts(event: EventOf<'llm_response'>): TrajectoryMessage[] {
  const common = { role: 'assistant', message_id: event.message_id, origin: 'model' } as const;
  const text = textOf(event.content);
  const calls = callsOf(event.content).map(
    (call): TrajectoryMessage => ({ ...common, content: '', tool_call: callPart(call) }),
  );
  if (text === '' && calls.length > 0) return calls;
  return [{ ...common, content: text }, ...calls];
}

/** One message for each result; its content is what the model reads. */
export function resultMessage(event: EventOf<'tool_finished'>): TrajectoryMessage {
  const images: readonly ImageBlock[] = event.images ?? [];
  return {
    role: 'user',
    content: resultText(event),
    tool_result: resultPart(event),
    origin: 'tool',
    ...(images.length === 0 ? {} : { attachments: images }),
  };
}
