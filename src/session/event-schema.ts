/**
 * JSON Schema (2020-12) of the event union, shipped as `schemas/events.schema.json`. Each event is the envelope and
 * the members of its type.
 */
import type { DurableType, TransientType } from './events.ts';
import { DEFINITIONS, RESPONSE, RESULT } from './schema-definitions.ts';
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
  type SchemaPart,
  SHA256,
  TEXT,
} from './schema-parts.ts';

interface Shape {
  readonly required: Members;
  readonly optional?: Members;
}

const PURPOSE = oneOf('step', 'compaction', 'lakeview', 'generation');
const COST = orNull(NUMBER);
const CHANGE: Shape = { required: { from: TEXT, to: TEXT, by: TEXT } };
const DELTA: Members = { message_id: TEXT, text: TEXT };
const STEP: Members = { step_number: COUNT, session_step: orNull(COUNT) };
const ANCHOR = object({ seq: COUNT, hash: SHA256 });

const RUNS = {
  session_started: {
    required: {
      schema: COUNT,
      version: TEXT,
      user: TEXT,
      workspace: TEXT,
      agent_type: TEXT,
      session_prefixes: list(TEXT),
    },
    optional: { parent_session_id: TEXT, forked_at: COUNT },
  },
  model_changed: CHANGE,
  permission_mode_changed: CHANGE,
  run_started: {
    required: {
      task: TEXT,
      agent_type: TEXT,
      provider: TEXT,
      model: TEXT,
      max_steps: COUNT,
      limits: ref('limits'),
      permission_mode: TEXT,
      sandbox: ref('sandbox'),
      system: TEXT,
      tools: list(ref('tool')),
      instructions: list(object({ path: TEXT, sha256: TEXT, bytes: COUNT })),
    },
    optional: { resumes: TEXT, must_patch: FLAG, answer_schema: ANY },
  },
  run_interrupted: { required: { last_seq: COUNT, open_calls: list(TEXT) } },
  run_finished: {
    required: {
      agent_state: oneOf('idle', 'running', 'completed', 'error'),
      success: FLAG,
      stop_reason: ref('stop_reason'),
      final_result: orNull(TEXT),
      error: orNull(ref('error')),
      steps: COUNT,
      usage: ref('usage'),
      cost_usd: COST,
      cost_known_usd: NUMBER,
      duration_ms: NUMBER,
      denials: list(ref('denial')),
      patch: orNull(ref('patch')),
      undelivered_messages: list(TEXT),
    },
    optional: { answer: ANY, audit: ANCHOR },
  },
  step_started: { required: STEP },
  step_finished: {
    required: {
      ...STEP,
      state: oneOf('thinking', 'calling_tool', 'reflecting', 'completed', 'error'),
      error: orNull(ref('error')),
      usage: ref('usage'),
      cost_usd: COST,
    },
  },
  base_taken: {
    required: { tree: TEXT, commit: orNull(TEXT), kind: oneOf('git', 'private', 'head') },
  },
} satisfies Partial<Record<DurableType, Shape>>;

const CONVERSATION = {
  message_added: { required: { message: ref('message') } },
  steer_queued: {
    required: { message_id: TEXT, text: TEXT, mode: oneOf('after_step', 'now', 'follow_up') },
  },
  llm_response: {
    required: {
      purpose: PURPOSE,
      message_id: TEXT,
      provider: TEXT,
      ...RESPONSE,
      content: list(ref('block')),
      cost_usd: COST,
      partial: FLAG,
      estimated_tokens: NUMBER,
    },
    optional: { served_model: TEXT, response_id: TEXT, request_id: TEXT },
  },
  retry: {
    required: {
      attempt: COUNT,
      max_attempts: COUNT,
      delay_ms: NUMBER,
      error: object({ kind: TEXT, status: orNull(COUNT), message: TEXT }),
    },
  },
  reflection: { required: { step_number: COUNT, text: TEXT, reasons: list(TEXT) } },
  label: {
    required: {
      step_number: COUNT,
      tags: list(TEXT),
      task: TEXT,
      details: TEXT,
      by: oneOf('rules', 'model'),
    },
  },
  compaction: {
    required: {
      reason: oneOf('soft_limit', 'overflow', 'user'),
      ok: FLAG,
      method: oneOf('model', 'rules'),
      tokens_before: NUMBER,
      tokens_after: NUMBER,
      replaced: orNull({ type: 'array', items: TEXT, minItems: 2, maxItems: 2 }),
      summary_message_id: orNull(TEXT),
    },
  },
  context_trimmed: {
    required: {
      items: list(
        object(
          { call_id: TEXT, bytes_before: COUNT, bytes_after: COUNT, spill: orNull(TEXT) },
          { text: TEXT },
        ),
      ),
    },
  },
  history_rewound: {
    required: { to_session_step: COUNT, restored: list(TEXT), conflicts: list(TEXT) },
  },
  history_cleared: { required: {} },
} satisfies Partial<Record<DurableType, Shape>>;

