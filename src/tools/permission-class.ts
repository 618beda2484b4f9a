import type { PermissionClass } from '../workspace/types.ts';
import type { Tool } from './types.ts';

const NOT_ACTING: ReadonlySet<PermissionClass> = new Set(['read', 'state', 'user']);
const LEAVES_THE_DISK: ReadonlySet<PermissionClass> = new Set(['mcp', 'network', 'package']);

/** Acting calls change something outside this session's own records. */
export function isActing(name: PermissionClass): boolean {
  return !NOT_ACTING.has(name);
}

/** The effect survives outside this disk, so the intent must be synced before it starts. */
export function leavesTheDisk(name: PermissionClass): boolean {
  return LEAVES_THE_DISK.has(name);
}

/** The class of one call: `classOf` may lower it for a looking sub-command, never raise it. */
export function classOfCall(tool: Tool, args: Readonly<Record<string, unknown>>): PermissionClass {
  return tool.classOf?.(args) === 'read' ? 'read' : tool.permission;
}

/** Every class a call of the tool can have. */
export function classesOf(tool: Tool): readonly PermissionClass[] {
  return tool.classOf === undefined ? [tool.permission] : [tool.permission, 'read'];
}
