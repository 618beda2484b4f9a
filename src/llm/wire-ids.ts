import { createHash } from 'node:crypto';
import type { ToolCall } from './types.ts';
import { compiled, type WireRule } from './wire-rule.ts';

/** Ids of calls on the wire. Ours (`call_id`) never leave; what leaves is a pure function of stored data. */

export interface IdRule extends WireRule {
  /** The provider wants its own ids back unchanged. */
  readonly echo: boolean;
}

const MAX_SEED = 64;

/** Chosen once, at decode, and stored: the provider's id when usable and new in the session, else our own. */
export function wireSeed(
  providerId: string | null,
  callId: string,
  used: (id: string) => boolean,
): string {
  const usable =
    providerId !== null &&
    providerId.length >= 1 &&
    providerId.length <= MAX_SEED &&
    !used(providerId);
  return usable ? providerId : callId;
}

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const HASH_LENGTH = 43;

/** SHA-256 of the text in base62, 43 characters, cut to `length`. */
function hashId(text: string, length: number): string {
  let rest = BigInt(`0x${createHash('sha256').update(text).digest('hex')}`);
  let id = '';
  while (id.length < HASH_LENGTH) {
    id += DIGITS[Number(rest % 62n)];
    rest /= 62n;
  }
  return id.slice(0, length);
}

/** Hashing is the only slow part; a call object is immutable, so its hash per length is kept. */
const hashes = new WeakMap<ToolCall, Map<number, string>>();

function hashOfCall(call: ToolCall, length: number): string {
  const known = hashes.get(call) ?? new Map<number, string>();
  const id = known.get(length) ?? hashId(call.wire_seed, length);
  hashes.set(call, known.set(length, id));
  return id;
}

export interface WireIds {
  /** The id of the next call in history order. `sameKey`: its turn comes from this very endpoint and model. */
  assign(call: ToolCall, sameKey: boolean): string;
}

/**
 * Ids of one request. Calls must be given in history order: an id depends on earlier calls only, so appending
 * to a history never changes an id that was sent before, and no two calls get the same one.
 */
export function createWireIds(options: { readonly rule: IdRule }): WireIds {
  const { rule } = options;
  const pattern = compiled(rule.pattern);
  const taken = new Set<string>();
  const fits = (id: string) => id.length <= rule.max && pattern.test(id);

  const choose = (call: ToolCall, sameKey: boolean): string => {
    const { id, wire_seed: seed } = call;
    if (rule.echo && sameKey && id !== null && id !== '' && !taken.has(id)) return id;
    if (fits(seed) && !taken.has(seed)) return seed;
    let wire = hashOfCall(call, rule.max);
    for (let round = 1; taken.has(wire); round++) wire = hashId(`${seed}#${round}`, rule.max);
    return wire;
  };

  return {
    assign(call, sameKey) {
      const wire = choose(call, sameKey);
      taken.add(wire);
      return wire;
    },
  };
}
