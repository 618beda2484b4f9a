/** Takes refused images out of a request. */
import type { ContentBlock, ImageBlock, LLMMessage, LLMRequest } from '../types.ts';

export function countImages(request: LLMRequest): number {
  return request.messages.reduce((sum, message) => sum + imagesIn(message), 0);
}

function imagesIn(message: LLMMessage): number {
  return message.content.reduce((sum, block) => {
    if (block.type === 'image') return sum + 1;
    return block.type === 'tool_result' ? sum + (block.images?.length ?? 0) : sum;
  }, 0);
}

/**
 * `newest`: images of the last message that has any, because earlier ones were taken before. `older`: all but
 * those. Stored messages are not changed; messages without images keep their identity.
 */
export function removeImages(request: LLMRequest, which: 'newest' | 'older' | 'all'): LLMRequest {
  const newest = request.messages.findLastIndex((message) => imagesIn(message) > 0);
  const messages = request.messages.map((message, index) => {
    const chosen = which === 'all' || (index === newest) === (which === 'newest');
    return chosen && imagesIn(message) > 0 ? withoutImages(message) : message;
  });
  return { ...request, messages };
}

const stripped = new WeakMap<LLMMessage, LLMMessage>();

function withoutImages(message: LLMMessage): LLMMessage {
  const known = stripped.get(message);
  if (known !== undefined) return known;
  const made = { ...message, content: message.content.map(withoutImage) };
  stripped.set(message, made);
  return made;
}

function withoutImage(block: ContentBlock): ContentBlock {
  if (block.type === 'image') return { type: 'text', text: note(block) };
  if (block.type !== 'tool_result' || block.images === undefined) return block;
  const { images, ...rest } = block;
  return { ...rest, text: [block.text, ...images.map(note)].join('\n') };
}

function note(image: ImageBlock): string {
  return `[image removed: ${image.width}x${image.height}, refused by the endpoint]`;
}
