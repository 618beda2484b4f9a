import type { PathIntent, ResolvedPath } from '../../workspace/types.ts';
import type { ToolContext } from '../types.ts';

type Args = Readonly<Record<string, unknown>>;

/** Readers of validated arguments: the schema has guaranteed the types, absent ones get the default given here. */
export function text(args: Args, name: string, absent = ''): string {
  const value = args[name];
  return typeof value === 'string' ? value : absent;
}

export function optionalText(args: Args, name: string): string | undefined {
  const value = args[name];
  return typeof value === 'string' ? value : undefined;
}

export function number(args: Args, name: string, absent: number): number {
  const value = args[name];
  return typeof value === 'number' ? value : absent;
}

/** The resolved `path` of the call; an optional one that is absent is the current folder. */
export function pathOf(ctx: ToolContext, args: Args, intent: PathIntent): ResolvedPath {
  return ctx.paths.path ?? ctx.resolve(text(args, 'path', '.'), intent);
}
