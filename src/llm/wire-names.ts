import { createHash } from 'node:crypto';
import { compiled, type WireRule } from './wire-rule.ts';

/** Tool names on the wire. A name that breaks the vendor's rule is rewritten to a legal, recognisable, unique one. */

/** What stands in a history for a call whose name was empty. */
export const INVALID_TOOL_NAME = 'invalid_tool_name';

const HASH_DIGITS = 6;

export function fitsRule(name: string, rule: WireRule): boolean {
  return name !== '' && name.length <= rule.max && compiled(rule.pattern).test(name);
}

function replaceIllegal(name: string, rule: WireRule): string {
  const pattern = compiled(rule.pattern);
  return Array.from(name, (character, index) =>
    pattern.test(character) || (index > 0 && pattern.test(`a${character}`)) ? character : '_',
  ).join('');
}

function mangled(name: string, rule: WireRule, salt: string): string {
  const digits = createHash('sha256')
    .update(name + salt)
    .digest('hex')
    .slice(0, HASH_DIGITS);
  return `${replaceIllegal(name, rule).slice(0, rule.max - HASH_DIGITS - 1)}_${digits}`;
}

/** The name itself when legal, else illegal characters become `_` and six hash digits keep it unique. */
export function toWireName(name: string, rule: WireRule): string {
  if (name === '') return INVALID_TOOL_NAME;
  return fitsRule(name, rule) ? name : mangled(name, rule, '');
}

export interface NameMap {
  toWire(name: string): string;
  /** The offered name a wire name stands for, or the name unchanged when it stands for none. */
  fromWire(wire: string): string;
}

/** A mapping over the offered names that is one to one: a legal name keeps its spelling, others make way. */
export function createNameMap(names: readonly string[], rule: WireRule): NameMap {
  const forward = new Map<string, string>();
  const back = new Map<string, string>();
  const put = (name: string, wire: string) => {
    forward.set(name, wire);
    back.set(wire, name);
  };
  const unique = [...new Set(names)];
  for (const name of unique) if (fitsRule(name, rule)) put(name, name);
  for (const name of unique) {
    if (forward.has(name)) continue;
    let wire = toWireName(name, rule);
    for (let round = 1; back.has(wire); round++) wire = mangled(name, rule, `#${round}`);
    put(name, wire);
  }
  return {
    toWire: (name) => forward.get(name) ?? toWireName(name, rule),
    fromWire: (wire) => back.get(wire) ?? wire,
  };
}
