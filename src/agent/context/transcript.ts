import type { ContentBlock, LLMMessage } from '../../llm/types.ts';

/** The messages as plain text for a summariser, each result cut, the whole cut at its front to `mostCharacters`. */
export function transcriptOf(messages: readonly LLMMessage[], mostCharacters: number): string {
  const text = messages
    .map(
      (message) => `${message.role.toUpperCase()}:\n${message.content.map(blockText).join('\n')}`,
    )
    .join('\n\n');
  if (text.length <= mostCharacters) return text;
  return `[... beginning left out ...]\n${text.slice(-mostCharacters).toWellFormed()}`;
}

const RESULT_CHARACTERS = 1500;

function blockText(block: ContentBlock): string {
  if (block.type === 'text' || block.type === 'refusal') return block.text;
  if (block.type === 'tool_call')
    return `[call ${block.call.name} ${JSON.stringify(block.call.arguments).slice(0, RESULT_CHARACTERS)}]`;
  if (block.type === 'tool_result')
    return `[result of ${block.name}: ${block.text.slice(0, RESULT_CHARACTERS).toWellFormed()}]`;
  return block.type === 'reasoning' || block.type === 'opaque' ? '' : `[${block.type}]`;
}
