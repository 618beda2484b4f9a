import { isObject } from './coerce.ts';
import type { Tool, ToolSchema } from './types.ts';

const KEYWORDS = new Set([
  'type',
  'properties',
  'required',
  'enum',
  'items',
  'description',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
]);
const ANNOTATIONS = new Set(['x-path', 'x-clamp', 'x-json', 'x-enum-aliases']);
const TYPES = new Set(['object', 'string', 'integer', 'number', 'boolean', 'array']);
const PATH_INTENTS = new Set(['read', 'write', 'list', 'exec']);
const MAX_PROPERTIES = 16;
const MAX_LEVELS = 4;

/** What of a native tool's schema lies outside the closed subset of tools.md 1.2; empty when all is well. */
export function lintSchema(tool: Tool): string[] {
  const faults: string[] = [];
  if (tool.parameters.type !== 'object') faults.push('the root must be an object');
  lintNode(tool.parameters, 'parameters', 1, faults);
  return faults;
}

function lintNode(schema: ToolSchema, at: string, level: number, faults: string[]): void {
  if (level > MAX_LEVELS) faults.push(`${at}: more than ${MAX_LEVELS} levels`);
  for (const key of Object.keys(schema)) {
    if (!KEYWORDS.has(key) && !ANNOTATIONS.has(key)) faults.push(`${at}: the keyword ${key}`);
  }
  if (typeof schema.type !== 'string' || !TYPES.has(schema.type)) {
    faults.push(`${at}: the type ${JSON.stringify(schema.type) ?? 'is missing'}`);
  }
  const names = Array.isArray(schema.enum) ? schema.enum : [];
  if (names.some((name) => typeof name !== 'string'))
    faults.push(`${at}: an enum of other than strings`);
  lintAnnotations(schema, at, faults);
  lintObject(schema, at, level, faults);
  if (schema.type !== 'array') return;
  if (isObject(schema.items))
    lintNode(schema.items as ToolSchema, `${at}.items`, level + 1, faults);
  else faults.push(`${at}: an array without items`);
}

function lintAnnotations(schema: ToolSchema, at: string, faults: string[]): void {
  const intent = schema['x-path'];
  if (intent !== undefined && (schema.type !== 'string' || !PATH_INTENTS.has(String(intent)))) {
    faults.push(`${at}: x-path ${JSON.stringify(intent)}`);
  }
  if (schema['x-clamp'] === true && typeof schema.maximum !== 'number') {
    faults.push(`${at}: x-clamp without a maximum`);
  }
  if (schema['x-json'] !== undefined && schema.type !== 'string') {
    faults.push(`${at}: x-json on other than a string`);
  }
}

function lintObject(schema: ToolSchema, at: string, level: number, faults: string[]): void {
  if (schema.type !== 'object') return;
  const properties = isObject(schema.properties) ? schema.properties : {};
  const names = Object.keys(properties);
  if (names.length > MAX_PROPERTIES) faults.push(`${at}: more than ${MAX_PROPERTIES} properties`);
  const required = Array.isArray(schema.required) ? schema.required : [];
  for (const name of required) {
    if (!names.includes(String(name)))
      faults.push(`${at}: required ${String(name)} is no property`);
  }
  for (const [name, member] of Object.entries(properties)) {
    if (isObject(member)) lintNode(member as ToolSchema, `${at}.${name}`, level + 1, faults);
    else faults.push(`${at}.${name}: not a schema`);
  }
}
