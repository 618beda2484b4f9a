/** `toolwright tools`: the registry, and what a profile offers. */
import { nativeRegistry } from '../../agent/tool-sources.ts';
import { didYouMean } from '../../permissions/nearest.ts';
import { offeredList } from '../../tools/offered-list.ts';
import { findProfile, PROFILES } from '../../tools/profiles.ts';
import type { Tool } from '../../tools/types.ts';
import { stripAnnotations, wireBytes } from '../../tools/wire-tools.ts';
import { EXIT } from '../exit-codes.ts';
import { type FormatFlags, wantsJson } from '../format-flag.ts';
import type { Io } from '../io.ts';
import { usageError } from '../usage-error.ts';

export interface ToolsFlags extends FormatFlags {
  readonly profile?: string;
}

export async function listTools(io: Io, flags: ToolsFlags): Promise<number> {
  if (flags.profile !== undefined) return showProfile(io, flags.profile, wantsJson(flags));
  const { tools } = nativeRegistry();
  io.stdout.write(wantsJson(flags) ? asJson(tools.map(described)) : table(tools));
  return EXIT.completed;
}

export async function showTool(io: Io, name: string): Promise<number> {
  const registry = nativeRegistry();
  const tool = registry.get(name);
  if (tool === undefined) {
    const names = registry.tools.map((one) => one.name);
    throw usageError(`Unknown tool "${name}"${didYouMean(name, names)}. See: toolwright tools`);
  }
  io.stdout.write(asJson(described(tool)));
  return EXIT.completed;
}

function showProfile(io: Io, name: string, json: boolean): number {
  const names = PROFILES.map((profile) => profile.name);
  if (findProfile(name) === undefined)
    throw usageError(
      `Unknown profile "${name}"${didYouMean(name, names)}. Known: ${names.join(', ')}.`,
    );
  const list = offeredList(nativeRegistry(), {
    profile: name,
    policy: { impossible: () => false },
  });
  const bytes = wireBytes(list.offered, 'en');
  if (json) {
    const { offered, deferred } = list;
    io.stdout.write(
      asJson({
        profile: name,
        bytes,
        offered: offered.map(described),
        deferred: deferred.map((tool) => tool.name),
      }),
    );
    return EXIT.completed;
  }
  const deferred = list.deferred.map((tool) => tool.name).join(', ');
  io.stdout.write(table(list.offered));
  if (deferred !== '') io.stdout.write(`deferred: ${deferred}\n`);
  io.stdout.write(`${list.offered.length} tools, ${bytes} bytes\n`);
  return EXIT.completed;
}

function described(tool: Tool): object {
  return {
    name: tool.name,
    group: tool.group,
    class: tool.permission,
    runs_in: tool.runsIn,
    description: tool.description,
    parameters: stripAnnotations(tool.parameters),
  };
}

function asJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function table(tools: readonly Tool[]): string {
  const width = Math.max(0, ...tools.map((tool) => tool.name.length));
  const lines = tools.map((tool) => {
    const [first = ''] = tool.description.split(/(?<=\.)\s|\n/);
    return `${tool.name.padEnd(width)}  ${tool.group.padEnd(8)}  ${tool.permission.padEnd(8)}  ${first}\n`;
  });
  return lines.join('');
}
