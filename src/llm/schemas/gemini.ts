import { isObject } from '../json.ts';
import type { JsonObject, JsonValue } from '../types.ts';
import { alternativesOf } from './alternatives.ts';
import { constraintText, withNote } from './constraint-notes.ts';
import { requiredOf } from './merge-schemas.ts';
import { listMember, member, objectFrom, objectMember } from './schema-walk.ts';
import { newBudget, spend, type VisitBudget } from './unsupported.ts';

/** Gemini's own Schema type: a closed list of fields, one type each, anything else is a 400. */

const KEPT: readonly string[] = [
  'title',
  'description',
  'default',
  'example',
  'pattern',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minProperties',
  'maxProperties',
  'propertyOrdering',
];
/** Rebuilt in Gemini's form below, or without meaning there. */
const HANDLED: readonly string[] = [
  ...KEPT,
  'type',
  'format',
  'enum',
  'const',
  'items',
  'properties',
  'required',
  'additionalProperties',
];
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  string: ['enum', 'date-time'],
  number: ['float', 'double'],
  integer: ['int32', 'int64'],
};

export function toGemini(schema: JsonObject, budget = newBudget()): JsonObject {
  spend(budget);
  const { branches, nullable, words } = alternativesOf(schema);
  const mark: JsonObject = nullable ? { nullable: true } : {};
  const [only, ...others] = branches.map((branch) => branchToGemini(branch, budget));
  if (only === undefined) return { type: 'string', ...words, nullable: true };
  if (others.length === 0) return { ...only, ...words, ...noteOf(only, words), ...mark };
  return { ...words, anyOf: [only, ...others], ...mark };
}

/** The words of the whole schema win over a branch's, but not over the notes made for that branch. */
function noteOf(branch: JsonObject, words: JsonObject): JsonObject {
  const description = member(branch, 'description');
  const outer = member(words, 'description');
  if (typeof description !== 'string' || typeof outer !== 'string') return {};
  return { description: description.includes(outer) ? description : `${outer} (${description})` };
}

function branchToGemini(schema: JsonObject, budget: VisitBudget): JsonObject {
  const type = member(schema, 'type') ?? typeOfValues(schema);
  const kept = Object.entries(schema).filter(([key]) => KEPT.includes(key));
  const values = valuesOf(schema);
  const format = member(schema, 'format');
  const allowed = typeof type === 'string' ? (FORMATS[type] ?? []) : [];
  const keepsFormat = typeof format === 'string' && allowed.includes(format);
  const members: [string, JsonValue][] = [
    ...(typeof type === 'string' ? [['type', type] as [string, JsonValue]] : []),
    ...kept,
    ...(keepsFormat ? [['format', format] as [string, JsonValue]] : []),
    ...values.members,
    ...(type === 'object' ? objectMembers(schema, budget) : []),
    ...(type === 'array' ? [['items', itemsOf(schema, budget)] as [string, JsonValue]] : []),
  ];
  const lost = Object.keys(schema).filter((key) => !HANDLED.includes(key));
  const words = [constraintText(schema, keepsFormat ? lost : [...lost, 'format']), values.note];
  return withNote(objectFrom(members), words.filter((word) => word !== '').join('; '));
}

function typeOfValues(schema: JsonObject): JsonValue | undefined {
  const constant = member(schema, 'const');
  const [first = null] = constant === undefined ? listMember(schema, 'enum') : [constant];
  return first === null || typeof first === 'object' ? undefined : typeof first;
}

/** Listed values: strings as an enum, anything else in words. */
function valuesOf(schema: JsonObject): { members: [string, JsonValue][]; note: string } {
  const constant = member(schema, 'const');
  const values = constant === undefined ? listMember(schema, 'enum') : [constant];
  if (values.length === 0) return { members: [], note: '' };
  if (values.every((value) => typeof value === 'string' && value !== '')) {
    return { members: [['enum', [...values]]], note: '' };
  }
  return { members: [], note: constraintText({ 'one of': [...values] }, ['one of']) };
}

/** Properties only when there are any, and only such names as required that are among them. */
function objectMembers(schema: JsonObject, budget: VisitBudget): [string, JsonValue][] {
  const properties = Object.entries(objectMember(schema, 'properties'));
  if (properties.length === 0) return [];
  const names = properties.map(([name]) => name);
  const required = requiredOf(schema).filter((name) => names.includes(name));
  const inner = properties.map(([name, property]): [string, JsonValue] => [
    name,
    isObject(property) ? toGemini(property, budget) : { type: 'string' },
  ]);
  return [
    ['properties', objectFrom(inner)],
    ...(required.length > 0 ? [['required', required] as [string, JsonValue]] : []),
  ];
}

/** An array must say what it holds. */
function itemsOf(schema: JsonObject, budget: VisitBudget): JsonObject {
  const items = member(schema, 'items');
  return isObject(items) ? toGemini(items, budget) : {};
}
