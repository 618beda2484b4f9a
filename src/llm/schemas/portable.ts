import { isObject } from '../json.ts';
import type { JsonObject, JsonValue } from '../types.ts';
import { alternativesOf } from './alternatives.ts';
import { constraintText, withNote } from './constraint-notes.ts';
import { mergeBranches, requiredOf } from './merge-schemas.ts';
import { listMember, member, objectFrom, objectMember } from './schema-walk.ts';
import { newBudget, spend, type VisitBudget } from './unsupported.ts';

/** What servers that compile schemas to grammars all understand: single types, string enums, closed objects. */

const HANDLED: readonly string[] = [
  'type',
  'title',
  'description',
  'enum',
  'const',
  'items',
  'properties',
  'required',
  'additionalProperties',
];

export function toPortable(schema: JsonObject, budget = newBudget()): JsonObject {
  spend(budget);
  const { branches, nullable, words } = alternativesOf(schema);
  const one = asOne(branches);
  const own = portableBranch(one, budget);
  const outer = member(words, 'description');
  const described =
    typeof outer === 'string' && member(one, 'description') !== outer ? withNote(own, outer) : own;
  return nullable ? { ...described, nullable: true } : described;
}

/**
 * One schema for several branches. Branches of different types become a string, because the dispatcher reads
 * JSON inside a string where another type is wanted.
 */
function asOne(branches: readonly JsonObject[]): JsonObject {
  const [first, ...others] = branches;
  if (first === undefined) return { type: 'string' };
  if (others.length === 0) return first;
  const types = new Set(branches.map((branch) => member(branch, 'type')));
  if (types.size === 1) return sameType(first, branches);
  return {
    type: 'string',
    description: `JSON of one of: ${JSON.stringify(branches).slice(0, 400)}`,
  };
}

function sameType(first: JsonObject, branches: readonly JsonObject[]): JsonObject {
  if (member(first, 'type') === 'object') return mergeBranches({ type: 'object' }, branches);
  const values = branches.map(valuesOf);
  const listed = values.every((list) => list.length > 0) ? { enum: values.flat() } : {};
  const type = member(first, 'type');
  return { ...(type === undefined ? {} : { type }), ...listed };
}

function valuesOf(schema: JsonObject): readonly JsonValue[] {
  const constant = member(schema, 'const');
  return constant === undefined ? listMember(schema, 'enum') : [constant];
}

function portableBranch(schema: JsonObject, budget: VisitBudget): JsonObject {
  const values = valuesOf(schema);
  const isStrings = values.length > 0 && values.every((value) => typeof value === 'string');
  const type = member(schema, 'type') ?? (isStrings ? 'string' : undefined);
  const description = member(schema, 'description');
  const members: [string, JsonValue][] = [
    ...(type === undefined ? [] : [['type', type] as [string, JsonValue]]),
    ...(description === undefined ? [] : [['description', description] as [string, JsonValue]]),
    ...(isStrings ? [['enum', [...new Set(values)]] as [string, JsonValue]] : []),
    ...(type === 'object' ? objectMembers(schema, budget) : []),
    ...(type === 'array' ? itemMembers(schema, budget) : []),
  ];
  const lost = Object.keys(schema).filter((key) => !HANDLED.includes(key));
  const others = values.length > 0 && !isStrings ? ['const', 'enum'] : [];
  return withNote(objectFrom(members), constraintText(schema, [...lost, ...others]));
}

/** Closed, except a map of free keys, which a closed object could not hold at all. */
function objectMembers(schema: JsonObject, budget: VisitBudget): [string, JsonValue][] {
  const properties = Object.entries(objectMember(schema, 'properties'));
  const rest = member(schema, 'additionalProperties');
  const listsNone = rest === undefined && member(schema, 'properties') !== undefined;
  if (properties.length === 0 && rest !== false && !listsNone) {
    return [['additionalProperties', isObject(rest) ? toPortable(rest, budget) : true]];
  }
  const names = properties.map(([name]) => name);
  const required = requiredOf(schema).filter((name) => names.includes(name));
  const inner = properties.map(([name, property]): [string, JsonValue] => [
    name,
    isObject(property) ? toPortable(property, budget) : {},
  ]);
  return [
    ['properties', objectFrom(inner)],
    ...(required.length > 0 ? [['required', required] as [string, JsonValue]] : []),
    ['additionalProperties', false],
  ];
}

function itemMembers(schema: JsonObject, budget: VisitBudget): [string, JsonValue][] {
  const items = member(schema, 'items');
  return isObject(items) ? [['items', toPortable(items, budget)]] : [];
}
