/** Encoder of OpenAI Responses requests. The server keeps nothing: every request carries the whole history. */
import { isObject, listAt, textAt } from '../../json.ts';
import type {
  AssistantBlock,
  AssistantTurn,
  NormalisedResult,
  NormalisedTurn,
  UserBlock,
  UserTurn,
} from '../../normalise.ts';
import type { Profile } from '../../profile-types.ts';
import type { ImageBlock, JsonObject, JsonValue, LLMRequest, ToolChoice } from '../../types.ts';
import { type BodyMember, bodyBytes, createCache } from '../body.ts';
import { promptCacheKey } from '../cache-key.ts';
import type { EncodedRequest, EncodeInput, WireWarning } from '../codec.ts';
import { allowedChoice, wireEffort, wireSampling, withoutDropped } from '../params.ts';
import { usableChoice, type WireTool, wireTools } from '../tools.ts';

const FIXED = [
  'model',
  'input',
  'instructions',
  'tools',
  'stream',
  'store',
  'previous_response_id',
];

const encoded = createCache((turn: NormalisedTurn, _profile: Profile) => encodeTurn(turn));

export function encodeResponses(input: EncodeInput): EncodedRequest {
  const { request, profile, history } = input;
  const offered = wireTools(history.tools, profile);
  const warnings: WireWarning[] = [...offered.warnings];
  const hasTools = offered.tools.length > 0;
  const choice = allowedChoice(usableChoice(history.choice, offered), input, warnings);
  const system = request.system.map((block) => block.text).join('\n\n');
  const cacheKey = profile.cache.kind === 'key' ? promptCacheKey(request) : undefined;
  const params: JsonObject = {
    ...(hasTools ? choiceParams(choice, request, profile) : {}),
    ...(input.outputLimit === null ? {} : { [profile.tokenField]: input.outputLimit }),
    ...wireSampling(input, { temperature: 'temperature', topP: 'top_p' }, warnings),
    ...reasoningParams(input, warnings),
    ...formatParams(request),
    ...(cacheKey === undefined ? {} : { prompt_cache_key: cacheKey }),
  };
  const items = history.turns.map((turn) => encoded(turn, profile)).filter((text) => text !== '');
  const members: BodyMember[] = [
    ['model', input.model],
    ...(hasTools ? [toolMember(offered.tools, profile)] : []),
    ['instructions', system === '' ? undefined : system],
    ['input', undefined, items, history.turns[0]],
    ...Object.entries(withoutDropped(params, profile)),
    ['store', profile.dropParams.includes('store') ? undefined : false],
    ['stream', true],
  ];
  return { body: bodyBytes(members, request.extraBody ?? {}, FIXED), warnings };
}

/** `strict` is always said: left out, the endpoint would assume it. */
function toolMember(tools: readonly WireTool[], profile: Profile): BodyMember {
  const sendsStrict = !profile.dropParams.includes('strict');
  return [
    'tools',
    tools.map(({ name, description, schema, strict }) => ({
      type: 'function',
      name,
      description,
      parameters: schema,
      ...(sendsStrict ? { strict } : {}),
    })),
  ];
}

function choiceParams(choice: ToolChoice, request: LLMRequest, profile: Profile): JsonObject {
  const value: JsonValue =
    typeof choice === 'string' ? choice : { type: 'function', name: choice.name };
  const parallel = request.parallelToolCalls;
  return {
    ...(choice === 'auto' ? {} : { tool_choice: value }),
    ...(parallel === undefined || !profile.parallelField ? {} : { parallel_tool_calls: parallel }),
  };
}

function formatParams(request: LLMRequest): JsonObject {
  if (request.responseSchema === undefined) return {};
  const { name, schema, strict } = request.responseSchema;
  return { text: { format: { type: 'json_schema', name, schema, strict } } };
}

