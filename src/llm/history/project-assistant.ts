import type { Profile } from '../profile-types.ts';
import type { JsonValue, LLMMessage, Protocol, ToolCall } from '../types.ts';
import type { WireIds } from '../wire-ids.ts';
import { fitsRule, toWireName } from '../wire-names.ts';
import { type CallArguments, callArguments } from './call-arguments.ts';
import { replayableRaw } from './raw-turn.ts';
import { reuse } from './reuse.ts';
import type { AssistantBlock, AssistantTurn, NormalisedCall } from './turns.ts';

/** The endpoint and model a history is made ready for. */
export interface Target {
  readonly profile: Profile;
  readonly protocol: Protocol;
  readonly replayKey: string;
}

interface ProjectedCall {
  readonly call: ToolCall;
  readonly args: CallArguments;
  readonly wireName: string;
}

type ProjectedBlock = Exclude<AssistantBlock, NormalisedCall> | ProjectedCall;

/** Everything about an assistant message that does not depend on the rest of the history. */
interface Projected {
  readonly sameKey: boolean;
  /** Calls stand as their projection, to be given an id per request. */
  readonly blocks: readonly ProjectedBlock[];
  readonly calls: readonly ProjectedCall[];
  readonly raw: JsonValue | null;
}

export interface AssistantProjector {
  /** Null when nothing of the turn can be sent to this endpoint. */
  project(message: LLMMessage, ids: WireIds): AssistantTurn | null;
}

/** Work on a message is done once and kept beside it; only ids are assigned per request. */
export function createAssistantProjector(target: Target): AssistantProjector {
  const projections = new WeakMap<LLMMessage, Projected>();
  const turns = new WeakMap<object, { parts: readonly unknown[]; value: AssistantTurn | null }>();
  return {
    project(message, ids) {
      const projected = projections.get(message) ?? projectMessage(message, target);
      projections.set(message, projected);
      const wireIds = projected.calls.map(({ call }) => ids.assign(call, projected.sameKey));
      return reuse(turns, message, wireIds, () => makeTurn(projected, wireIds, target));
    },
  };
}

function projectMessage(message: LLMMessage, target: Target): Projected {
  const sameKey = message.raw?.replay_key === target.replayKey;
  const hasCalls = message.content.some((block) => block.type === 'tool_call');
  const keepsReasoning = sameKey && sendsReasoning(target.profile, hasCalls);
  const blocks: ProjectedBlock[] = [];
  for (const block of message.content) {
    if (block.type === 'tool_call') blocks.push(projectCall(block.call, target.profile));
    else if (block.type === 'text' || block.type === 'refusal') blocks.push(block);
    else if (block.type === 'reasoning' && keepsReasoning) blocks.push(block);
    else if (block.type === 'opaque' && sameKey && block.protocol === target.protocol)
      blocks.push(block);
  }
  if (target.protocol === 'responses') dropTrailingReasoning(blocks);
  const calls = blocks.filter((block): block is ProjectedCall => 'call' in block);
  const namesKept = calls.every(({ call, wireName }) => wireName === call.raw_name);
  const raw = sameKey && namesKept ? replayableRaw(message, target.protocol, calls) : null;
  return { sameKey, blocks, calls, raw };
}

function sendsReasoning(profile: Profile, hasCalls: boolean): boolean {
  const { when } = profile.reasoning;
  return when === 'always' || (when === 'tool_turns' && hasCalls);
}

/** A Responses reasoning item is refused unless the item it led to follows. */
function dropTrailingReasoning(blocks: ProjectedBlock[]): void {
  for (let last = blocks.at(-1); last !== undefined; last = blocks.at(-1)) {
    if ('call' in last || last.type !== 'reasoning') return;
    blocks.pop();
  }
}

function projectCall(call: ToolCall, profile: Profile): ProjectedCall {
  return { call, args: callArguments(call), wireName: historyName(call, profile) };
}

/** The name as the model wrote it where that is legal, else as it was resolved, else mapped. */
function historyName(call: ToolCall, profile: Profile): string {
  const { nameRule } = profile;
  if (call.raw_name === '' || fitsRule(call.raw_name, nameRule)) {
    return toWireName(call.raw_name, nameRule);
  }
  return toWireName(call.name, nameRule);
}

function makeTurn(
  projected: Projected,
  wireIds: readonly string[],
  target: Target,
): AssistantTurn | null {
  let index = 0;
  const blocks = projected.blocks.map((block): AssistantBlock => {
    if (!('call' in block)) return block;
    const wireId = wireIds[index++] ?? block.call.wire_seed;
    return {
      type: 'tool_call',
      wireId,
      echoed: wireId === block.call.id,
      wireName: block.wireName,
      argumentsText: block.args.text,
      get argumentsObject() {
        return block.args.object();
      },
    };
  });
  if (blocks.every((block) => block.type === 'reasoning')) return null;
  const raw = idsAreRaw(projected.calls, wireIds, target.protocol) ? projected.raw : null;
  return raw === null ? { role: 'assistant', blocks } : { role: 'assistant', blocks, raw };
}

/** The ids inside the raw turn are the ones its results will name. */
function idsAreRaw(
  calls: readonly ProjectedCall[],
  wireIds: readonly string[],
  protocol: Protocol,
): boolean {
  const idsOptional = protocol === 'gemini' || protocol === 'ollama';
  return calls.every(({ call }, index) =>
    call.id === null || call.id === '' ? idsOptional : call.id === wireIds[index],
  );
}
