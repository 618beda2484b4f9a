import { posix } from 'node:path';
import { isToolFailure } from '../../errors.ts';
import type { FileAccess, PathIntent, ResolvedPath } from '../../workspace/types.ts';
import { isObject, schemaAt } from '../coerce.ts';
import type { ToolSchema, ToolSession } from '../types.ts';
import type { ReadyCall } from './prepare.ts';

/** The `x-path` values of a call, resolved; lists in schema order. */
export interface CallPaths {
  /** By parameter name; members of arrays and objects as `name.0`, `edits.0.path`. */
  readonly named: Readonly<Record<string, ResolvedPath>>;
  readonly list: readonly ResolvedPath[];
  /** Links followed, same order. */
  readonly real: readonly string[];
}

const NONE: CallPaths = { named: {}, list: [], real: [] };
const withPaths = new WeakMap<ToolSchema, boolean>();

/** Resolves every path parameter for its intent. Throws ToolFailure of the resolver or of file access. */
export async function resolveCallPaths(session: ToolSession, ready: ReadyCall): Promise<CallPaths> {
  const schema = ready.tool.parameters;
  if (!hasPaths(schema)) return NONE;
  const named: Record<string, ResolvedPath> = {};
  collect(schema, ready.args, '', (name, text, intent) => {
    // A looking sub-command of a writing tool only reads its path.
    const lowered = ready.class === 'read' && intent === 'write' ? 'read' : intent;
    named[name] = session.resolver.resolve(text, lowered);
  });
  const list = Object.values(named);
  const real = await Promise.all(list.map((path) => realPathOf(session.files, path)));
  return { named, list, real };
}

function hasPaths(schema: ToolSchema): boolean {
  const known = withPaths.get(schema);
  if (known !== undefined) return known;
  const found = JSON.stringify(schema).includes('"x-path"');
  withPaths.set(schema, found);
  return found;
}

function collect(
  schema: ToolSchema,
  value: unknown,
  at: string,
  take: (name: string, text: string, intent: PathIntent) => void,
): void {
  const intent = schema['x-path'];
  if (typeof value === 'string') {
    if (typeof intent === 'string') take(at, value, intent as PathIntent);
    return;
  }
  const below = (key: string) => (at === '' ? key : `${at}.${key}`);
  if (Array.isArray(value)) {
    const items = schemaAt(schema, 'items');
    for (const [index, item] of value.entries()) collect(items, item, below(String(index)), take);
  } else if (isObject(value)) {
    const properties = schemaAt(schema, 'properties');
    for (const [key, member] of Object.entries(value)) {
      if (Object.hasOwn(properties, key))
        collect(schemaAt(properties, key), member, below(key), take);
    }
  }
}

/** For a path that does not exist yet: the real path of the nearest folder that does, and the rest as written. */
async function realPathOf(files: FileAccess, path: ResolvedPath): Promise<string> {
  const rest: string[] = [];
  for (let at = path; ; at = parentOf(at)) {
    try {
      return posix.join(await files.realPath(at), ...rest);
    } catch (error) {
      const missing = isToolFailure(error) && error.kind === 'not_found';
      if (!missing) throw error;
      if (at.segments.length === 0) return path.absolute;
      rest.unshift(at.segments.at(-1) ?? '');
    }
  }
}

function parentOf(path: ResolvedPath): ResolvedPath {
  return {
    ...path,
    segments: path.segments.slice(0, -1),
    logical: posix.dirname(path.logical),
    absolute: posix.dirname(path.absolute),
  };
}