/** Encrypted reasoning is always asked for where the model reasons, so that it can be sent back. */
function reasoningParams(input: EncodeInput, warnings: WireWarning[]): JsonObject {
  const { request, profile } = input;
  if (profile.reasoning.style !== 'responses') return {};
  const include = { include: ['reasoning.encrypted_content'] };
  const level = wireEffort(request, profile, warnings);
  const summary = request.reasoning?.summary;
  if (level === undefined && summary === undefined) return include;
  const reasoning = {
    ...(level === undefined ? {} : { effort: level }),
    ...(summary === undefined ? {} : { summary }),
  };
  return { reasoning, ...include };
}

function encodeTurn(turn: NormalisedTurn): string {
  const items = turn.role === 'user' ? userItems(turn) : assistantItems(turn);
  return items.map((item) => JSON.stringify(item)).join(',');
}

function userItems(turn: UserTurn): JsonObject[] {
  const items: JsonObject[] = turn.results.map((result) => ({
    type: 'function_call_output',
    call_id: result.wireId,
    output: resultOutput(result),
  }));
  if (turn.blocks.length > 0) items.push({ role: 'user', content: turn.blocks.map(userPart) });
  return items;
}

function resultOutput(result: NormalisedResult): JsonValue {
  if (result.images.length === 0) return result.text;
  return [{ type: 'input_text', text: result.text }, ...result.images.map(imagePart)];
}

function userPart(block: UserBlock): JsonObject {
  if (block.type === 'text') return { type: 'input_text', text: block.text };
  if (block.type === 'image') return imagePart(block);
  const data = `data:${block.mime};base64,${block.data}`;
  return { type: 'input_file', filename: block.name, file_data: data };
}

function imagePart(block: ImageBlock): JsonObject {
  return { type: 'input_image', image_url: `data:${block.mime};base64,${block.data}` };
}

function assistantItems(turn: AssistantTurn): JsonValue[] {
  if (Array.isArray(turn.raw)) return replayItems(turn.raw);
  return turn.blocks.flatMap(blockItems);
}

function blockItems(block: AssistantBlock): JsonValue[] {
  switch (block.type) {
    case 'text':
      return [messageItem({ type: 'output_text', text: block.text })];
    case 'refusal':
      return [messageItem({ type: 'refusal', refusal: block.text })];
    case 'reasoning':
      return block.encrypted === undefined ? [] : [reasoningItem(block.text, block.encrypted)];
    case 'tool_call':
      return [
        {
          type: 'function_call',
          call_id: block.wireId,
          name: block.wireName,
          arguments: block.argumentsText,
        },
      ];
    case 'opaque':
      return [block.value];
  }
}

function messageItem(part: JsonObject): JsonObject {
  return { type: 'message', role: 'assistant', content: [part] };
}

function reasoningItem(text: string, encrypted: string): JsonObject {
  const summary = text === '' ? [] : [{ type: 'summary_text', text }];
  return { type: 'reasoning', summary, encrypted_content: encrypted };
}

/**
 * The recorded items. A reasoning item without its content would be looked up by its id on a server that kept
 * nothing, so it is left out, and the ids of what it led to with it, because they point back at it.
 */
function replayItems(items: readonly JsonValue[]): JsonValue[] {
  const sent: JsonValue[] = [];
  let dropped = false;
  for (const item of items) {
    if (textAt(item, 'type') === 'reasoning') {
      dropped = !textAt(item, 'encrypted_content') && listAt(item, 'content').length === 0;
      if (!dropped) sent.push(item);
      continue;
    }
    sent.push(withArguments(dropped ? withoutId(item) : item));
  }
  return sent;
}

/** A call that came without arguments goes back with an empty object. */
function withArguments(item: JsonValue): JsonValue {
  if (!isObject(item) || item.type !== 'function_call') return item;
  const given = item.arguments;
  if (typeof given === 'string' && given.trim() !== '') return item;
  return { ...item, arguments: isObject(given) ? JSON.stringify(given) : '{}' };
}

function withoutId(item: JsonValue): JsonValue {
  if (!isObject(item)) return item;
  const { id: _, ...rest } = item;
  return rest;
}
