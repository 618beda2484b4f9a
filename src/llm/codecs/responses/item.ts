/** One output item of a Responses stream while it grows. */
import { listAt, textAt } from '../../json.ts';
import type { JsonObject } from '../../types.ts';
import type { DecodedBlock } from '../codec.ts';

export interface GrowingItem {
  /** The latest whole form the endpoint sent. */
  wire: JsonObject;
  /** The endpoint sent the item whole at its end. */
  whole: boolean;
  /** Deltas so far, used only where the whole form never came. */
  readonly text: string[];
  readonly refusal: string[];
  readonly summary: string[];
  readonly reasoning: string[];
  arguments: string[];
}

export function openItem(wire: JsonObject): GrowingItem {
  return { wire, whole: false, text: [], refusal: [], summary: [], reasoning: [], arguments: [] };
}

/** The blocks of an item in our vocabulary; an item without a name here is kept as `opaque`. */
export function decodeItem(item: GrowingItem, callIndex: number): DecodedBlock[] {
  switch (item.wire.type) {
    case 'message':
      return messageBlocks(item);
    case 'reasoning':
      return [reasoningBlock(item)];
    case 'function_call':
      return [callBlock(item, callIndex)];
    default:
      return [{ type: 'opaque', protocol: 'responses', value: item.wire }];
  }
}

function messageBlocks(item: GrowingItem): DecodedBlock[] {
  const blocks: DecodedBlock[] = [];
  const parts = listAt(item.wire, 'content');
  for (const part of parts) {
    const text = textAt(part, 'text');
    const refusal = textAt(part, 'refusal');
    if (refusal !== undefined) blocks.push({ type: 'refusal', text: refusal });
    else if (text !== undefined) blocks.push({ type: 'text', text });
    else blocks.push({ type: 'opaque', protocol: 'responses', value: part });
  }
  if (item.whole || parts.length > 0) return blocks;
  if (item.text.length > 0) blocks.push({ type: 'text', text: item.text.join('') });
  if (item.refusal.length > 0) blocks.push({ type: 'refusal', text: item.refusal.join('') });
  return blocks;
}

function reasoningBlock(item: GrowingItem): DecodedBlock {
  const summary = joinTexts(item.wire, 'summary') || item.summary.join('');
  const full = joinTexts(item.wire, 'content') || item.reasoning.join('');
  const encrypted = textAt(item.wire, 'encrypted_content');
  const text = full || summary;
  const kind = full !== '' ? 'full' : summary !== '' ? 'summary' : 'hidden';
  return { type: 'reasoning', text, kind, ...(encrypted === undefined ? {} : { encrypted }) };
}

function joinTexts(wire: JsonObject, member: string): string {
  return listAt(wire, member)
    .map((part) => textAt(part, 'text') ?? '')
    .filter((text) => text !== '')
    .join('\n\n');
}

function callBlock(item: GrowingItem, index: number): DecodedBlock {
  const given = item.wire.arguments;
  const streamed = item.arguments.join('');
  const value = item.whole || streamed === '' ? given : streamed;
  return {
    type: 'call',
    id: textAt(item.wire, 'call_id') || null,
    name: textAt(item.wire, 'name') ?? '',
    argumentsValue: value === '' || value === null ? undefined : value,
    index,
  };
}
