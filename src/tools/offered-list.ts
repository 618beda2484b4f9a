import { ConfigError } from '../errors.ts';
import { didYouMean, nearestNames } from '../permissions/nearest.ts';
import { comparableName } from '../permissions/tool-name.ts';
import type { PermissionPolicy } from '../permissions/types.ts';
import { callTool } from './basic/call-tool.ts';
import { toolSearchTool } from './basic/tool-search.ts';
import { expandToolList } from './expand-tool-list.ts';
import { classesOf } from './permission-class.ts';
import { findProfile, PROFILES, type ToolProfile } from './profiles.ts';
import type { Registry } from './registry.ts';
import type { OfferedList, Tool } from './types.ts';

export interface OfferOptions {
  /** The kind's profile: its core, and what is deferred beside it. */
  readonly profile: string;
  /** `agents.<name>.tools`: names, `profile:NAME`, `group:NAME`, `-NAME`; replaces the core. */
  readonly tools?: readonly string[];
  readonly policy: Pick<PermissionPolicy, 'impossible'>;
  /** Names of deferred tools that earlier runs of the session found or used, in that order. */
  readonly loaded?: readonly string[];
  /** False for a tool whose prerequisite is missing (no search provider, sub-agents off). Default: all. */
  readonly available?: (tool: Tool) => boolean;
  /** Replaces a registered tool for this run, as `task_done` with an answer schema. */
  readonly replace?: readonly Tool[];
}

const SEARCH_NAMES = new Set(['tool_search', 'call_tool']);

/** Builds the frozen list of a run. Throws ConfigError for an unknown name, with the nearest one. */
export function offeredList(registry: Registry, options: OfferOptions): OfferedList {
  const profile = findProfile(options.profile);
  if (profile === undefined) {
    const names = PROFILES.map(({ name }) => name);
    throw new ConfigError(
      `unknown tool profile "${options.profile}"${didYouMean(options.profile, names)}`,
    );
  }
  const replaced = new Map((options.replace ?? []).map((tool) => [tool.name, tool]));
  const usable = registry.tools
    .map((tool) => replaced.get(tool.name) ?? tool)
    .filter((tool) => options.available?.(tool) ?? true)
    .filter((tool) => !options.policy.impossible(tool.name, classesOf(tool)));
  const listed = options.tools === undefined ? null : expandToolList(options.tools, registry);
  const core = listed?.names ?? profile.core;
  const searchable = listed === null || core.includes('tool_search');
  const wanted = new Set([...core, ...(searchable ? (options.loaded ?? []) : [])]);
  if (listed !== null) wanted.add('task_done');
  const chosen = [...wanted].flatMap((name) => usable.find((tool) => tool.name === name) ?? []);
  const mcp = usable.filter((tool) => tool.group === 'mcp' && !chosen.includes(tool));
  const deferred = searchable ? deferredTools(usable, [...chosen, ...mcp], profile) : [];
  const offered = [...withSearch(chosen, deferred), ...mcp];
  return freeze(offered, deferred, listed?.leftOut ?? []);
}

function deferredTools(
  usable: readonly Tool[],
  taken: readonly Tool[],
  profile: ToolProfile,
): Tool[] {
  return usable.filter(
    (tool) => !taken.includes(tool) && !SEARCH_NAMES.has(tool.name) && profile.defers(tool.group),
  );
}

/** The search pair is there only when something can be found; the search tool knows what. */
function withSearch(chosen: readonly Tool[], deferred: readonly Tool[]): Tool[] {
  if (deferred.length === 0) return chosen.filter((tool) => !SEARCH_NAMES.has(tool.name));
  return chosen.map((tool) => {
    if (tool.name === 'tool_search') return toolSearchTool(deferred);
    return tool.name === 'call_tool' ? callTool : tool;
  });
}

function freeze(
  offered: readonly Tool[],
  deferred: readonly Tool[],
  leftOut: readonly string[],
): OfferedList {
  const names = [...offered, ...deferred].map((tool) => tool.name);
  const rungs = [exactly, comparably, byAlias];
  return Object.freeze({
    offered: Object.freeze([...offered]),
    deferred: Object.freeze([...deferred]),
    leftOut,
    find(name: string) {
      for (const rung of rungs) {
        for (const list of [offered, deferred]) {
          const [tool, ...more] = list.filter((candidate) => rung(candidate, name));
          if (tool === undefined || more.length > 0) continue;
          const resolvedFrom = tool.name === name ? null : name;
          return { tool, resolvedFrom, deferred: list === deferred };
        }
      }
      return null;
    },
    nearest: (name: string) => nearestNames(name, names, 3),
  });
}

const exactly = (tool: Tool, name: string) => tool.name === name;
const comparably = (tool: Tool, name: string) => comparableName(tool.name) === comparableName(name);
/** A listed alias, or the bare name of a server's tool. */
const byAlias = (tool: Tool, name: string) =>
  (tool.aliases ?? []).some((alias) => comparableName(alias) === comparableName(name)) ||
  (tool.group === 'mcp' && /^mcp__.+?__(.+)$/s.exec(tool.name)?.[1] === name);
