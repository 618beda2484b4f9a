import type { ToolSchema } from './types.ts';

/** What a coercion pass did: `coercions` for the metadata, `notes` for the model, `faults` that end the call. */
export interface CoercionReport {
  readonly coercions: string[];
  readonly notes: string[];
  readonly faults: string[];
}

type Values = Record<string, unknown>;

export function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The member of a schema as a schema; `{}` when it is none. */
export function schemaAt(schema: ToolSchema, key: string): ToolSchema {
  const member = schema[key];
  return isObject(member) ? (member as ToolSchema) : {};
}

/**
 * Turns what models often send into what the schema wants, by the closed list of tools.md 2.2 and nothing else.
 * The input is not changed.
 */
export function coerceArguments(
  schema: ToolSchema,
  args: Readonly<Values>,
  keyAliases: Readonly<Record<string, string>>,
  report: CoercionReport,
): Values {
  return coerceObject(schema, renameKeys(args, keyAliases, report), '', report);
}

function renameKeys(
  args: Readonly<Values>,
  aliases: Readonly<Record<string, string>>,
  report: CoercionReport,
): Values {
  const out: Values = { ...args };
  for (const [written, wanted] of Object.entries(aliases)) {
    if (!Object.hasOwn(out, written)) continue;
    const value = out[written];
    if (Object.hasOwn(out, wanted) && JSON.stringify(out[wanted]) !== JSON.stringify(value)) {
      report.faults.push(`/${written}: another spelling of /${wanted}, and both are given`);
      continue;
    }
    delete out[written];
    out[wanted] = value;
    report.coercions.push(`/${written}: renamed to ${wanted}`);
  }
  return out;
}

function coerceObject(
  schema: ToolSchema,
  value: Readonly<Values>,
  at: string,
  report: CoercionReport,
): Values {
  const properties = schemaAt(schema, 'properties');
  const required = Array.isArray(schema.required) ? schema.required : [];
  const out: Values = {};
  for (const [key, member] of Object.entries(value)) {
    const pointer = `${at}/${key}`;
    if (!Object.hasOwn(properties, key)) {
      Object.defineProperty(out, key, { value: member, enumerable: true, configurable: true });
      continue;
    }
    if (member === null && !required.includes(key)) {
      report.coercions.push(`${pointer}: null taken as absent`);
      continue;
    }
    out[key] = coerceValue(schemaAt(properties, key), member, pointer, report);
  }
  return out;
}

function coerceValue(
  schema: ToolSchema,
  value: unknown,
  at: string,
  report: CoercionReport,
): unknown {
  switch (schema.type) {
    case 'integer':
    case 'number':
      return clamp(schema, toNumber(schema.type, value, at, report), at, report);
    case 'boolean':
      return toBoolean(value, at, report);
    case 'string':
      return schema['x-json'] === undefined
        ? toEnum(schema, value, at, report)
        : toJsonText(schema, value, at, report);
    case 'array':
      return toArray(schema, value, at, report);
    case 'object': {
      const decoded = decode(value, isObject, at, report);
      return isObject(decoded) ? coerceObject(schema, decoded, at, report) : decoded;
    }
    default:
      return value;
  }
}

function toNumber(
  type: 'integer' | 'number',
  value: unknown,
  at: string,
  report: CoercionReport,
): unknown {
  if (typeof value !== 'string' || !/^-?\d+(\.\d+)?$/.test(value)) return value;
  const number = Number(value);
  const fits = type === 'number' ? Number.isFinite(number) : Number.isSafeInteger(number);
  if (!fits || String(number) !== value) return value;
  report.coercions.push(`${at}: text to ${type}`);
  return number;
}

function clamp(schema: ToolSchema, value: unknown, at: string, report: CoercionReport): unknown {
  const { maximum } = schema;
  if (schema['x-clamp'] !== true || typeof maximum !== 'number') return value;
  if (typeof value !== 'number' || !(value > maximum)) return value;
  report.coercions.push(`${at}: ${value} lowered to ${maximum}`);
  report.notes.push(`${at.slice(1)} was lowered from ${value} to ${maximum}, the maximum`);
  return maximum;
}

function toBoolean(value: unknown, at: string, report: CoercionReport): unknown {
  if (typeof value !== 'string' || !/^(true|false)$/i.test(value)) return value;
  report.coercions.push(`${at}: text to boolean`);
  return value.toLowerCase() === 'true';
}

function toEnum(schema: ToolSchema, value: unknown, at: string, report: CoercionReport): unknown {
  const allowed = Array.isArray(schema.enum) ? schema.enum : null;
  if (allowed === null || typeof value !== 'string' || allowed.includes(value)) return value;
  const folded = value.trim().toLowerCase();
  const aliases = schemaAt(schema, 'x-enum-aliases');
  const equal = allowed.filter((name) => typeof name === 'string' && name.toLowerCase() === folded);
  const chosen =
    equal.length === 1 ? equal[0] : Object.hasOwn(aliases, folded) ? aliases[folded] : undefined;
  if (typeof chosen !== 'string') return value;
  report.coercions.push(`${at}: taken as ${chosen}`);
  return chosen;
}

/** A parameter that holds JSON as text: other values become their text, text that is not JSON a JSON string. */
function toJsonText(
  schema: ToolSchema,
  value: unknown,
  at: string,
  report: CoercionReport,
): unknown {
  const object = schema['x-json'] === 'object';
  if (typeof value !== 'string') {
    report.coercions.push(`${at}: JSON value to its text`);
    if (object && !isObject(value)) report.faults.push(`${at}: expected a JSON object`);
    return JSON.stringify(value);
  }
  const parsed = parse(value);
  if (object) {
    if (parsed === undefined || !isObject(parsed.value)) {
      report.faults.push(`${at}: expected a JSON object as text`);
    }
    return value;
  }
  if (parsed !== undefined) return value;
  report.coercions.push(`${at}: text taken as a JSON string`);
  return JSON.stringify(value);
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function decode(
  value: unknown,
  wanted: (value: unknown) => boolean,
  at: string,
  report: CoercionReport,
): unknown {
  if (typeof value !== 'string') return value;
  const parsed = parse(value);
  if (parsed === undefined || !wanted(parsed.value)) return value;
  report.coercions.push(`${at}: JSON text decoded`);
  return parsed.value;
}

const SCALARS = ['string', 'number', 'integer', 'boolean'];

function toArray(schema: ToolSchema, value: unknown, at: string, report: CoercionReport): unknown {
  const items = schemaAt(schema, 'items');
  const decoded = decode(value, Array.isArray, at, report);
  let list = decoded;
  const single = ['string', 'number', 'boolean'].includes(typeof decoded);
  if (single && typeof items.type === 'string' && SCALARS.includes(items.type)) {
    list = [decoded];
    report.coercions.push(`${at}: one value to a list`);
  }
  if (!Array.isArray(list)) return list;
  return list.map((item, index) => coerceValue(items, item, `${at}/${index}`, report));
}
