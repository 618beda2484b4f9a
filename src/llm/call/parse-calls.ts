/** Turns decoded calls into tool calls: names resolved, arguments parsed, ids chosen. */
import { parseArguments } from '../arguments.ts';
import type { DecodedCall } from '../codecs/codec.ts';
import { isObject, textAt } from '../json.ts';
import type { Profile } from '../profile-types.ts';
import type { CallFault, JsonObject, LLMRequest, ReportedUsage, ToolCall } from '../types.ts';
import { wireSeed } from '../wire-ids.ts';
import { createNameMap } from '../wire-names.ts';

export interface ParseCallsInput {
  readonly request: LLMRequest;
  readonly profile: Profile;
  /** False: the turn was cut, filtered or refused, so none of its calls may run. */
  readonly runnable: boolean;
  /** Only calls whose arguments needed no repair may run. */
  readonly unrepairedOnly: boolean;
  readonly outputBelowLimit: boolean;
  readonly newCallId: () => string;
}

export interface CallParser {
  /** The calls one decoded call stands for, in order. */
  parse(call: DecodedCall): ToolCall[];
}

const WRAPPERS = new Set(['parallel', 'multi_tool_use.parallel']);

export function createCallParser(input: ParseCallsInput): CallParser {
  const { request, profile } = input;
  const used = usedSeeds(request);
  const names = createNameMap(
    request.tools.map((tool) => tool.name),
    profile.nameRule,
  );
  let index = 0;

  const resolve = (rawName: string): string | null => {
    const mapped = names.fromWire(rawName);
    if (request.tools.some((tool) => tool.name === mapped)) return mapped;
    return request.resolve(mapped);
  };

  const make = (
    call: DecodedCall,
    name: string | null,
    result: Pick<ToolCall, 'arguments' | 'status' | 'repairs'> & { fault?: CallFault },
    id: string | null,
  ): ToolCall => {
    const callId = input.newCallId();
    const seed = wireSeed(id, callId, (candidate) => used().has(candidate));
    used().add(seed);
    const { fault, ...rest } = result;
    const position = index;
    index += 1;
    return {
      call_id: callId,
      name: name ?? call.name,
      id,
      raw_name: call.name,
      ...(typeof call.argumentsValue === 'string' ? { raw_arguments: call.argumentsValue } : {}),
      index: position,
      ...rest,
      ...(fault === undefined ? {} : { fault }),
      source: call.source ?? 'structured',
      wire_seed: seed,
    };
  };

  const parseWith = (call: DecodedCall, name: string | null, runnable: boolean) => {
    const tool = request.tools.find((spec) => spec.name === name);
    return parseArguments(call.argumentsValue, {
      closed: runnable && call.cut !== true,
      missingClosers: profile.missingClosers,
      ...(tool?.check === undefined ? {} : { check: tool.check }),
      outputBelowLimit: input.outputBelowLimit,
    });
  };

  const parse = (call: DecodedCall): ToolCall[] => {
    const name = resolve(call.name);
    let parsed = parseWith(call, name, input.runnable);
    const repaired =
      'calls' in parsed &&
      parsed.calls.some((entry) => entry.repairs.some((flag) => flag !== 'object'));
    if (input.unrepairedOnly && repaired) parsed = parseWith(call, name, false);
    if ('fault' in parsed) {
      const status = parsed.fault.kind === 'cut' ? 'cut' : 'invalid';
      const { fault, repairs } = parsed;
      return [make(call, name, { arguments: {}, status, repairs, fault }, call.id)];
    }
    const first = parsed.calls[0];
    const uses = name === null && first !== undefined ? wrappedUses(call, first.arguments) : null;
    if (uses !== null) {
      return uses.map((use, position) =>
        make(
          { ...call, name: use.name, argumentsValue: use.arguments },
          resolve(use.name),
          { arguments: use.arguments, status: 'ok', repairs: ['parallel_wrapper'] },
          position === 0 ? call.id : null,
        ),
      );
    }
    return parsed.calls.map((entry, position) =>
      make(
        call,
        name,
        { arguments: entry.arguments, status: 'ok', repairs: entry.repairs },
        position === 0 ? call.id : null,
      ),
    );
  };

  /** The uses inside a made-up wrapper call, when every one of them names an offered tool. */
  const wrappedUses = (
    call: DecodedCall,
    value: JsonObject,
  ): { name: string; arguments: JsonObject }[] | null => {
    const uses = value['tool_uses'];
    if (!WRAPPERS.has(call.name) || !Array.isArray(uses) || uses.length === 0) return null;
    const found: { name: string; arguments: JsonObject }[] = [];
    for (const use of uses) {
      const name = textAt(use, 'recipient_name');
      const given = isObject(use) ? (use['parameters'] ?? {}) : undefined;
      if (name === undefined || !isObject(given) || resolve(name) === null) return null;
      found.push({ name, arguments: given });
    }
    return found;
  };

  return { parse };
}

/** Seeds of the history and this turn; collected only when a call needs one. */
function usedSeeds(request: LLMRequest): () => Set<string> {
  let seeds: Set<string> | undefined;
  return () => {
    if (seeds !== undefined) return seeds;
    seeds = new Set();
    for (const message of request.messages) {
      for (const block of message.content) {
        if (block.type === 'tool_call') seeds.add(block.call.wire_seed);
      }
    }
    return seeds;
  };
}

/** A call at the output limit whose arguments are not whole was cut by the limit, whatever the reason says. */
export function cutByLimit(
  calls: readonly DecodedCall[],
  usage: ReportedUsage | null,
  sentLimit: number | null,
): boolean {
  if (usage === null || sentLimit === null || usage.output_tokens < sentLimit) return false;
  return calls.some((call) => !isStrictObject(call));
}

function isStrictObject(call: DecodedCall): boolean {
  if (typeof call.argumentsValue !== 'string') return isObject(call.argumentsValue);
  try {
    return isObject(JSON.parse(call.argumentsValue));
  } catch {
    return false;
  }
}
