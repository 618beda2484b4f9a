import { hash } from 'node:crypto';
import type { PermissionRequest } from './types.ts';

/** JSON with sorted keys, so that equal values have one text. */
export function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => sortedJson(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${sortedJson(member)}`);
  return `{${members.join(',')}}`;
}

export function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}

/**
 * What an approval is bound to: tool, arguments, cwd, resolved paths with links followed, present content, and the
 * confinement. One changed byte of any of them is another digest.
 */
export function requestDigest(
  request: PermissionRequest,
  confinement: { readonly sandboxed: boolean; readonly network: boolean },
): string {
  return sha256(
    sortedJson({
      tool: request.tool,
      arguments: request.arguments,
      cwd: request.cwd,
      paths: request.paths.map((path) => [path.absolute, path.intent]),
      real: request.realPaths,
      before: request.beforeHashes,
      sandboxed: confinement.sandboxed,
      network: confinement.network,
    }),
  );
}
