/** Turns decoded calls into tool calls: names resolved, arguments parsed, ids chosen. */
import { type ParsedArguments, parseArguments } from '../arguments.ts';
import type { DecodedCall } from '../codecs/codec.ts';
import { createGrowingFold } from '../history/growing-fold.ts';
import { isObject, textAt } from '../json.ts';
import type { Profile } from '../profile-types.ts';
import type { JsonObject, LLMMessage, LLMRequest, ReportedUsage, ToolCall } from '../types.ts';
import { wireSeed } from '../wire-ids.ts';
import { createNameMap, type NameMap } from '../wire-names.ts';

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
  return new TurnCallParser(input);
}

type Parsed = Pick<ToolCall, 'arguments' | 'status' | 'repairs' | 'fault'>;

class TurnCallParser implements CallParser {
  readonly #input: ParseCallsInput;
  readonly #names: NameMap;
  readonly #used: UsedSeeds;
  #index = 0;

  constructor(input: ParseCallsInput) {
    this.#input = input;
    this.#used = usedSeeds(input.request);
    this.#names = createNameMap(
      input.request.tools.map((tool) => tool.name),
      input.profile.nameRule,
    );
  }

  parse(call: DecodedCall): ToolCall[] {
    const name = this.#resolve(call.name);
    const parsed = this.#parseArguments(call, name);
    if ('fault' in parsed) {
      const { fault, repairs } = parsed;
      const status = fault.kind === 'cut' ? 'cut' : 'invalid';
      return [this.#make(call, name, { arguments: {}, status, repairs, fault }, call.id)];
    }
    const uses = name === null ? this.#wrappedUses(call, parsed.calls[0]?.arguments) : null;
    if (uses !== null) return this.#unwrap(call, uses);
    return parsed.calls.map(({ arguments: value, repairs }, position) =>
      this.#make(
        call,
        name,
        { arguments: value, status: 'ok', repairs },
        position === 0 ? call.id : null,
      ),
    );
  }

  #resolve(rawName: string): string | null {
    const { request } = this.#input;
    const mapped = this.#names.fromWire(rawName);
    return request.tools.some((tool) => tool.name === mapped) ? mapped : request.resolve(mapped);
  }

  #parseArguments(call: DecodedCall, name: string | null): ParsedArguments {
    const { runnable, unrepairedOnly } = this.#input;
    const parsed = this.#parseWhen(runnable, call, name);
    const repaired =
      'calls' in parsed &&
      parsed.calls.some((entry) => entry.repairs.some((flag) => flag !== 'object'));
    return unrepairedOnly && repaired ? this.#parseWhen(false, call, name) : parsed;
  }

  #parseWhen(runnable: boolean, call: DecodedCall, name: string | null): ParsedArguments {
    const { request, profile, outputBelowLimit } = this.#input;
    const tool = request.tools.find((spec) => spec.name === name);
    return parseArguments(call.argumentsValue, {
      closed: runnable && call.cut !== true,
      missingClosers: profile.missingClosers,
      ...(tool?.check === undefined ? {} : { check: tool.check }),
      outputBelowLimit,
    });
  }

  #make(call: DecodedCall, name: string | null, parsed: Parsed, id: string | null): ToolCall {
    const callId = this.#input.newCallId();
    const seed = wireSeed(id, callId, (candidate) => this.#used.has(candidate));
    this.#used.add(seed);
    const index = this.#index;
    this.#index += 1;
    return {
      call_id: callId,
      name: name ?? call.name,
      id,
      raw_name: call.name,
      ...(typeof call.argumentsValue === 'string' ? { raw_arguments: call.argumentsValue } : {}),
      index,
      ...parsed,
      source: call.source ?? 'structured',
      wire_seed: seed,
    };
  }

  /** The uses inside a made-up wrapper call, when every one of them names an offered tool. */
  #wrappedUses(call: DecodedCall, value: JsonObject | undefined): WrappedUse[] | null {
    const uses = value?.tool_uses;
    if (!WRAPPERS.has(call.name) || !Array.isArray(uses) || uses.length === 0) return null;
    const found: WrappedUse[] = [];
    for (const use of uses) {
      const name = textAt(use, 'recipient_name');
      const given = isObject(use) ? (use.parameters ?? {}) : undefined;
      if (name === undefined || !isObject(given) || this.#resolve(name) === null) return null;
      found.push({ name, arguments: given });
    }
    return found;
  }

  #unwrap(call: DecodedCall, uses: readonly WrappedUse[]): ToolCall[] {
    return uses.map((use, position) =>
      this.#make(
        { ...call, name: use.name, argumentsValue: use.arguments },
        this.#resolve(use.name),
        { arguments: use.arguments, status: 'ok', repairs: ['parallel_wrapper'] },
        position === 0 ? call.id : null,
      ),
    );
  }
}

interface WrappedUse {
  readonly name: string;
  readonly arguments: JsonObject;
}

const seedsOf = createGrowingFold<LLMMessage, Set<string>>(
  () => new Set(),
  (seeds, { content }) => {
    for (const block of content) if (block.type === 'tool_call') seeds.add(block.call.wire_seed);
  },
);

interface UsedSeeds {
  has(seed: string): boolean;
  add(seed: string): void;
}

/** Seeds of the history and this turn; the history is looked at only when a call needs one. */
function usedSeeds(request: LLMRequest): UsedSeeds {
  const own = new Set<string>();
  return {
    has: (seed) => own.has(seed) || seedsOf(request.messages).has(seed),
    add: (seed) => own.add(seed),
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
