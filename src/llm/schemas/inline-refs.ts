import { isObject } from '../json.ts';
import type { JsonObject, JsonValue } from '../types.ts';
import { asObject, isSchema, mapSubschemas, member, objectFrom } from './schema-walk.ts';
import { UnsupportedSchema } from './unsupported.ts';

/** Local references as plain nested schemas, because few vendors follow them. */

const MAX_NODES = 5_000;
const MAX_NESTING = 64;

/** Keywords that only name, locate or comment a schema, and our own annotations. */
const DROPPED: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  'id',
  '$anchor',
  '$comment',
  '$vocabulary',
  '$dynamicAnchor',
  '$recursiveAnchor',
  '$defs',
  'definitions',
]);

interface Walk {
  readonly root: JsonObject;
  readonly maxRepeats: number;
  nodes: number;
}

/**
 * The schema without `$ref`, definitions, identifiers and `x-` annotations. Keywords beside a `$ref` win over
 * the target's; recursion ends after `maxRepeats` levels in an open object. Throws UnsupportedSchema for remote
 * or dangling references and for schemas that grow beyond bounds.
 */
export function inlineRefs(root: JsonObject, maxRepeats: number): JsonObject {
  return inline(root, { root, maxRepeats, nodes: 0 }, [], 0);
}

function inline(
  schema: JsonObject | boolean,
  walk: Walk,
  active: readonly string[],
  depth: number,
): JsonObject {
  if (++walk.nodes > MAX_NODES) throw new UnsupportedSchema('its schema is too large');
  if (depth > MAX_NESTING) throw new UnsupportedSchema('its schema is nested too deeply');
  const own = asObject(schema);
  const ref = member(own, '$ref') ?? member(own, '$dynamicRef') ?? member(own, '$recursiveRef');
  if (typeof ref === 'string') return inlineOne(own, ref, walk, active, depth);
  const kept = Object.entries(own).filter(([key]) => !DROPPED.has(key) && !key.startsWith('x-'));
  return mapSubschemas(objectFrom(kept), (inner, keyword) =>
    typeof inner === 'boolean' && keyword === 'additionalProperties'
      ? inner
      : inline(inner, walk, active, depth + 1),
  );
}

function inlineOne(
  schema: JsonObject,
  ref: string,
  walk: Walk,
  active: readonly string[],
  depth: number,
): JsonObject {
  const beside = Object.entries(schema).filter(
    ([key]) => key !== '$ref' && key !== '$dynamicRef' && key !== '$recursiveRef',
  );
  if (active.filter((name) => name === ref).length >= walk.maxRepeats) {
    return { type: 'object', description: `(nested further like ${ref})` };
  }
  const target = asObject(findTarget(walk.root, ref));
  const merged = objectFrom([...Object.entries(target), ...beside]);
  return inline(merged, walk, [...active, ref], depth + 1);
}

/** The schema a local reference points to: `#`, or a JSON pointer behind `#/`. */
function findTarget(root: JsonObject, ref: string): JsonObject | boolean {
  if (ref !== '#' && !ref.startsWith('#/')) {
    throw new UnsupportedSchema(`its schema refers to ${ref}, which is not inside it`);
  }
  let at: JsonValue | undefined = root;
  for (const part of ref.split('/').slice(1)) at = step(at, unescapePointer(part));
  if (at === undefined || !isSchema(at)) {
    throw new UnsupportedSchema(`its schema refers to ${ref}, which does not exist`);
  }
  return at;
}

function step(at: JsonValue | undefined, key: string): JsonValue | undefined {
  if (Array.isArray(at)) return at[Number(key)];
  return isObject(at) ? member(at, key) : undefined;
}

function unescapePointer(part: string): string {
  let plain = part;
  try {
    plain = decodeURIComponent(part);
  } catch {
    // Not percent-encoded: the part stands for itself.
  }
  return plain.replaceAll('~1', '/').replaceAll('~0', '~');
}
