import type { ToolCall } from '../../llm/types.ts';
import type { OfferedList } from '../../tools/types.ts';
import type { PathResolver } from '../../workspace/types.ts';

/** Folders below the workspace (relative, outermost first) that the path parameters of these calls name. */
export function touchedFolders(
  calls: readonly ToolCall[],
  offered: OfferedList,
  resolver: PathResolver,
): string[] {
  const folders = calls.flatMap((call) => {
    const tool = offered.find(call.name)?.tool;
    if (tool === undefined || call.status !== 'ok') return [];
    return pathParameters(tool.parameters).flatMap((name) => {
      const value = call.arguments[name];
      return typeof value === 'string' ? foldersAbove(value, resolver) : [];
    });
  });
  return [...new Set(folders)];
}

function pathParameters(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null || !('properties' in schema)) return [];
  return Object.entries(schema.properties ?? {})
    .filter(([, member]) => typeof member === 'object' && member !== null && 'x-path' in member)
    .map(([name]) => name);
}

function foldersAbove(text: string, resolver: PathResolver): string[] {
  try {
    const { root, segments } = resolver.resolve(text, 'read');
    if (root.kind !== 'workspace') return [];
    return segments.slice(0, -1).map((_, index) => segments.slice(0, index + 1).join('/'));
  } catch {
    // A path that does not resolve touched nothing; its call says so itself.
    return [];
  }
}
