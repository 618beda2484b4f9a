/** A history as Chat messages, each as JSON text made once. */
import { isObject, listAt, textAt } from '../../json.ts';
import type {
  AssistantTurn,
  NormalisedCall,
  NormalisedHistory,
  NormalisedTurn,
  UserBlock,
  UserTurn,
} from '../../normalise.ts';
import type { Profile } from '../../profile-types.ts';
import type { JsonObject, JsonValue, LLMRequest } from '../../types.ts';
import { createCache } from '../body.ts';

const encoded = createCache((turn: NormalisedTurn, profile: Profile) =>
  encodeTurn(turn, profile, false),
);

/** The messages in order; system text first, or folded into the first user message. */
export function chatMessages(
  request: LLMRequest,
  history: NormalisedHistory,
  profile: Profile,
): string[] {
  const system = request.system.map((block) => block.text).join('\n\n');
  const marks = profile.cache.kind === 'breakpoints' && request.cache?.retention !== 'none';
  const messages: string[] = [];
  if (system !== '' && !profile.foldSystem) {
    const content: JsonValue = marks ? [markedText(system)] : system;
    messages.push(JSON.stringify({ role: profile.systemRole, content }));
  }
  history.turns.forEach((turn, index) => {
    const folded = profile.foldSystem && index === 0 && system !== '';
    if (folded) messages.push(encodeTurn(withLeadingText(turn, system), profile, false));
    else if (marks && index === history.turns.length - 1)
      messages.push(encodeTurn(turn, profile, true));
    else messages.push(encoded(turn, profile));
  });
  return messages;
}

function withLeadingText(turn: NormalisedTurn, text: string): NormalisedTurn {
  if (turn.role === 'assistant') return turn;
  return { ...turn, blocks: [{ type: 'text', text }, ...turn.blocks] };
}

function encodeTurn(turn: NormalisedTurn, profile: Profile, mark: boolean): string {
  const messages =
    turn.role === 'user' ? userMessages(turn, profile) : [assistantMessage(turn, profile)];
  if (mark) markLast(messages);
  return messages.map((message) => JSON.stringify(message)).join(',');
}

function userMessages(turn: UserTurn, profile: Profile): JsonObject[] {
  const messages: JsonObject[] = turn.results.map((result) => ({
    role: 'tool',
    tool_call_id: result.wireId,
    ...(profile.toolResultName ? { name: result.name } : {}),
    content: result.text,
  }));
  if (turn.blocks.length > 0) messages.push({ role: 'user', content: userContent(turn.blocks) });
  return messages;
}

function userContent(blocks: readonly UserBlock[]): JsonValue {
  if (blocks.every((block) => block.type === 'text')) {
    return blocks.map((block) => block.text).join('\n\n');
  }
  return blocks.map(userPart);
}

function userPart(block: UserBlock): JsonObject {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'image':
      return { type: 'image_url', image_url: { url: `data:${block.mime};base64,${block.data}` } };
    case 'document':
      return {
        type: 'file',
        file: { filename: block.name, file_data: `data:${block.mime};base64,${block.data}` },
      };
  }
}

function assistantMessage(turn: AssistantTurn, profile: Profile): JsonObject {
  return isObject(turn.raw) ? rawMessage(turn.raw, profile) : builtMessage(turn, profile);
}

function builtMessage(turn: AssistantTurn, profile: Profile): JsonObject {
  const texts: string[] = [];
  const reasoning: string[] = [];
  const calls: NormalisedCall[] = [];
  for (const block of turn.blocks) {
    if (block.type === 'text' || block.type === 'refusal') texts.push(block.text);
    else if (block.type === 'reasoning') reasoning.push(block.text);
    else if (block.type === 'tool_call') calls.push(block);
  }
  const wireCalls = calls.map((call) => ({
    id: call.wireId,
    type: 'function',
    function: { name: call.wireName, arguments: call.argumentsText },
  }));
  return {
    role: 'assistant',
    ...contentMember(texts.join('\n\n'), calls.length > 0, profile),
    ...reasoningMember(reasoning.join(''), calls.length > 0, profile),
    ...(wireCalls.length === 0 ? {} : { tool_calls: wireCalls }),
  };
}

/** The recorded message; of its reasoning only the field the vendor wants back. */
function rawMessage(raw: JsonObject, profile: Profile): JsonObject {
  const { reasoning } = profile;
  const calls = listAt(raw, 'tool_calls');
  const content = raw.content ?? '';
  const recorded = reasoning.send === null ? undefined : raw[reasoning.send];
  const wanted =
    reasoning.when === 'always' || (reasoning.when === 'tool_turns' && calls.length > 0);
  return {
    role: 'assistant',
    ...(typeof content === 'string'
      ? contentMember(content, calls.length > 0, profile)
      : { content }),
    ...(wanted && recorded !== undefined && reasoning.send !== null
      ? { [reasoning.send]: recorded }
      : reasoningMember('', calls.length > 0, profile)),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(textArguments) }),
  };
}

/** Some servers send arguments as an object or not at all; back they go as the text of an object. */
function textArguments(call: JsonValue): JsonValue {
  if (!isObject(call) || !isObject(call.function)) return call;
  const given = call.function.arguments;
  if (typeof given === 'string' && given.trim() !== '') return call;
  const { name } = call.function;
  const value = typeof given === 'object' ? (given ?? {}) : {};
  return { ...call, function: { name: name ?? '', arguments: JSON.stringify(value) } };
}

function contentMember(text: string, hasCalls: boolean, profile: Profile): JsonObject {
  if (text !== '' || !hasCalls || profile.emptyContent === 'empty') return { content: text };
  return profile.emptyContent === 'null' ? { content: null } : {};
}

function reasoningMember(text: string, hasCalls: boolean, profile: Profile): JsonObject {
  const { send, when, filler } = profile.reasoning;
  if (send === null || when === 'never' || (when === 'tool_turns' && !hasCalls)) return {};
  const isText = send !== 'reasoning_details';
  const value = isText && text !== '' ? text : filler;
  return value === null ? {} : { [send]: value };
}

function markedText(text: string): JsonObject {
  return { type: 'text', text, cache_control: { type: 'ephemeral' } };
}

/** Puts a cache mark on the last text of the last message, for models that want marks behind Chat. */
function markLast(messages: JsonObject[]): void {
  const last = messages.at(-1);
  if (last === undefined) return;
  const { content } = last;
  if (typeof content === 'string' && content.trim() !== '') last.content = [markedText(content)];
  else if (Array.isArray(content)) {
    const index = content.findLastIndex((part) => textAt(part, 'type') === 'text');
    const part = content[index];
    if (isObject(part)) content[index] = { ...part, cache_control: { type: 'ephemeral' } };
  }
}
