import type { JsonValue, LLMMessage, Protocol, ToolCall } from '../types.ts';
import type { CallArguments } from './call-arguments.ts';
import { isBlank, isCleanJson } from './clean-text.ts';

/** When a turn may go back in the provider's own form, and what of it must not. */

const OBJECT_PROTOCOLS: readonly Protocol[] = ['anthropic', 'gemini', 'ollama'];
const HARMLESS_REPAIRS: readonly string[] = ['empty', 'object'];

/** The raw form under the same replay key, or null when the turn has to be encoded anew. Ids are not looked at. */
export function replayableRaw(
  message: LLMMessage,
  protocol: Protocol,
  calls: readonly { readonly call: ToolCall; readonly args: CallArguments }[],
): JsonValue | null {
  const { raw } = message;
  if (raw === undefined || raw.protocol !== protocol || !isCleanJson(raw.value)) return null;
  if (!calls.every(({ call, args }) => isUnchanged(call, args, protocol))) return null;
  return withoutRefusedParts(raw.value, protocol);
}

/** The call stands in the raw turn just as it is meant now. */
function isUnchanged(call: ToolCall, args: CallArguments, protocol: Protocol): boolean {
  if (call.source !== 'structured' || call.status === 'cut') return false;
  if (!call.repairs.every((flag) => HARMLESS_REPAIRS.includes(flag))) return false;
  if (args.verbatim) return true;
  return OBJECT_PROTOCOLS.includes(protocol) && call.repairs.includes('empty');
}

/** Vendors send things they refuse to get back: blank text blocks, reasoning items that nothing follows. */
function withoutRefusedParts(value: JsonValue, protocol: Protocol): JsonValue {
  if (!Array.isArray(value)) return value;
  if (protocol === 'anthropic') {
    const kept = value.filter((block) => !isBlankText(block));
    return kept.length === value.length ? value : kept;
  }
  if (protocol === 'responses') {
    const end = value.findLastIndex((item) => typeOf(item) !== 'reasoning');
    return end === value.length - 1 ? value : value.slice(0, end + 1);
  }
  return value;
}

function typeOf(value: JsonValue): JsonValue | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? value.type
    : undefined;
}

function isBlankText(block: JsonValue): boolean {
  if (typeof block !== 'object' || block === null || Array.isArray(block)) return false;
  return block.type === 'text' && typeof block.text === 'string' && isBlank(block.text);
}
