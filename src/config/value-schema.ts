/** The part of JSON Schema that configuration values are written in. */
export interface ValueSchema {
  readonly type?: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object';
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly minLength?: number;
  readonly format?: 'uri';
  readonly items?: ValueSchema;
  readonly properties?: Readonly<Record<string, ValueSchema>>;
  readonly required?: readonly string[];
  /** Absent: any member. */
  readonly additionalProperties?: ValueSchema | false;
  readonly anyOf?: readonly ValueSchema[];
  readonly default?: unknown;
}

/** Where in a value something is wrong: the path below the value, and what was expected. */
export interface ValueFault {
  readonly path: readonly (string | number)[];
  readonly expected: string;
}

/** The first thing wrong with `value`, or null. */
export function checkValue(value: unknown, schema: ValueSchema): ValueFault | null {
  if (schema.anyOf !== undefined) {
    const fits = schema.anyOf.some((option) => checkValue(value, option) === null);
    return fits ? null : fault(schema.anyOf.map(describe).join(' or '));
  }
  switch (schema.type) {
    case 'array':
      return checkArray(value, schema);
    case 'object':
      return checkObject(value, schema);
    case 'number':
    case 'integer':
      return checkNumber(value, schema);
    case 'string':
      return checkString(value, schema);
    case 'boolean':
      return typeof value === 'boolean' ? null : fault(describe(schema));
    default:
      return null;
  }
}

export function describe(schema: ValueSchema): string {
  if (schema.anyOf !== undefined) return schema.anyOf.map(describe).join(' or ');
  if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`;
  switch (schema.type) {
    case 'string':
      return schema.format === 'uri' ? 'an address such as https://host/path' : 'text';
    case 'number':
    case 'integer':
      return describeNumber(schema);
    case 'boolean':
      return 'true or false';
    case 'array':
      return schema.items?.type === 'string' ? 'a list of text' : 'a list';
    default:
      return 'a section';
  }
}

function describeNumber(schema: ValueSchema): string {
  const noun = schema.type === 'integer' ? 'a whole number' : 'a number';
  if (schema.minimum !== undefined && schema.maximum !== undefined)
    return `${noun} from ${schema.minimum} to ${schema.maximum}`;
  return schema.minimum === undefined ? noun : `${noun} of at least ${schema.minimum}`;
}

function fault(expected: string): ValueFault {
  return { path: [], expected };
}

function below(step: string | number, inner: ValueFault | null): ValueFault | null {
  return inner === null ? null : { path: [step, ...inner.path], expected: inner.expected };
}

function checkNumber(value: unknown, schema: ValueSchema): ValueFault | null {
  const ok =
    typeof value === 'number' &&
    Number.isFinite(value) &&
    (schema.type !== 'integer' || Number.isSafeInteger(value)) &&
    value >= (schema.minimum ?? Number.NEGATIVE_INFINITY) &&
    value <= (schema.maximum ?? Number.POSITIVE_INFINITY);
  return ok ? null : fault(describe(schema));
}

function checkString(value: unknown, schema: ValueSchema): ValueFault | null {
  if (typeof value !== 'string') return fault(describe(schema));
  if (schema.enum !== undefined && !schema.enum.includes(value)) return fault(describe(schema));
  if (schema.format === 'uri' && !isWebAddress(value)) return fault(describe(schema));
  if (value.length < (schema.minLength ?? 0)) return fault('text that is not empty');
  return null;
}

/** Absolute, with a scheme and a host. Which schemes work is for the part that connects. */
function isWebAddress(value: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/[^\s]+$/i.test(value) && URL.canParse(value);
}

function checkArray(value: unknown, schema: ValueSchema): ValueFault | null {
  if (!Array.isArray(value)) return fault(describe(schema));
  if (value.length < (schema.minItems ?? 0)) return fault('a list that is not empty');
  if (schema.items === undefined) return null;
  for (const [index, item] of value.entries()) {
    const found = below(index, checkValue(item, schema.items));
    if (found !== null) return found;
  }
  return null;
}

function checkObject(value: unknown, schema: ValueSchema): ValueFault | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return fault(describe(schema));
  const missing = (schema.required ?? []).find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) return fault(`a section with "${missing}"`);
  for (const [name, member] of Object.entries(value)) {
    const found = below(name, checkMember(name, member, schema));
    if (found !== null) return found;
  }
  return null;
}

function checkMember(name: string, value: unknown, schema: ValueSchema): ValueFault | null {
  const known = Object.hasOwn(schema.properties ?? {}, name)
    ? schema.properties?.[name]
    : undefined;
  if (known !== undefined) return checkValue(value, known);
  if (schema.additionalProperties === false)
    return fault(`only ${Object.keys(schema.properties ?? {}).join(', ')} here`);
  return schema.additionalProperties === undefined
    ? null
    : checkValue(value, schema.additionalProperties);
}
