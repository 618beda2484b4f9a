import { lstatSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve as resolveHost } from 'node:path';
import { ToolFailure } from '../errors.ts';
import { isBelow } from './descriptor.ts';
import { createNaming, type Naming, PREFIX_ALIASES } from './logical-name.ts';
import { parsePathText } from './path-text.ts';
import { isHiddenName } from './protected-names.ts';
import { checkSegment } from './segments.ts';
import { showPath } from './show-path.ts';
import type { PathIntent, PathResolver, ResolvedPath, Root, RootKind } from './types.ts';

export interface PathResolverOptions {
  readonly workspace: string;
  /** Absolute folders of the session. */
  readonly session: {
    readonly input: string;
    readonly output: string;
    readonly scratchpad: string;
    readonly toolOutput: string;
  };
  /** A setting, or the list `decidePrefixes` gave at session start. */
  readonly prefixes: 'on' | 'auto' | 'off' | readonly string[];
  readonly extraRoots: readonly { readonly path: string; readonly write?: boolean }[];
  readonly skills?: readonly { readonly name: string; readonly path: string }[];
  /** What `~/` means; default the user's home. */
  readonly userHome?: string;
}

const PREFIXES = ['output', 'scratchpad', 'input'] as const;

/**
 * Session prefixes of setting `auto`: those of which the workspace has an entry under neither spelling. Decide once
 * per session and keep the answer, so that a name never changes its meaning in mid-session.
 */
export function decidePrefixes(workspace: string): readonly string[] {
  return PREFIXES.filter((prefix) =>
    (PREFIX_ALIASES[prefix] ?? [prefix]).every(
      (name) => lstatSync(join(workspace, name), { throwIfNoEntry: false }) === undefined,
    ),
  );
}

/** The routing of tools.md section 3; roots are fixed here for the session. */
export function createPathResolver(options: PathResolverOptions): PathResolver {
  const prefixes = prefixesInForce(options);
  const roots = rootsOf(options, prefixes);
  const naming = createNaming(roots);
  const places = roots.map((root) => ({ root, spellings: spellingsOf(root.path) }));
  const workspace = roots[0] as Root;
  const home = options.userHome ?? homedir();

  const locate = (absolute: string): { root: Root; segments: readonly string[] } | null => {
    let best: { root: Root; prefix: string } | null = null;
    for (const { root, spellings } of places) {
      for (const prefix of spellings) {
        const closer = best === null || prefix.length > best.prefix.length;
        if (closer && isBelow(absolute, prefix)) best = { root, prefix };
      }
    }
    if (best === null) return null;
    const rest = absolute.slice(best.prefix.length).split('/');
    return { root: best.root, segments: rest.filter((part) => part !== '') };
  };

  const place = (text: string): { root: Root; segments: readonly string[] } => {
    const parsed = parsePathText(text, home);
    if (parsed.form === 'absolute') {
      const found = locate(`/${parsed.segments.join('/')}`);
      if (found === null) throw outsideFailure(text);
      return found;
    }
    if (parsed.form === 'workspace') return { root: workspace, segments: parsed.segments };
    const routed = naming.route(parsed.segments);
    if (routed === null) return { root: workspace, segments: parsed.segments };
    return { root: routed.root, segments: parsed.segments.slice(routed.taken) };
  };

  return {
    roots,
    sessionPrefixes: prefixes,
    resolve(text, intent) {
      const { root, segments } = place(text);
      return checked(naming, root, segments, intent);
    },
    logicalOf(absolute) {
      const found = locate(absolute);
      return found === null ? null : naming.make(found.root, found.segments, 'read').logical;
    },
    child(parent, name) {
      checkSegment(name);
      if (name === '' || name === '.' || name === '..') {
        throw new ToolFailure('invalid_arguments', `"${name}" is no name of an entry`);
      }
      return naming.child(parent, name);
    },
  };
}

function prefixesInForce(options: PathResolverOptions): readonly string[] {
  const { prefixes } = options;
  if (prefixes === 'on') return PREFIXES;
  if (prefixes === 'off') return [];
  return prefixes === 'auto' ? decidePrefixes(options.workspace) : prefixes;
}

function rootsOf(options: PathResolverOptions, prefixes: readonly string[]): readonly Root[] {
  const { session } = options;
  const root = (kind: RootKind, path: string, write: boolean, logicalPrefix: string): Root => ({
    kind,
    path: resolveHost(path),
    write,
    logicalPrefix,
  });
  const prefixed = (kind: 'input' | 'output' | 'scratchpad', write: boolean): Root =>
    root(kind, session[kind], write, prefixes.includes(kind) ? kind : resolveHost(session[kind]));
  return [
    root('workspace', options.workspace, true, ''),
    prefixed('input', false),
    prefixed('output', true),
    prefixed('scratchpad', true),
    root('tool-output', session.toolOutput, false, 'tool-output'),
    ...(options.skills ?? []).map((skill) =>
      root('skill', skill.path, false, `skills/${skill.name}`),
    ),
    ...options.extraRoots.map((extra) =>
      root('extra', extra.path, extra.write === true, resolveHost(extra.path)),
    ),
  ];
}

/** As given, and with links resolved: either may be written. */
function spellingsOf(path: string): readonly string[] {
  try {
    const real = realpathSync(path);
    return real === path ? [path] : [path, real];
  } catch {
    return [path];
  }
}

function checked(
  naming: Naming,
  root: Root,
  segments: readonly string[],
  intent: PathIntent,
): ResolvedPath {
  const path = naming.make(root, segments, intent);
  if (segments.some((name) => isHiddenName(name))) {
    throw denied(path, "belongs to the runtime's own records");
  }
  if (intent === 'write' && !root.write) throw denied(path, `is read-only (${describe(root)})`);
  if (intent === 'exec') checkExec(path);
  if (intent === 'list' && root.kind === 'tool-output') {
    throw denied(
      path,
      'holds stored results, which are read by name with read_file or grep_search',
    );
  }
  return path;
}

function checkExec(path: ResolvedPath): void {
  const { kind } = path.root;
  if (kind === 'input' || kind === 'tool-output') {
    throw denied(path, `cannot be run (${describe(path.root)})`);
  }
  if (kind === 'skill' && (path.segments[0] !== 'scripts' || path.segments.length < 2)) {
    throw denied(path, 'cannot be run; of a skill only files below its scripts/ can');
  }
}

function describe(root: Root): string {
  return root.logicalPrefix === '' ? 'the workspace' : `below ${showPath(root.logicalPrefix)}`;
}

function denied(path: ResolvedPath, what: string): ToolFailure {
  return new ToolFailure('path_denied', `${showPath(path.logical)} ${what}`, {
    details: { path: path.logical },
  });
}

function outsideFailure(text: string): ToolFailure {
  return new ToolFailure('path_outside', `${showPath(text)} lies outside the allowed folders`, {
    details: { path: text },
  });
}
