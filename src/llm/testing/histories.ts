import { type NormalisedHistory, normaliseHistory } from '../normalise.ts';
import type { Profile } from '../profile-types.ts';
import { defaultProfile, patchProfile } from '../profiles/defaults.ts';
import type {
  ContentBlock,
  ImageBlock,
  LLMMessage,
  Protocol,
  ToolCall,
  ToolResultBlock,
  ToolSpec,
} from '../types.ts';

/** Short ways for tests to write histories and to look at what became of them. */

export const CHAT = defaultProfile('chat');
export const PROFILES: readonly Profile[] = [
  CHAT,
  defaultProfile('responses'),
  defaultProfile('anthropic'),
  patchProfile(CHAT, { protocol: 'gemini', images: { toolResults: 'inline' } }),
  patchProfile(CHAT, { protocol: 'ollama', choiceNone: 'drop_tools', schemaDialect: 'portable' }),
  patchProfile(CHAT, {
    alternate: true,
    idRule: { pattern: '^[A-Za-z0-9]{9}$', max: 9 },
    images: { toolResults: 'placeholder' },
  }),
  patchProfile(CHAT, { alternate: true, choiceNone: 'flatten', reasoning: { when: 'tool_turns' } }),
  patchProfile(CHAT, { idRule: { echo: true }, reasoning: { when: 'always' } }),
];
export const GET: ToolSpec = { name: 'get', description: 'Gets.', schema: { type: 'object' } };

let count = 0;
export function call(fields: Partial<ToolCall> = {}): ToolCall {
  const call_id = fields.call_id ?? `call_${++count}`;
  return {
    ...{ call_id, name: 'get', arguments: { a: 1 }, id: `id_${call_id}`, raw_name: 'get' },
    ...{ raw_arguments: '{"a":1}', index: 0, status: 'ok' as const, repairs: [] },
    ...{ source: 'structured' as const, wire_seed: fields.id ?? `id_${call_id}` },
    ...fields,
  };
}
export function result(of: ToolCall, fields: Partial<ToolResultBlock> = {}): ToolResultBlock {
  return {
    ...{ type: 'tool_result', call_id: of.call_id, name: of.name, success: true },
    ...{ error_kind: null, text: `result of ${of.call_id}` },
    ...fields,
  };
}
export function user(...content: (ContentBlock | string)[]): LLMMessage {
  return { message_id: `m${++count}`, role: 'user', content: blocks(content), origin: 'user' };
}
export function assistant(...content: (ContentBlock | ToolCall | string)[]): LLMMessage {
  const all = content.map((item) =>
    typeof item === 'object' && 'call_id' in item && !('type' in item)
      ? ({ type: 'tool_call', call: item } as const)
      : (item as ContentBlock | string),
  );
  return { message_id: `m${++count}`, role: 'assistant', content: blocks(all), origin: 'model' };
}
function blocks(content: readonly (ContentBlock | string)[]): ContentBlock[] {
  return content.map((item) => (typeof item === 'string' ? { type: 'text', text: item } : item));
}
export function withRaw(
  message: LLMMessage,
  value: string | object,
  protocol: Protocol = 'chat',
): LLMMessage {
  return { ...message, raw: { replay_key: 'key', protocol, value: value as never } };
}
export const image = (width = 10, height = 10): ImageBlock => ({
  ...{ type: 'image', mime: 'image/png', data: 'AAAA', width, height },
});

interface Options {
  readonly profile?: Profile;
  readonly tools?: readonly ToolSpec[];
  readonly toolChoice?: 'auto' | 'none';
  readonly replayKey?: string;
}
export function normalise(
  messages: readonly LLMMessage[],
  options: Options = {},
): NormalisedHistory {
  const profile = options.profile ?? CHAT;
  return normaliseHistory({
    ...{ messages, profile, tools: options.tools ?? [GET], protocol: profile.protocol },
    ...{ replayKey: options.replayKey ?? 'key', toolChoice: options.toolChoice ?? 'auto' },
  });
}
/** A short picture of the turns: texts, calls as `>name(arguments)`, results as `<text`. */
export function picture(history: NormalisedHistory): string[][] {
  return history.turns.map((turn) => [
    turn.role,
    ...(turn.role === 'user' ? turn.results.map((item) => `<${item.text}`) : []),
    ...turn.blocks.map((block) => {
      if (block.type === 'tool_call') return `>${block.wireName}(${block.argumentsText})`;
      return 'text' in block ? block.text : block.type;
    }),
  ]);
}
