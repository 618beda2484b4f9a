import { createHash } from 'node:crypto';
import type { ContentBlock, JsonValue, LLMMessage, LLMRequest } from '../../llm/types.ts';
import { canonicalDigest, canonicalJson } from '../canonical-json.ts';
import type { Placeholders } from './placeholders.ts';

function digestOf(data: string): string {
  return createHash('sha256').update(data).digest('hex');
}

function blockOf(block: ContentBlock, places: Placeholders): JsonValue {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: places.hide(block.text) };
    case 'reasoning':
      return { type: 'reasoning', text: places.hide(block.text) };
    case 'refusal':
      return { type: 'refusal', text: places.hide(block.text) };
    case 'tool_call': {
      const { call } = block;
      const text = call.raw_arguments ?? canonicalJson(call.arguments);
      return {
        type: 'tool_call',
        call_id: places.hide(call.call_id),
        name: call.name,
        arguments: places.hide(text),
      };
    }
    case 'tool_result':
      return {
        type: 'tool_result',
        call_id: places.hide(block.call_id),
        name: block.name,
        success: block.success,
        text: places.hideResult(block.text),
      };
    case 'image':
    case 'document':
      return { type: block.type, mime: block.mime, sha256: digestOf(block.data) };
    case 'opaque':
      return { type: 'opaque', value: places.hide(canonicalJson(block.value)) };
  }
}

function messageOf(message: LLMMessage, places: Placeholders): JsonValue {
  return { role: message.role, content: message.content.map((block) => blockOf(block, places)) };
}

/**
 * The request as two runs of the same conversation share it: system, tools (name and schema), messages, tool choice,
 * response format. Model, sampling, headers and cache marks are left out; places and ids are placeholders.
 */
export function normaliseRequest(request: LLMRequest, places: Placeholders): JsonValue {
  const choice = request.toolChoice ?? 'auto';
  return {
    system: request.system.map(({ text }) => places.hide(text)),
    tools: request.tools.map(({ name, schema }) => ({ name, schema })),
    messages: request.messages.map((message) => messageOf(message, places)),
    tool_choice: typeof choice === 'string' ? choice : { name: choice.name },
    response_format: request.responseSchema
      ? { name: request.responseSchema.name, schema: request.responseSchema.schema }
      : null,
  };
}

export function digestRequest(normalised: JsonValue): string {
  return canonicalDigest(normalised);
}

/** `main`, with `#compact` or `#lakeview` for auxiliary calls. */
export function laneOf(request: LLMRequest): string {
  if (request.purpose === 'compaction') return 'main#compact';
  return request.purpose === 'lakeview' ? 'main#lakeview' : 'main';
}

/** JSON pointer of the first place where two values differ; null when they are equal. */
export function firstDifference(expected: JsonValue, got: JsonValue, at = ''): string | null {
  if (expected === got) return null;
  const plain = (value: JsonValue) => typeof value !== 'object' || value === null;
  if (plain(expected) || plain(got) || Array.isArray(expected) !== Array.isArray(got))
    return at || '/';
  const left = expected as Record<string, JsonValue>;
  const right = got as Record<string, JsonValue>;
  for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const pointer = `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const [a, b] = [left[key], right[key]];
    if (a === undefined || b === undefined) return pointer;
    const difference = firstDifference(a, b, pointer);
    if (difference !== null) return difference;
  }
  return null;
}
