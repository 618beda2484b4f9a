import { ConfigError } from '../errors.ts';
import { didYouMean } from '../permissions/nearest.ts';
import { comparableName } from '../permissions/tool-name.ts';
import { findProfile, PROFILES } from './profiles.ts';
import type { Registry } from './registry.ts';
import { knownToolNames, SPECIFIED_GROUPS } from './specified-names.ts';

/** What a list of `agents.<name>.tools` comes to. */
export interface ExpandedList {
  readonly names: readonly string[];
  /** Entries that are valid names but stand for nothing in this program. */
  readonly leftOut: readonly string[];
}

interface Members {
  readonly names: readonly string[];
  readonly missing: boolean;
}

/**
 * Entries are names, `profile:NAME`, `group:NAME`, and `-` before any of them. Throws ConfigError for a name nobody
 * knows, with the nearest one.
 */
export function expandToolList(entries: readonly string[], registry: Registry): ExpandedList {
  const names = new Set<string>();
  const leftOut: string[] = [];
  for (const entry of entries) {
    const [, minus, kind, name = ''] = /^(-?)(profile:|group:)?(.*)$/s.exec(entry.trim()) ?? [];
    const members = membersOf(kind, name, entry, registry);
    if (minus === '-') for (const found of members.names) names.delete(found);
    else {
      for (const found of members.names) names.add(found);
      if (members.missing) leftOut.push(entry.trim());
    }
  }
  return { names: [...names], leftOut };
}

function membersOf(
  kind: string | undefined,
  name: string,
  entry: string,
  registry: Registry,
): Members {
  if (kind === 'profile:') return { names: profileCore(name, entry), missing: false };
  if (kind === 'group:') return groupMembers(name, entry, registry);
  const wanted = comparableName(name);
  const tool = registry.tools.find((one) => comparableName(one.name) === wanted);
  if (tool !== undefined) return { names: [tool.name], missing: false };
  const known = knownToolNames(registry);
  if (known.some((one) => comparableName(one) === wanted)) return { names: [], missing: true };
  const offered = registry.tools.map((one) => one.name);
  throw unknownEntry(entry, 'tool', name, known, offered);
}

function profileCore(name: string, entry: string): readonly string[] {
  const profile = findProfile(name);
  if (profile !== undefined) return profile.core;
  const names = PROFILES.map((one) => one.name);
  throw unknownEntry(entry, 'profile', name, names);
}

function groupMembers(name: string, entry: string, registry: Registry): Members {
  const members = registry.tools.filter((tool) => tool.group === name);
  if (members.length > 0) return { names: members.map((tool) => tool.name), missing: false };
  if (SPECIFIED_GROUPS.some((group) => group === name)) return { names: [], missing: true };
  throw unknownEntry(entry, 'tool group', name, SPECIFIED_GROUPS);
}

function unknownEntry(
  entry: string,
  what: string,
  name: string,
  known: readonly string[],
  shown = known,
): ConfigError {
  const near = didYouMean(name, known);
  const hint = near === '' ? `; known: ${shown.join(', ')}` : near;
  return new ConfigError(`the tool list entry "${entry}" names an unknown ${what}${hint}`, {
    entry,
  });
}
