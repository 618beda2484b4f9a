import type { Profile } from '../profile-types.ts';
import type { ImageBlock, LLMMessage, ToolResultBlock } from '../types.ts';
import { reuse } from './reuse.ts';
import type {
  AssistantTurn,
  NormalisedCall,
  NormalisedResult,
  UserBlock,
  UserTurn,
} from './turns.ts';

/** User messages as turns: results lead, images stand where the vendor takes them. */

export interface UserProjector {
  /** `before` is the turn whose calls the results answer, in the same order. Null when nothing is left to send. */
  project(message: LLMMessage, before: AssistantTurn | null): UserTurn | null;
}

export function createUserProjector(profile: Profile): UserProjector {
  const turns = new WeakMap<object, { parts: readonly unknown[]; value: UserTurn | null }>();
  return {
    project: (message, before) =>
      reuse(turns, message, [before], () => makeTurn(message, before, profile)),
  };
}

function makeTurn(
  message: LLMMessage,
  before: AssistantTurn | null,
  profile: Profile,
): UserTurn | null {
  const calls = (before?.blocks ?? []).filter(
    (block): block is NormalisedCall => block.type === 'tool_call',
  );
  const stored = message.content.filter(
    (block): block is ToolResultBlock => block.type === 'tool_result',
  );
  const results: NormalisedResult[] = [];
  const blocks: UserBlock[] = [];
  calls.forEach((call, index) => {
    const result = stored[index];
    if (result === undefined) return;
    results.push(projectResult(result, call, profile));
    if (placeOfImages(profile) === 'user_message') blocks.push(...imagesOf(result, call.wireName));
  });
  blocks.push(...message.content.flatMap((block) => ownBlock(block, profile)));
  return results.length + blocks.length > 0 ? { role: 'user', results, blocks } : null;
}

function ownBlock(block: LLMMessage['content'][number], profile: Profile): UserBlock[] {
  if (block.type === 'image' && !profile.images.input) return [textOfImage(block)];
  if (block.type === 'text' || block.type === 'image' || block.type === 'document') return [block];
  return [];
}

/** Where no user message may follow a result, a separate message for its images cannot exist either. */
function placeOfImages(profile: Profile): Profile['images']['toolResults'] {
  const { input, toolResults } = profile.images;
  if (!input || (toolResults === 'user_message' && profile.alternate)) return 'placeholder';
  return toolResults;
}

function projectResult(
  result: ToolResultBlock,
  call: NormalisedCall,
  profile: Profile,
): NormalisedResult {
  const images = result.images ?? [];
  const place = placeOfImages(profile);
  const placeholders =
    place === 'placeholder' ? images.map((image) => textOfImage(image).text) : [];
  return {
    wireId: call.wireId,
    echoed: call.echoed,
    name: call.wireName,
    success: result.success,
    text: [result.text, ...placeholders].join('\n'),
    images: place === 'inline' ? images : [],
  };
}

function imagesOf(result: ToolResultBlock, wireName: string): UserBlock[] {
  const images = result.images ?? [];
  if (images.length === 0) return [];
  return [{ type: 'text', text: `Images in the result of ${wireName}:` }, ...images];
}

function textOfImage(image: ImageBlock): { readonly type: 'text'; readonly text: string } {
  return {
    type: 'text',
    text: `[image removed: ${image.width}x${image.height}, cannot be shown to this model here]`,
  };
}
