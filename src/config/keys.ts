/** The table of keys, read: what each key takes, who may set it, and which value is stricter. */
import { KEY_TABLE } from './key-table.ts';
import type { ValueSchema } from './value-schema.ts';

/** What makes a project's value of a `T` key stricter; see the head of key-table.ts. */
export type Stricter =
  | 'lower'
  | 'lower-0-none'
  | 'higher'
  | 'true'
  | 'false'
  | 'more'
  | 'fewer'
  | 'first';

export interface ConfigKey {
  /** `models.<key>.temperature`; a segment in angle brackets stands for any name. */
  readonly key: string;
  readonly segments: readonly string[];
  readonly schema: ValueSchema;
  /** Undefined: absent, or depending on something (then `defaultText` says on what). */
  readonly default: unknown;
  readonly defaultText: string;
  readonly setBy: 'U' | 'P' | 'T';
  /** Only for `T`. */
  readonly stricter: Stricter | null;
  readonly owner: string;
  readonly about: string;
  readonly secret: boolean;
}

const TEXT: ValueSchema = { type: 'string' };
const NAME: ValueSchema = { type: 'string', minLength: 1 };

/** Text that must not be empty, but for a token price a part may be left out. */
const PRICE_PARTS: Readonly<Record<string, ValueSchema>> = {
  input: { type: 'number', minimum: 0 },
  output: { type: 'number', minimum: 0 },
  cache_read: { type: 'number', minimum: 0 },
  cache_write: { type: 'number', minimum: 0 },
  cache_write_1h: { type: 'number', minimum: 0 },
};

const TYPES: Readonly<Record<string, ValueSchema>> = {
  text: TEXT,
  path: NAME,
  url: { type: 'string', format: 'uri' },
  boolean: { type: 'boolean' },
  number: { type: 'number' },
  seconds: { type: 'number', minimum: 0 },
  object: { type: 'object' },
  port: { type: 'integer', minimum: 0, maximum: 65_535 },
  depth: { type: 'integer', minimum: 0, maximum: 3 },
  'text map': { type: 'object', additionalProperties: TEXT },
  uid: {
    anyOf: [
      { type: 'integer', minimum: 0 },
      { type: 'object', additionalProperties: { type: 'integer', minimum: 0 } },
    ],
  },
  roots: {
    type: 'array',
    items: {
      type: 'object',
      properties: { path: NAME, write: { type: 'boolean', default: false } },
      required: ['path'],
      additionalProperties: false,
    },
  },
  hooks: {
    type: 'array',
    items: {
      type: 'object',
      properties: {
        match: NAME,
        command: { type: 'array', items: TEXT, minItems: 1 },
        timeout_seconds: { type: 'number', minimum: 0, default: 30 },
      },
      required: ['command'],
      additionalProperties: false,
    },
  },
  prices: {
    type: 'object',
    properties: {
      ...PRICE_PARTS,
      tiers: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            above_input_tokens: { type: 'integer', minimum: 0 },
            ...PRICE_PARTS,
          },
          required: ['above_input_tokens'],
          additionalProperties: false,
        },
      },
    },
    required: ['input', 'output'],
    additionalProperties: false,
  },
  'server users': {
    type: 'object',
    properties: { users: { type: 'array', items: { type: 'object' } } },
    required: ['users'],
    additionalProperties: false,
  },
  certificate: {
    type: 'object',
    properties: { cert: NAME, key: NAME },
    required: ['cert', 'key'],
    additionalProperties: false,
  },
};

function parseType(text: string): ValueSchema {
  const known = TYPES[text];
  if (known !== undefined) return known;
  if (text.startsWith('one of '))
    return { type: 'string', enum: text.slice('one of '.length).split(', ') };
  if (text.startsWith('list of '))
    return { type: 'array', items: parseType(text.slice('list of '.length)) };
  const bounded = /^(integer|number) >= (\d+)$/.exec(text);
  if (bounded === null) throw new Error(`The table of keys names an unknown type: ${text}`);
  return {
    type: bounded[1] === 'integer' ? 'integer' : 'number',
    minimum: Number(bounded[2]),
  };
}

function parseLine(line: string): ConfigKey {
  const [key = '', type = '', fallback = '-', who = '', owner = '', about = '', secret] =
    line.split(' | ');
  const [setBy, stricter] = who.split(' ');
  const literal = fallback !== '-' && !fallback.startsWith('(');
  return {
    key,
    segments: key.split('.'),
    schema: parseType(type),
    default: literal ? JSON.parse(fallback) : undefined,
    defaultText: fallback.startsWith('(') ? fallback.slice(1, -1) : fallback,
    setBy: setBy as ConfigKey['setBy'],
    stricter: (stricter as Stricter | undefined) ?? null,
    owner,
    about,
    secret: secret === 'secret',
  };
}

export const CONFIG_KEYS: readonly ConfigKey[] = KEY_TABLE.split('\n')
  .filter((line) => line !== '')
  .map(parseLine);

/** True for a segment that stands for any name. */
export function isWildcard(segment: string): boolean {
  return segment.startsWith('<');
}

/** One level of the file: fixed members, or any name, or a value. */
export interface KeyNode {
  readonly members: ReadonlyMap<string, KeyNode>;
  readonly any: KeyNode | null;
  readonly key: ConfigKey | null;
}

interface MutableNode {
  readonly members: Map<string, MutableNode>;
  any: MutableNode | null;
  key: ConfigKey | null;
}

function newNode(): MutableNode {
  return { members: new Map(), any: null, key: null };
}

function step(node: MutableNode, segment: string): MutableNode {
  if (isWildcard(segment)) {
    node.any ??= newNode();
    return node.any;
  }
  const next = node.members.get(segment) ?? newNode();
  node.members.set(segment, next);
  return next;
}

function buildTree(): KeyNode {
  const root = newNode();
  for (const key of CONFIG_KEYS) key.segments.reduce(step, root).key = key;
  return root;
}

export const KEY_TREE: KeyNode = buildTree();

const BY_KEY = new Map(CONFIG_KEYS.map((key) => [key.key, key]));

/** The row of a key without names in it, such as `limits.max_cost`. */
export function fixedKey(key: string): ConfigKey | undefined {
  return BY_KEY.get(key);
}
