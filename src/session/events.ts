/**
 * The one event union: log, stream-json, consoles, trajectory and recording all read these.
 * Durable events are numbered by `seq` from 1 without gaps; transient ones carry the `seq` of the last durable
 * event shown and count `sub` from 1. Readers ignore types and fields they do not know.
 */
import type {
  ContentBlock,
  ImageBlock,
  LLMMessage,
  LLMResponse,
  LLMUsage,
  RequestPurpose,
} from '../llm/types.ts';
import type { PermissionClass } from '../workspace/types.ts';

export type AgentState = 'idle' | 'running' | 'completed' | 'error';
export type AgentStepState = 'thinking' | 'calling_tool' | 'reflecting' | 'completed' | 'error';
export type StopReason =
  | 'completed'
  | 'gave_up'
  | 'max_steps'
  | 'max_cost'
  | 'max_tokens'
  | 'timeout'
  | 'provider_error'
  | 'blocked'
  | 'cancelled'
  | 'internal_error';

export interface ErrorInfo {
  readonly kind: string;
  readonly message: string;
}

export interface Denial {
  readonly call_id: string;
  readonly tool: string;
  readonly class: PermissionClass;
  readonly error_kind: string;
  readonly rule: string | null;
  readonly scope: string | null;
}

export interface FileChange {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

export interface PatchInfo {
  readonly base: string;
  readonly path: string | null;
  readonly bytes: number;
  readonly sha256: string;
  readonly files: number;
  readonly insertions: number;
  readonly deletions: number;
  readonly non_test_files: number;
  readonly omitted: readonly {
    readonly path: string;
    readonly reason: 'size' | 'count' | 'nested_repository';
  }[];
}

/** What one tool call produced, as stored. `result` is the text for the model. */
export interface ToolResultRecord {
  readonly call_id: string;
  readonly name: string;
  readonly success: boolean;
  readonly result: string | null;
  readonly error: string | null;
  readonly id: string | null;
  readonly error_kind: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly duration_ms: number;
  readonly spill: string | null;
}

export interface OfferedTool {
  readonly name: string;
  readonly class: PermissionClass;
  readonly source: string;
  readonly description: string;
  readonly schema: unknown;
}

export interface RunLimits {
  readonly max_steps: number;
  readonly max_cost: number | null;
  readonly max_tokens: number | null;
  readonly timeout_seconds: number | null;
}

export interface SandboxState {
  readonly kind: 'none' | 'bwrap' | 'docker';
  readonly network: boolean;
}

export interface ResultObject {
  readonly session_id: string;
  readonly run_id: string;
  readonly success: boolean;
  readonly state: 'completed' | 'error';
  readonly stop_reason: StopReason;
  readonly final_result: string | null;
  readonly steps: number;
  readonly usage: LLMUsage;
  readonly cost_usd: number | null;
  readonly duration_ms: number;
  readonly denials: readonly Denial[];
  readonly trajectory_file: string | null;
  readonly patch_path?: string;
  readonly answer?: unknown;
  readonly error?: ErrorInfo;
}

export interface DurablePayloads {
  session_started: {
    schema: number;
    version: string;
    user: string;
    workspace: string;
    agent_type: string;
    /** Session prefixes in force, decided once (tools.md 3.6). */
    session_prefixes: readonly string[];
    parent_session_id?: string;
    forked_at?: number;
  };
  model_changed: { from: string; to: string; by: string };
  permission_mode_changed: { from: string; to: string; by: string };
  run_started: {
    task: string;
    agent_type: string;
    provider: string;
    model: string;
    max_steps: number;
    limits: RunLimits;
    permission_mode: string;
    sandbox: SandboxState;
    system: string;
    tools: readonly OfferedTool[];
    instructions: readonly { path: string; sha256: string; bytes: number }[];
    resumes?: string;
    must_patch?: boolean;
    answer_schema?: unknown;
  };
  run_interrupted: { last_seq: number; open_calls: readonly string[] };
  run_finished: {
    agent_state: AgentState;
    success: boolean;
    stop_reason: StopReason;
    final_result: string | null;
    error: ErrorInfo | null;
    steps: number;
    usage: LLMUsage;
    cost_usd: number | null;
    cost_known_usd: number;
    duration_ms: number;
    denials: readonly Denial[];
    patch: PatchInfo | null;
    answer?: unknown;
    undelivered_messages: readonly string[];
    audit?: { seq: number; hash: string };
  };
  step_started: { step_number: number; session_step: number | null };
  step_finished: {
    step_number: number;
    session_step: number | null;
    state: AgentStepState;
    error: ErrorInfo | null;
    usage: LLMUsage;
    cost_usd: number | null;
  };
  message_added: { message: LLMMessage };
  steer_queued: { message_id: string; text: string; mode: 'after_step' | 'now' | 'follow_up' };
  llm_response: Omit<LLMResponse, 'blocks' | 'content' | 'tool_calls'> & {
    purpose: RequestPurpose;
    message_id: string;
    provider: string;
    content: readonly ContentBlock[];
    cost_usd: number | null;
    partial: boolean;
    estimated_tokens: number;
  };
  retry: {
    attempt: number;
    max_attempts: number;
    delay_ms: number;
    error: { kind: string; status: number | null; message: string };
  };
  approval_requested: {
    approval_id: string;
    call_id: string;
    tool: string;
    class: PermissionClass;
    summary: string;
    detail: string;
    cwd: string;
    args_sha256: string;
    why: string;
    offered_rule?: string;
  };
  approval_resolved: {
    approval_id: string;
    decision: 'allow' | 'deny';
    scope: 'once' | 'session' | 'always';
    by: 'user' | 'policy' | 'hook' | 'no_person';
    rule?: string;
    note?: string;
  };
  tool_started: {
    call_id: string;
    name: string;
    title: string;
    arguments: unknown;
    class: PermissionClass;
    decision: { outcome: 'allow'; rule: string | null; by: string };
    sandbox: SandboxState;
    resolved_from?: string;
  };
  tool_finished: ToolResultRecord & {
    files_changed: readonly FileChange[];
    /** Exactly what the model reads; absent: rendered from the other members. */
    model_text?: string;
    images?: readonly ImageBlock[];
  };
  reflection: { step_number: number; text: string; reasons: readonly string[] };
  label: {
    step_number: number;
    tags: readonly string[];
    task: string;
    details: string;
    by: 'rules' | 'model';
  };
  question_asked: {
    question_id: string;
    call_id: string;
    question: string;
    choices: readonly string[];
    allow_free_text: boolean;
  };
  question_answered: { question_id: string; answer: string; by: string };
  compaction: {
    reason: 'soft_limit' | 'overflow' | 'user';
    ok: boolean;
    method: 'model' | 'rules';
    tokens_before: number;
    tokens_after: number;
    /** First and last message replaced, inclusive. */
    replaced: readonly [string, string] | null;
    summary_message_id: string | null;
  };
  context_trimmed: {
    items: readonly {
      call_id: string;
      bytes_before: number;
      bytes_after: number;
      spill: string | null;
      /** What the model reads from now on; absent: rendered from the result and `spill`. */
      text?: string;
    }[];
  };
  budget_warning: { budget: string; used: number; limit: number };
  loop_guard: { guard: string; count: number; action: 'note' | 'refuse' | 'end'; tool?: string };
  base_taken: { tree: string; commit: string | null; kind: 'git' | 'private' | 'head' };
  history_rewound: {
    to_session_step: number;
    restored: readonly string[];
    conflicts: readonly string[];
  };
  history_cleared: Record<string, never>;
  mcp_status: { server: string; state: string; tools: number; error?: string };
  environment_status: { kind: string; state: string; container_id?: string };
  data_stage: { stage: string; status: string; version: number; content_hash: string; by: string };
  state_changed: { store: string; change: unknown };
  artifact: { path: string; bytes: number; sha256: string; media_type: string };
  warning: { code: string; message: string };
}

export interface TransientPayloads {
  result: ResultObject;
  llm_request: { purpose: RequestPurpose; attempt: number; estimated_tokens: number };
  text_delta: { message_id: string; text: string };
  reasoning_delta: { message_id: string; text: string };
  tool_call_delta: { message_id: string; index: number; name?: string; text: string };
  discard: { message_id: string; reason: string };
  tool_output: {
    call_id: string;
    stream: 'stdout' | 'stderr' | 'progress';
    text: string;
    bytes_total: number;
  };
  compaction_started: { reason: string };
  usage: {
    usage: LLMUsage;
    cost_usd: number | null;
    context_tokens: number;
    context_window: number;
  };
}

export type DurableType = keyof DurablePayloads;
export type TransientType = keyof TransientPayloads;

interface Envelope<T extends string> {
  readonly v: 1;
  readonly seq: number;
  /** Transient events only. */
  readonly sub?: number;
  /** UTC with milliseconds and Z. */
  readonly ts: string;
  readonly session_id: string;
  /** Null for session events. */
  readonly run_id: string | null;
  readonly parent_run_id?: string;
  readonly parent_call_id?: string;
  readonly type: T;
}

export type DurableEvent = {
  [T in DurableType]: Envelope<T> & Readonly<DurablePayloads[T]>;
}[DurableType];
export type TransientEvent = {
  [T in TransientType]: Envelope<T> & Readonly<TransientPayloads[T]>;
}[TransientType];
export type SessionEvent = DurableEvent | TransientEvent;
export type EventOf<T extends DurableType | TransientType> = Extract<SessionEvent, { type: T }>;

export interface EventScope {
  readonly run_id: string | null;
  readonly parent_run_id?: string;
  readonly parent_call_id?: string;
}
