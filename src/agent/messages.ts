import type { LLMMessage, LLMResponse, MessageOrigin, TextBlock } from '../llm/types.ts';
import { newMessageId, resultsMessageId } from '../session/ids.ts';
import type { ExecutedCall } from '../tools/types.ts';

/** A user-role message of text blocks. */
export function userMessage(
  origin: MessageOrigin,
  texts: readonly string[],
  messageId: string = newMessageId(),
): LLMMessage {
  const content = texts.map((text): TextBlock => ({ type: 'text', text }));
  return { message_id: messageId, role: 'user', origin, content };
}

/** The reply as it stays in the conversation. */
export function replyMessage(messageId: string, response: LLMResponse): LLMMessage {
  return {
    message_id: messageId,
    role: 'assistant',
    origin: 'model',
    content: response.blocks,
    ...(response.raw === null ? {} : { raw: response.raw }),
    complete: response.complete,
  };
}

/** All results of one reply, in call order. */
export function resultsMessage(replyId: string, calls: readonly ExecutedCall[]): LLMMessage {
  return {
    message_id: resultsMessageId(replyId),
    role: 'user',
    origin: 'tool',
    content: calls.map((call) => ({
      type: 'tool_result',
      call_id: call.result.call_id,
      name: call.result.name,
      success: call.result.success,
      error_kind: call.result.error_kind,
      text: call.modelText,
      ...(call.images.length === 0 ? {} : { images: call.images }),
    })),
  };
}
