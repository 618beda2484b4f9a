/**
 * What the model reads of a tool result: the same rule for a live run, a resumed one and an export.
 */
import type { ToolResultBlock } from '../llm/types.ts';
import type { EventOf } from './events.ts';

/** How much of a result stays in the conversation when it is trimmed. */
export const TRIMMED_CHARACTERS = 200;

/** The text of a trimmed result: its beginning and, when it was kept, the address of the whole. */
export function trimmedResultText(text: string, address: string | null): string {
  const head = text.slice(0, TRIMMED_CHARACTERS).toWellFormed();
  const where = address === null ? '' : `; whole text: ${address}`;
  return `${head}\n[... shortened to save context${where} ...]`;
}

/** The stored text for the model, or for a record without one: the content, or `ERROR kind: message` and the output. */
export function resultText(record: EventOf<'tool_finished'>): string {
  if (record.model_text !== undefined) return record.model_text;
  const content = record.result ?? '';
  if (record.success) return content;
  const line = `ERROR ${record.error_kind ?? 'tool_execution_error'}: ${record.error ?? 'failed'}`;
  return content === '' ? line : `${line}\n${content}`;
}

export function resultBlock(record: EventOf<'tool_finished'>): ToolResultBlock {
  return {
    type: 'tool_result',
    call_id: record.call_id,
    name: record.name,
    success: record.success,
    error_kind: record.error_kind,
    text: resultText(record),
    ...(record.images === undefined || record.images.length === 0 ? {} : { images: record.images }),
  };
}
