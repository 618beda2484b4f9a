/** Shorthand for the JSON Schema of the event union. Objects stay open: readers ignore fields they do not know. */

export type SchemaPart = { readonly [key: string]: unknown };
export type Members = Readonly<Record<string, SchemaPart>>;

export const ANY: SchemaPart = {};
export const TEXT: SchemaPart = { type: 'string' };
export const FLAG: SchemaPart = { type: 'boolean' };
export const NUMBER: SchemaPart = { type: 'number', minimum: 0 };
export const COUNT: SchemaPart = { type: 'integer', minimum: 0 };
export const SHA256: SchemaPart = { type: 'string', pattern: '^[0-9a-f]{64}$' };

export function oneOf(...values: readonly string[]): SchemaPart {
  return { enum: values };
}

export function list(items: SchemaPart): SchemaPart {
  return { type: 'array', items };
}

export function orNull(part: SchemaPart): SchemaPart {
  return { anyOf: [part, { type: 'null' }] };
}

export function ref(name: string): SchemaPart {
  return { $ref: `#/$defs/${name}` };
}

/** All of `required` must be there, `optional` may be. */
export function object(required: Members, optional: Members = {}): SchemaPart {
  return {
    type: 'object',
    properties: { ...required, ...optional },
    required: Object.keys(required),
  };
}
