import type { ErrorObject, ValidateFunction } from 'ajv';
import { nearestNames } from '../permissions/nearest.ts';
import { type CoercionReport, coerceArguments, isObject, schemaAt } from './coerce.ts';
import { isActing } from './permission-class.ts';
import type { Tool, ToolSchema } from './types.ts';

export type Validated =
  | {
      readonly ok: true;
      readonly args: Readonly<Record<string, unknown>>;
      readonly coercions: readonly string[];
      /** Lines the model is told after the result: lowered values, ignored parameters. */
      readonly notes: readonly string[];
    }
  | { readonly ok: false; readonly message: string };

export interface Validator {
  /** Coerces, then validates against the full schema. The first use loads Ajv. */
  validate(tool: Tool, args: Readonly<Record<string, unknown>>): Promise<Validated>;
  /** Faults of a machine result against `outputSchema`, as text; null when it fits. */
  outputFault(tool: Tool, machine: unknown): Promise<string | null>;
  /** Would the value validate with no coercion at all? False until Ajv is loaded. */
  fitsExactly(tool: Tool, value: Readonly<Record<string, unknown>>): boolean;
  /** Loads Ajv ahead of the first call. */
  warm(): Promise<void>;
}

const SHOWN_ERRORS = 5;
const compiled = new WeakMap<object, ValidateFunction>();
let compiler: ((schema: ToolSchema) => ValidateFunction) | null = null;

async function load(): Promise<(schema: ToolSchema) => ValidateFunction> {
  if (compiler !== null) return compiler;
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const options = {
    strict: false,
    allErrors: true,
    verbose: true,
    validateFormats: false,
    validateSchema: false,
    // Foreign schemas may share an `$id`.
    addUsedSchema: false,
    logger: false,
  } as const;
  const ajv = new Ajv2020(options);
  compiler = (schema) => ajv.compile(schema);
  return compiler;
}

function checkerOf(schema: ToolSchema, compile: (schema: ToolSchema) => ValidateFunction) {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const made = compile(schema);
  compiled.set(schema, made);
  return made;
}

export function createValidator(): Validator {
  return {
    async validate(tool, args) {
      return validateWith(await load(), tool, args);
    },
    async outputFault(tool, machine) {
      if (tool.outputSchema === undefined) return null;
      const check = checkerOf(tool.outputSchema, await load());
      return check(machine) ? null : describeErrors(check.errors ?? []);
    },
    fitsExactly(tool, value) {
      if (compiler === null) return false;
      const report: CoercionReport = { coercions: [], notes: [], faults: [] };
      const schema = tool.validated ?? tool.parameters;
      unknownKeys(tool, schema, structuredClone(value), '', report);
      return report.faults.length === 0 && checkerOf(schema, compiler)(value);
    },
    async warm() {
      await load();
    },
  };
}

function validateWith(
  compile: (schema: ToolSchema) => ValidateFunction,
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
): Validated {
  const report: CoercionReport = { coercions: [], notes: [], faults: [] };
  const schema = tool.validated ?? tool.parameters;
  const coerced = coerceArguments(schema, args, tool.keyAliases ?? {}, report);
  unknownKeys(tool, schema, coerced, '', report);
  const check = checkerOf(schema, compile);
  const fits = check(coerced);
  const faults = [...report.faults, ...(fits ? [] : lines(check.errors ?? []))];
  if (faults.length === 0) return { ok: true, args: coerced, ...report };
  return { ok: false, message: joined(faults) };
}

function joined(faults: readonly string[]): string {
  const more = faults.length - SHOWN_ERRORS;
  return `${faults.slice(0, SHOWN_ERRORS).join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}

/**
 * Keys the schema does not name. On acting and data tools a misspelt key changes the effect, so it is a fault; on
 * others it is dropped with a note; MCP tools follow their own schema.
 */
function unknownKeys(
  tool: Tool,
  schema: ToolSchema,
  value: Record<string, unknown>,
  at: string,
  report: CoercionReport,
): void {
  if (tool.group === 'mcp') return;
  const properties = schemaAt(schema, 'properties');
  const names = Object.keys(properties);
  for (const [key, member] of Object.entries(value)) {
    if (Object.hasOwn(properties, key)) {
      descend(tool, schemaAt(properties, key), member, `${at}/${key}`, report);
      continue;
    }
    const [near] = nearestNames(key, names, 1);
    const hint = near === undefined ? `known: ${names.join(', ') || 'none'}` : `nearest: ${near}`;
    if (isActing(tool.permission) || tool.group === 'data') {
      report.faults.push(`${at}/${key}: unknown parameter (${hint})`);
    } else {
      delete value[key];
      report.notes.push(`the unknown parameter ${key.slice(0, 80)} was ignored (${hint})`);
    }
  }
}

function descend(
  tool: Tool,
  schema: ToolSchema,
  value: unknown,
  at: string,
  report: CoercionReport,
): void {
  if (Array.isArray(value)) {
    const items = schemaAt(schema, 'items');
    for (const [index, item] of value.entries())
      descend(tool, items, item, `${at}/${index}`, report);
  } else if (isObject(value) && schema.properties !== undefined) {
    unknownKeys(tool, schema, value, at, report);
  }
}

function lines(errors: readonly ErrorObject[]): string[] {
  return errors.map((error) => `${pointerOf(error)}: ${expectation(error)}`);
}

function describeErrors(errors: readonly ErrorObject[]): string {
  return joined(lines(errors));
}

function pointerOf(error: ErrorObject): string {
  if (error.keyword === 'required') return `${error.instancePath}/${error.params.missingProperty}`;
  return error.instancePath === '' ? '/' : error.instancePath;
}

function expectation(error: ErrorObject): string {
  const received = `received ${shown(error.data)}`;
  const { params } = error;
  switch (error.keyword) {
    case 'required':
      return 'required, missing';
    case 'type':
      return `expected ${params.type}, ${received}`;
    case 'enum':
      return `expected one of ${params.allowedValues.map(String).join(', ')}; ${received}`;
    case 'minimum':
    case 'maximum':
      return `expected a number ${params.comparison} ${params.limit}, ${received}`;
    case 'minItems':
    case 'maxItems': {
      const bound = error.keyword === 'minItems' ? 'at least' : 'at most';
      const count = Array.isArray(error.data) ? error.data.length : 0;
      return `expected ${bound} ${params.limit} items, received ${count}`;
    }
    default:
      return `${error.message ?? error.keyword}, ${received}`;
  }
}

function shown(value: unknown): string {
  const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  if (kind === 'array' || kind === 'object') return kind;
  const text = JSON.stringify(value) ?? kind;
  return `${kind === 'null' ? '' : `${kind} `}${text.length > 60 ? `${text.slice(0, 60)}...` : text}`;
}
