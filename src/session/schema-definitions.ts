/** Named parts several events share. */
import {
  ANY,
  COUNT,
  FLAG,
  list,
  type Members,
  NUMBER,
  object,
  oneOf,
  orNull,
  ref,
  SHA256,
  TEXT,
} from './schema-parts.ts';

const USAGE: Members = {
  input_tokens: COUNT,
  output_tokens: COUNT,
  cache_creation_input_tokens: COUNT,
  cache_read_input_tokens: COUNT,
  reasoning_tokens: COUNT,
};

const CALL: Members = {
  call_id: TEXT,
  name: TEXT,
  arguments: { type: 'object' },
  id: orNull(TEXT),
  status: oneOf('ok', 'invalid', 'cut', 'provider_rejected'),
};

export const RESULT: Members = {
  call_id: TEXT,
  name: TEXT,
  success: FLAG,
  result: orNull(TEXT),
  error: orNull(TEXT),
  id: orNull(TEXT),
  error_kind: orNull(TEXT),
  metadata: { type: 'object' },
  duration_ms: NUMBER,
  spill: orNull(TEXT),
};

export const RESPONSE: Members = {
  reasoning: orNull(TEXT),
  model: TEXT,
  finish_reason: oneOf(
    'stop',
    'tool_calls',
    'length',
    'refusal',
    'content_filter',
    'pause',
    'unknown',
  ),
  raw_finish_reason: orNull(TEXT),
  usage: ref('usage'),
  complete: FLAG,
  raw: orNull({ type: 'object' }),
  flags: list(TEXT),
  ttft_ms: orNull(NUMBER),
  duration_ms: NUMBER,
  attempts: COUNT,
  request_sha256: TEXT,
};

const PATCH: Members = {
  base: TEXT,
  path: orNull(TEXT),
  bytes: COUNT,
  sha256: TEXT,
  files: COUNT,
  insertions: COUNT,
  deletions: COUNT,
  non_test_files: COUNT,
  omitted: list(object({ path: TEXT, reason: oneOf('size', 'count', 'nested_repository') })),
};

const DENIAL: Members = {
  call_id: TEXT,
  tool: TEXT,
  class: ref('permission_class'),
  error_kind: TEXT,
  rule: orNull(TEXT),
  scope: orNull(TEXT),
};

const MESSAGE: Members = {
  message_id: TEXT,
  role: oneOf('user', 'assistant'),
  content: list(ref('block')),
  origin: oneOf('task', 'user', 'steer', 'reminder', 'note', 'tool', 'model', 'summary', 'resume'),
};

function block(type: string, required: Members, optional: Members = {}) {
  return object({ type: { const: type }, ...required }, optional);
}

export const DEFINITIONS = {
  usage: object(USAGE, { estimated: FLAG, raw: ANY, cost_usd: NUMBER }),
  permission_class: oneOf(
    'read',
    'write',
    'python',
    'shell',
    'package',
    'network',
    'state',
    'user',
    'agent',
    'mcp',
    'config',
    'review',
  ),
  error: object({ kind: TEXT, message: TEXT }),
  limits: object({
    max_steps: COUNT,
    max_cost: orNull(NUMBER),
    max_tokens: orNull(COUNT),
    timeout_seconds: orNull(NUMBER),
  }),
  sandbox: object({ kind: oneOf('none', 'bwrap', 'docker'), network: FLAG }),
  file_change: object({ path: TEXT, before: orNull(SHA256), after: orNull(SHA256) }),
  tool: object({
    name: TEXT,
    class: ref('permission_class'),
    source: TEXT,
    description: TEXT,
    schema: ANY,
  }),
  tool_call: object(CALL, { raw_arguments: TEXT, raw_name: TEXT, index: COUNT }),
  patch: object(PATCH),
  denial: object(DENIAL),
  stop_reason: oneOf(
    'completed',
    'gave_up',
    'max_steps',
    'max_cost',
    'max_tokens',
    'timeout',
    'provider_error',
    'blocked',
    'cancelled',
    'internal_error',
  ),
  image: block('image', { mime: TEXT, data: TEXT, width: COUNT, height: COUNT }),
  block: {
    anyOf: [
      block('text', { text: TEXT }),
      block('refusal', { text: TEXT }),
      block('reasoning', { text: TEXT, kind: oneOf('full', 'summary', 'hidden') }),
      block('opaque', { protocol: TEXT, value: ANY }),
      block('tool_call', { call: ref('tool_call') }),
      block('tool_result', { call_id: TEXT, name: TEXT, success: FLAG, text: TEXT }),
      ref('image'),
      block('document', { mime: TEXT, data: TEXT, name: TEXT }),
    ],
  },
  message: object(MESSAGE, { raw: { type: 'object' }, complete: FLAG }),
};
