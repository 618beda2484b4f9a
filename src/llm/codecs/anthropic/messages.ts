/** A history as Anthropic messages; the JSON of each block is made once. */
import type { BlockPosition, MarkableBlock } from '../../cache-marks.ts';
import { isObject, textAt } from '../../json.ts';
import type {
  AssistantBlock,
  AssistantTurn,
  NormalisedResult,
  NormalisedTurn,
  UserBlock,
  UserTurn,
} from '../../normalise.ts';
import type { Profile } from '../../profile-types.ts';
import type { ImageBlock, JsonObject, JsonValue } from '../../types.ts';
import { createCache } from '../body.ts';

export interface WireMessage {
  readonly role: 'user' | 'assistant';
  /** JSON of each content block. */
  readonly blocks: readonly string[];
  readonly marks: readonly MarkableBlock[];
  /** JSON of the whole message without marks. */
  readonly json: string;
}

const encoded = createCache((turn: NormalisedTurn, _profile: Profile) => makeMessage(turn));

export function wireMessage(turn: NormalisedTurn, profile: Profile): WireMessage {
  return encoded(turn, profile);
}

function makeMessage(turn: NormalisedTurn): WireMessage {
  const values = turn.role === 'user' ? userBlocks(turn) : assistantBlocks(turn);
  const blocks = values.map((value) => JSON.stringify(value));
  const marks = values.map((value) => {
    const text = textAt(value, 'text');
    return { type: textAt(value, 'type') ?? '', ...(text === undefined ? {} : { text }) };
  });
  return { role: turn.role, blocks, marks, json: messageJson(turn.role, blocks) };
}

function messageJson(role: string, blocks: readonly string[]): string {
  return `{"role":"${role}","content":[${blocks.join(',')}]}`;
}

/** The messages as JSON with cache marks on the given blocks. */
export function anthropicMessages(
  messages: readonly WireMessage[],
  marks: readonly BlockPosition[],
): string[] {
  return messages.map((message, index) => {
    const marked = marks.filter((mark) => mark.message === index).map((mark) => mark.block);
    if (marked.length === 0) return message.json;
    const blocks = message.blocks.map((block, at) =>
      marked.includes(at) ? markedJson(block, { type: 'ephemeral' }) : block,
    );
    return messageJson(message.role, blocks);
  });
}

/** JSON of an object with a cache mark as its last member. */
export function markedJson(json: string, mark: JsonObject): string {
  return `${json.slice(0, -1)},"cache_control":${JSON.stringify(mark)}}`;
}

function userBlocks(turn: UserTurn): JsonObject[] {
  return [...turn.results.map(resultBlock), ...turn.blocks.map(userBlock)];
}

function resultBlock(result: NormalisedResult): JsonObject {
  const content: JsonValue =
    result.images.length === 0
      ? result.text
      : [{ type: 'text', text: result.text }, ...result.images.map(imageBlock)];
  return {
    type: 'tool_result',
    tool_use_id: result.wireId,
    content,
    ...(result.success ? {} : { is_error: true }),
  };
}

function userBlock(block: UserBlock): JsonObject {
  if (block.type === 'text') return { type: 'text', text: block.text };
  if (block.type === 'image') return imageBlock(block);
  const source = { type: 'base64', media_type: block.mime, data: block.data };
  return { type: 'document', source, title: block.name };
}

function imageBlock(block: ImageBlock): JsonObject {
  return { type: 'image', source: { type: 'base64', media_type: block.mime, data: block.data } };
}

function assistantBlocks(turn: AssistantTurn): JsonObject[] {
  if (Array.isArray(turn.raw)) return turn.raw.filter(isObject);
  return turn.blocks.flatMap(wireBlocks);
}

function wireBlocks(block: AssistantBlock): JsonObject[] {
  switch (block.type) {
    case 'text':
    case 'refusal':
      return block.text.trim() === '' ? [] : [{ type: 'text', text: block.text }];
    case 'reasoning':
      return reasoningBlock(block);
    case 'tool_call': {
      const { wireId: id, wireName: name, argumentsObject: input } = block;
      return [{ type: 'tool_use', id, name, input }];
    }
    case 'opaque':
      return isObject(block.value) ? [block.value] : [];
  }
}

/** Only signed or encrypted thinking is taken back. */
function reasoningBlock(block: {
  readonly text: string;
  readonly signature?: string;
  readonly encrypted?: string;
}): JsonObject[] {
  if (block.encrypted !== undefined) return [{ type: 'redacted_thinking', data: block.encrypted }];
  if (block.signature === undefined) return [];
  return [{ type: 'thinking', thinking: block.text, signature: block.signature }];
}
