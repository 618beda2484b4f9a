/** One content block of an Anthropic stream while it grows. */
import { parseEvent } from '../../framing/frames.ts';
import { isObject, textAt } from '../../json.ts';
import type { JsonObject, JsonValue } from '../../types.ts';
import type { DecodedBlock } from '../codec.ts';

export interface GrowingBlock {
  /** The block as it will be sent back. */
  readonly wire: JsonObject;
  readonly type: string;
  readonly pieces: { text: string[]; input: string[] };
}

export function openBlock(start: JsonObject): GrowingBlock {
  return {
    wire: structuredClone(start),
    type: textAt(start, 'type') ?? '',
    pieces: { text: [], input: [] },
  };
}

/** The member a block's text grows in. */
function textMember(type: string): string {
  return type === 'thinking' ? 'thinking' : 'text';
}

/** Adds a delta the codec has no special name for: strings grow, lists get longer, other values replace. */
export function growUnknown(block: GrowingBlock, delta: JsonObject): void {
  for (const [key, value] of Object.entries(delta)) {
    if (key === 'type') continue;
    if (key === 'citation') {
      const before = block.wire.citations;
      block.wire.citations = [...(Array.isArray(before) ? before : []), value];
      continue;
    }
    const before = block.wire[key];
    const grows = typeof before === 'string' && typeof value === 'string' && key !== 'signature';
    block.wire[key] = grows ? before + value : value;
  }
}

/** Writes what has grown into the wire form; safe to call more than once. */
export function settle(block: GrowingBlock): void {
  const member = textMember(block.type);
  if (block.pieces.text.length > 0) {
    block.wire[member] = (textAt(block.wire, member) ?? '') + block.pieces.text.join('');
    block.pieces.text.length = 0;
  }
  if (block.pieces.input.length > 0) {
    const input = parseEvent(block.pieces.input.join(''));
    if (isObject(input)) block.wire.input = input;
  }
}

/** The call text exactly as it came: the deltas, or the object of the block's start. */
function argumentsOf(block: GrowingBlock): JsonValue | undefined {
  const text = block.pieces.input.join('');
  if (text !== '') return text;
  const input = block.wire.input;
  if (isObject(input)) return Object.keys(input).length === 0 ? undefined : input;
  return input ?? undefined;
}

/** The block in our vocabulary; a kind without a name here is kept as `opaque`. */
export function decodeBlock(block: GrowingBlock, callIndex: number): DecodedBlock {
  const { wire } = block;
  switch (block.type) {
    case 'text':
      return { type: 'text', text: textAt(wire, 'text') ?? '' };
    case 'thinking': {
      const signature = textAt(wire, 'signature');
      return {
        type: 'reasoning',
        text: textAt(wire, 'thinking') ?? '',
        kind: 'full',
        ...(signature === undefined ? {} : { signature }),
      };
    }
    case 'redacted_thinking':
      return { type: 'reasoning', text: '', kind: 'hidden', encrypted: textAt(wire, 'data') ?? '' };
    case 'tool_use':
      return {
        type: 'call',
        id: textAt(wire, 'id') || null,
        name: textAt(wire, 'name') ?? '',
        argumentsValue: argumentsOf(block),
        index: callIndex,
      };
    default:
      return { type: 'opaque', protocol: 'anthropic', value: wire };
  }
}
