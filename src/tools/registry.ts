import { ConfigError } from '../errors.ts';
import { comparableName } from '../permissions/tool-name.ts';
import { PERMISSION_CLASSES } from '../workspace/types.ts';
import { lintSchema } from './schema-lint.ts';
import type { Tool } from './types.ts';

/** Tools with where they come from, for error texts: a group's name, a module, a server. */
export interface ToolSource {
  readonly source: string;
  readonly tools: readonly Tool[];
}

/** All tools of the program, in a fixed order. */
export interface Registry {
  readonly tools: readonly Tool[];
  get(name: string): Tool | undefined;
  sourceOf(name: string): string | undefined;
  /** One line for each tool of a server that was left out. */
  readonly warnings: readonly string[];
}

const NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
const MCP_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/**
 * Builds the registry; sources of group `mcp` come last and are left out with a warning where they collide. Throws
 * ConfigError for duplicate native names (both sources named), a schema outside the subset, a missing class, place
 * or description.
 */
export function createRegistry(sources: readonly ToolSource[]): Registry {
  const tools: Tool[] = [];
  const origins = new Map<string, { readonly name: string; readonly source: string }>();
  const warnings: string[] = [];
  const entries = sources.flatMap(({ source, tools: list }) =>
    list.map((tool) => ({ source, tool })),
  );
  const ordered = [
    ...entries.filter(({ tool }) => tool.group !== 'mcp'),
    ...entries.filter(({ tool }) => tool.group === 'mcp'),
  ];
  for (const { source, tool } of ordered) {
    const key = comparableName(tool.name);
    const other = origins.get(key);
    if (other !== undefined) {
      const message = `the tool ${tool.name} (${source}) has the name of ${other.name} (${other.source})`;
      if (tool.group !== 'mcp') throw new ConfigError(`${message}; rename one of them`);
      warnings.push(`${message} and is left out`);
      continue;
    }
    checkTool(tool, source);
    origins.set(key, { name: tool.name, source });
    tools.push(tool);
  }
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return {
    tools,
    warnings,
    get: (name) => byName.get(name),
    sourceOf: (name) => origins.get(comparableName(name))?.source,
  };
}

function checkTool(tool: Tool, source: string): void {
  const native = tool.group !== 'mcp';
  const faults: string[] = [];
  if (!(native ? NAME : MCP_NAME).test(tool.name)) faults.push('its name has a form not allowed');
  if (!PERMISSION_CLASSES.includes(tool.permission)) faults.push('it has no permission class');
  if (tool.runsIn !== 'environment' && tool.runsIn !== 'host')
    faults.push('it does not say where it runs');
  if (!tool.description) faults.push('its description is missing');
  if (native && !tool.descriptionZh) faults.push('its Chinese description is missing');
  if (native) faults.push(...lintSchema(tool).map((fault) => `its schema: ${fault}`));
  if (!(tool.timeout?.default > 0) || tool.timeout.default > tool.timeout.max) {
    faults.push('its timeout is not 0 < default <= max');
  }
  if (faults.length === 0) return;
  throw new ConfigError(
    `the tool ${tool.name} (${source}) cannot be registered: ${faults.join('; ')}`,
  );
}
