/** The offered tools as one vendor takes them. */
import type { Profile } from '../profile-types.ts';
import { reduceTools } from '../schemas/reduce.ts';
import type { JsonObject, ToolChoice, ToolSpec } from '../types.ts';
import { createNameMap } from '../wire-names.ts';
import type { WireWarning } from './codec.ts';

export interface WireTool {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonObject;
  readonly strict: boolean;
}

export interface WireTools {
  readonly tools: readonly WireTool[];
  readonly warnings: readonly WireWarning[];
  /** Maps the name of an offered tool to its name on the wire. */
  readonly toWire: (name: string) => string;
}

const made = new WeakMap<readonly ToolSpec[], Map<Profile, WireTools>>();

/** Reduced once per list of tools and profile. A tool that cannot be reduced is left out with a warning. */
export function wireTools(specs: readonly ToolSpec[], profile: Profile): WireTools {
  const known = made.get(specs)?.get(profile);
  if (known !== undefined) return known;
  const result = reduceAll(specs, profile);
  const perProfile = made.get(specs) ?? new Map<Profile, WireTools>();
  made.set(specs, perProfile.set(profile, result));
  return result;
}

function reduceAll(specs: readonly ToolSpec[], profile: Profile): WireTools {
  const { offered, warnings } = reduceTools(specs, profile.schemaDialect);
  const names = createNameMap(
    specs.map((spec) => spec.name),
    profile.nameRule,
  );
  const tools = offered.map(({ name, description, schema, strict }) => ({
    name: names.toWire(name),
    description,
    schema,
    strict: strict && profile.strictTools,
  }));
  return { tools, warnings, toWire: names.toWire };
}

/** A choice that names a tool which is not offered would be refused; it becomes `auto`. */
export function usableChoice(choice: ToolChoice, tools: WireTools): ToolChoice {
  if (typeof choice === 'string') return choice;
  const name = tools.toWire(choice.name);
  return tools.tools.some((tool) => tool.name === name) ? { name } : 'auto';
}
