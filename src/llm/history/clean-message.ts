import type { ContentBlock, LLMMessage, TextBlock, ToolResultBlock } from '../types.ts';
import { cleanText, isBlank } from './clean-text.ts';
import { cutResultText } from './cut-result.ts';
import { type Notes, note } from './notes.ts';

/** The repairs of one message that need no other message. Stored messages are never changed. */

export interface CleanMessage {
  /** The very message that was given when it needed no repair. May have no content: then it is left out. */
  readonly message: LLMMessage;
  readonly notes: Notes;
}

export const CUT_SUFFIX = ' [reply was cut]';
export const NO_OUTPUT = '(no output)';

const cache = new WeakMap<LLMMessage, CleanMessage>();

/** Pure, and computed once per message object. */
export function cleanMessage(message: LLMMessage): CleanMessage {
  const known = cache.get(message);
  if (known !== undefined) return known;
  const clean = message.complete === false ? keepTextOfCut(message) : cleanBlocks(message);
  cache.set(message, clean);
  return clean;
}

function keepTextOfCut(message: LLMMessage): CleanMessage {
  const notes: Notes = new Map();
  const texts = message.content.filter(
    (block): block is TextBlock => block.type === 'text' && !isBlank(block.text),
  );
  const content = texts.map((block, index): TextBlock => {
    const text = cleanText(block.text);
    return { type: 'text', text: index === texts.length - 1 ? text + CUT_SUFFIX : text };
  });
  note(notes, content.length > 0 ? 'cut_turn' : 'empty_turn');
  const { message_id, role, origin } = message;
  return { message: { message_id, role, content, origin, complete: true }, notes };
}

function cleanBlocks(message: LLMMessage): CleanMessage {
  const notes: Notes = new Map();
  const content = message.content.flatMap((block) => {
    const clean = cleanBlock(block, notes);
    return clean === null ? [] : [clean];
  });
  if (message.role === 'assistant' && !hasSubstance(content)) {
    note(notes, 'empty_turn');
    return { message: { ...message, content: [] }, notes };
  }
  const same =
    content.length === message.content.length &&
    content.every((block, index) => block === message.content[index]);
  return { message: same ? message : { ...message, content }, notes };
}

/** Reasoning alone is not a turn. */
function hasSubstance(content: readonly ContentBlock[]): boolean {
  return content.some((block) => block.type !== 'reasoning');
}

function cleanBlock(block: ContentBlock, notes: Notes): ContentBlock | null {
  switch (block.type) {
    case 'text':
    case 'refusal':
      return isBlank(block.text) ? null : withCleanText(block, notes);
    case 'reasoning':
      return withCleanText(block, notes);
    case 'document': {
      const name = cleanText(block.name);
      return name === block.name ? block : { ...block, name };
    }
    case 'tool_result':
      return cleanResult(block, notes);
    default:
      return block;
  }
}

function withCleanText<Block extends ContentBlock & { readonly text: string }>(
  block: Block,
  notes: Notes,
): Block {
  const text = cleanText(block.text);
  if (text === block.text) return block;
  note(notes, 'characters');
  return { ...block, text };
}

function cleanResult(block: ToolResultBlock, notes: Notes): ToolResultBlock {
  const clean = withCleanText(block, notes);
  const text = isBlank(clean.text) ? NO_OUTPUT : cutResultText(clean.text);
  if (text === clean.text) return clean;
  if (text !== NO_OUTPUT) note(notes, 'long_result');
  return { ...clean, text };
}
