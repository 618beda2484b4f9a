import type { PathIntent, ResolvedPath, Root } from './types.ts';

/** The two spellings of each session prefix; the first is the one shown. */
export const PREFIX_ALIASES: Readonly<Record<string, readonly [string, string]>> = {
  output: ['output', 'outputs'],
  scratchpad: ['scratchpad', 'scratch'],
  input: ['input', 'inputs'],
};

export const WORKSPACE_MARK = 'workspace:';

/** Names places of a fixed list of roots; what it names resolves back to the same place. */
export interface Naming {
  /** The root a workspace-relative path is routed to and how many components that takes; null: the workspace. */
  route(segments: readonly string[]): { readonly root: Root; readonly taken: number } | null;
  make(root: Root, segments: readonly string[], intent: PathIntent): ResolvedPath;
  child(parent: ResolvedPath, segment: string): ResolvedPath;
}

export function createNaming(roots: readonly Root[]): Naming {
  const byName = new Map<string, Root>();
  for (const root of roots) {
    if (root.kind === 'workspace' || root.logicalPrefix.startsWith('/')) continue;
    for (const name of PREFIX_ALIASES[root.logicalPrefix] ?? [root.logicalPrefix]) {
      byName.set(name, root);
    }
  }
  const route = (segments: readonly string[]): { root: Root; taken: number } | null => {
    const first = byName.get(segments[0] ?? '');
    if (first !== undefined) return { root: first, taken: 1 };
    const two = byName.get(segments.slice(0, 2).join('/'));
    return two === undefined ? null : { root: two, taken: 2 };
  };
  const make = (root: Root, segments: readonly string[], intent: PathIntent): ResolvedPath => ({
    root,
    segments,
    logical: logicalName(root, segments, route),
    absolute: joinAbsolute(root.path, segments),
    intent,
  });
  const child = (parent: ResolvedPath, segment: string): ResolvedPath => {
    if (parent.segments.length === 0) return make(parent.root, [segment], parent.intent);
    const segments = [...parent.segments, segment];
    // `skills` alone is a workspace folder, `skills/x` may not be.
    if (segments.length === 2) return make(parent.root, segments, parent.intent);
    return {
      root: parent.root,
      segments,
      logical: `${parent.logical}/${segment}`,
      absolute: `${parent.absolute}/${segment}`,
      intent: parent.intent,
    };
  };
  return { route, make, child };
}

function logicalName(root: Root, segments: readonly string[], route: Naming['route']): string {
  const rest = segments.join('/');
  if (root.kind !== 'workspace') {
    if (root.logicalPrefix.startsWith('/')) return joinAbsolute(root.logicalPrefix, segments);
    return rest === '' ? root.logicalPrefix : `${root.logicalPrefix}/${rest}`;
  }
  if (rest === '') return '.';
  if (route(segments) !== null || rest.startsWith(WORKSPACE_MARK))
    return `${WORKSPACE_MARK}${rest}`;
  return rest.startsWith('~') ? `./${rest}` : rest;
}

export function joinAbsolute(root: string, segments: readonly string[]): string {
  const below = segments.join('/');
  if (below === '') return root;
  return root.endsWith('/') ? `${root}${below}` : `${root}/${below}`;
}