const TOOLS = {
  approval_requested: {
    required: {
      approval_id: TEXT,
      call_id: TEXT,
      tool: TEXT,
      class: ref('permission_class'),
      summary: TEXT,
      detail: TEXT,
      cwd: TEXT,
      args_sha256: TEXT,
      why: TEXT,
    },
    optional: { offered_rule: TEXT },
  },
  approval_resolved: {
    required: {
      approval_id: TEXT,
      decision: oneOf('allow', 'deny'),
      scope: oneOf('once', 'session', 'always'),
      by: oneOf('user', 'policy', 'hook', 'no_person'),
    },
    optional: { rule: TEXT, note: TEXT },
  },
  tool_started: {
    required: {
      call_id: TEXT,
      name: TEXT,
      title: TEXT,
      arguments: ANY,
      class: ref('permission_class'),
      decision: object({ outcome: { const: 'allow' }, rule: orNull(TEXT), by: TEXT }),
      sandbox: ref('sandbox'),
    },
    optional: { resolved_from: TEXT },
  },
  tool_finished: {
    required: {
      ...RESULT,
      files_changed: list(ref('file_change')),
    },
    optional: { model_text: TEXT, images: list(ref('image')) },
  },
  question_asked: {
    required: {
      question_id: TEXT,
      call_id: TEXT,
      question: TEXT,
      choices: list(TEXT),
      allow_free_text: FLAG,
    },
  },
  question_answered: { required: { question_id: TEXT, answer: TEXT, by: TEXT } },
} satisfies Partial<Record<DurableType, Shape>>;

const SURROUNDINGS = {
  budget_warning: { required: { budget: TEXT, used: NUMBER, limit: NUMBER } },
  loop_guard: {
    required: { guard: TEXT, count: COUNT, action: oneOf('note', 'refuse', 'end') },
    optional: { tool: TEXT },
  },
  mcp_status: { required: { server: TEXT, state: TEXT, tools: COUNT }, optional: { error: TEXT } },
  environment_status: { required: { kind: TEXT, state: TEXT }, optional: { container_id: TEXT } },
  data_stage: {
    required: { stage: TEXT, status: TEXT, version: COUNT, content_hash: TEXT, by: TEXT },
  },
  state_changed: { required: { store: TEXT, change: ANY } },
  artifact: { required: { path: TEXT, bytes: COUNT, sha256: SHA256, media_type: TEXT } },
  warning: { required: { code: TEXT, message: TEXT } },
} satisfies Partial<Record<DurableType, Shape>>;

const DURABLE: Readonly<Record<DurableType, Shape>> = {
  ...RUNS,
  ...CONVERSATION,
  ...TOOLS,
  ...SURROUNDINGS,
};

const TRANSIENT: Readonly<Record<TransientType, Shape>> = {
  result: {
    required: {
      success: FLAG,
      state: oneOf('completed', 'error'),
      stop_reason: ref('stop_reason'),
      final_result: orNull(TEXT),
      steps: COUNT,
      usage: ref('usage'),
      cost_usd: COST,
      duration_ms: NUMBER,
      denials: list(ref('denial')),
      trajectory_file: orNull(TEXT),
    },
    optional: { patch_path: TEXT, answer: ANY, error: ref('error') },
  },
  llm_request: { required: { purpose: PURPOSE, attempt: COUNT, estimated_tokens: NUMBER } },
  text_delta: { required: DELTA },
  reasoning_delta: { required: DELTA },
  tool_call_delta: { required: { ...DELTA, index: COUNT }, optional: { name: TEXT } },
  discard: { required: { message_id: TEXT, reason: TEXT } },
  tool_output: {
    required: {
      call_id: TEXT,
      stream: oneOf('stdout', 'stderr', 'progress'),
      text: TEXT,
      bytes_total: COUNT,
    },
  },
  compaction_started: { required: { reason: TEXT } },
  usage: {
    required: {
      usage: ref('usage'),
      cost_usd: COST,
      context_tokens: NUMBER,
      context_window: NUMBER,
    },
  },
};

const ENVELOPE: Members = {
  v: { const: 1 },
  seq: COUNT,
  ts: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$' },
  session_id: TEXT,
  run_id: orNull(TEXT),
};
const PARENTS: Members = { parent_run_id: TEXT, parent_call_id: TEXT };

function eventSchema(type: string, shape: Shape, transient: boolean): SchemaPart {
  const sub = transient ? { sub: { type: 'integer', minimum: 1 } } : {};
  return object(
    { ...ENVELOPE, ...sub, type: { const: type }, ...shape.required },
    { ...PARENTS, ...shape.optional },
  );
}

export const EVENTS_SCHEMA: SchemaPart = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Events of a toolwright session',
  description:
    'One event of the log, of stream-json and of the event stream. Durable events are numbered by seq; transient ones carry sub. Ignore unknown types and fields.',
  oneOf: [
    ...Object.entries(DURABLE).map(([type, shape]) => eventSchema(type, shape, false)),
    ...Object.entries(TRANSIENT).map(([type, shape]) => eventSchema(type, shape, true)),
  ],
  $defs: DEFINITIONS,
};
