import type { LLMMessage, ToolResultBlock } from '../../llm/types.ts';
import type { DurablePayloads } from '../../session/events.ts';
import { TRIMMED_CHARACTERS, trimmedResultText } from '../../session/result-text.ts';

const KEEP_LAST_RESULTS = 10;

export interface TrimPlan {
  readonly messages: readonly LLMMessage[];
  readonly items: DurablePayloads['context_trimmed']['items'];
  /** Whole texts that must be kept under their address before they leave the conversation. */
  readonly texts: readonly { readonly callId: string; readonly text: string }[];
}

/**
 * Shrinks results older than the last ten, oldest first, until `freed` says that enough is gone. Pairs stay
 * together: only the text of a result changes, never its place.
 */
export function planTrim(
  messages: readonly LLMMessage[],
  enough: (bytesFreed: number) => boolean,
): TrimPlan {
  const protectedIds = lastResultIds(messages);
  const items: DurablePayloads['context_trimmed']['items'][number][] = [];
  const texts: TrimPlan['texts'][number][] = [];
  let freed = 0;
  const shrink = (block: ToolResultBlock): ToolResultBlock => {
    if (protectedIds.has(block.call_id) || !worthTrimming(block) || enough(freed)) return block;
    const spill = `tool-output/${block.call_id}.txt`;
    const text = trimmedResultText(block.text, spill);
    const [before, after] = [Buffer.byteLength(block.text), Buffer.byteLength(text)];
    items.push({ call_id: block.call_id, bytes_before: before, bytes_after: after, spill });
    texts.push({ callId: block.call_id, text: block.text });
    freed += before - after + imageBytes(block);
    const { images: _dropped, ...rest } = block;
    return { ...rest, text };
  };
  const trimmed = messages.map((message) => mapResults(message, shrink));
  return { messages: trimmed, items, texts };
}

function mapResults(
  message: LLMMessage,
  change: (block: ToolResultBlock) => ToolResultBlock,
): LLMMessage {
  let changed = false;
  const content = message.content.map((block) => {
    if (block.type !== 'tool_result') return block;
    const next = change(block);
    changed ||= next !== block;
    return next;
  });
  return changed ? { ...message, content } : message;
}

function worthTrimming(block: ToolResultBlock): boolean {
  return block.text.length > TRIMMED_CHARACTERS * 2 || (block.images?.length ?? 0) > 0;
}

/** What an image costs, in bytes of text of the same token count. */
const IMAGE_AS_BYTES = 5760;

function imageBytes(block: ToolResultBlock): number {
  return (block.images?.length ?? 0) * IMAGE_AS_BYTES;
}

function lastResultIds(messages: readonly LLMMessage[]): ReadonlySet<string> {
  const ids: string[] = [];
  for (let index = messages.length - 1; index >= 0 && ids.length < KEEP_LAST_RESULTS; index -= 1) {
    for (const block of [...(messages[index]?.content ?? [])].reverse())
      if (block.type === 'tool_result' && ids.length < KEEP_LAST_RESULTS) ids.push(block.call_id);
  }
  return new Set(ids);
}
