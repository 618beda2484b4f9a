/** What a profile is before a vendor's differences, per protocol. */
import type { ImageRules, Profile, ProfilePatch } from '../profile-types.ts';
import type { Protocol } from '../types.ts';

const IMAGES: ImageRules = {
  input: true,
  toolResults: 'user_message',
  limits: { bytes: 5 * 1024 * 1024, pixels: 8000, count: 100, many: 20, manyPixels: 2000 },
};

const CHAT: Profile = {
  id: 'openai_compatible',
  protocol: 'chat',
  baseUrl: null,
  path: '/chat/completions',
  auth: { kind: 'bearer', name: 'authorization', required: true },
  headers: {},
  keyEnv: [],
  systemRole: 'system',
  foldSystem: false,
  alternate: false,
  tokenField: 'max_tokens',
  usageOption: true,
  parallelField: true,
  dropParams: [],
  samplingWithThinking: true,
  schemaDialect: 'plain',
  strictTools: false,
  nameRule: { pattern: '^[A-Za-z0-9_-]{1,64}$', max: 64 },
  idRule: { pattern: '^[A-Za-z0-9_-]{1,64}$', max: 64, echo: false },
  choiceNone: 'send',
  emptyContent: 'empty',
  toolResultName: false,
  images: IMAGES,
  reasoning: {
    read: ['reasoning_content', 'reasoning', 'reasoning_details'],
    send: null,
    when: 'never',
    filler: null,
    style: 'effort',
    efforts: ['none', 'minimal', 'low', 'medium', 'high'],
    forcedChoice: 'ok',
    tags: false,
    implied: false,
  },
  textCalls: [],
  missingClosers: false,
  refusalCodes: ['tool_use_failed'],
  quotaCodes: [],
  overflowPhrases: [],
  cache: { kind: 'auto', minTokens: 1024 },
  costField: null,
  local: false,
};

const RESPONSES: ProfilePatch = {
  id: 'responses',
  protocol: 'responses',
  path: '/responses',
  tokenField: 'max_output_tokens',
  usageOption: false,
  images: { toolResults: 'inline' },
  reasoning: { read: [], style: 'responses', when: 'always' },
};

const ANTHROPIC: ProfilePatch = {
  id: 'anthropic',
  protocol: 'anthropic',
  path: '/v1/messages',
  auth: { kind: 'header', name: 'x-api-key' },
  headers: { 'anthropic-version': '2023-06-01' },
  tokenField: 'max_tokens',
  usageOption: false,
  samplingWithThinking: false,
  schemaDialect: 'anthropic',
  nameRule: { pattern: '^[A-Za-z0-9_-]{1,128}$', max: 128 },
  idRule: { pattern: '^[A-Za-z0-9_-]+$' },
  images: { toolResults: 'inline' },
  reasoning: {
    read: [],
    when: 'always',
    style: 'anthropic_adaptive',
    efforts: ['low', 'medium', 'high', 'max'],
    forcedChoice: 'downgrade',
  },
  cache: { kind: 'breakpoints', minTokens: 1024 },
};

/** The default profile of a protocol. Throws nothing; a protocol without a codec here starts from Chat. */
export function defaultProfile(protocol: Protocol): Profile {
  if (protocol === 'responses') return patchProfile(CHAT, RESPONSES);
  if (protocol === 'anthropic') return patchProfile(CHAT, ANTHROPIC);
  return CHAT;
}

/** A profile with some fields replaced; objects are merged member by member, lists are replaced whole. */
export function patchProfile(base: Profile, patch: ProfilePatch): Profile {
  return mergeObjects(base, patch) as Profile;
}

function mergeObjects(base: object, patch: object): object {
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(patch)) {
    const before = merged[key];
    merged[key] = isPlain(before) && isPlain(value) ? mergeObjects(before, value) : value;
  }
  return merged;
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
