/**
 * What a session amounts to, folded from its durable events. Plain data; a later state shares unchanged parts.
 */
import type { LLMMessage, ToolCall } from '../llm/types.ts';
import type {
  AgentStepState,
  DurablePayloads,
  ErrorInfo,
  EventOf,
  StopReason,
  ToolResultRecord,
} from './events.ts';
import type { Spent } from './session-usage.ts';
import type { WrittenFile } from './written-files.ts';

export interface RunState extends Spent {
  readonly run_id: string;
  readonly parent_run_id: string | null;
  readonly parent_call_id: string | null;
  readonly started: EventOf<'run_started'>;
  /** `interrupted`: the program ended without finishing it, and a later start found that. */
  readonly state: 'running' | 'interrupted' | 'completed' | 'error';
  readonly finished: EventOf<'run_finished'> | null;
  readonly stop_reason: StopReason | null;
  readonly success: boolean;
  readonly error: ErrorInfo | null;
  readonly resumes: string | null;
  /** Highest step number begun; 0 before the first. */
  readonly last_step_number: number;
  /** The start snapshot of the patch, once taken. */
  readonly base: EventOf<'base_taken'> | null;
}

/** What the user asked: a run and every run that resumes it. */
export interface TaskState extends Spent {
  readonly task: string;
  readonly run_ids: readonly string[];
  /** State of its last run. */
  readonly state: RunState['state'];
  readonly success: boolean;
  /** The number the next step of this task gets. */
  readonly next_step_number: number;
}

export interface StepState {
  readonly run_id: string;
  readonly step_number: number;
  readonly session_step: number | null;
  readonly state: AgentStepState;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly finished: EventOf<'step_finished'> | null;
  /** The last reply of the step. */
  readonly reply: EventOf<'llm_response'> | null;
  /** In call order once the step is finished. */
  readonly results: readonly ToolResultRecord[];
  readonly reflection: string | null;
  readonly label: EventOf<'label'> | null;
}

/** A call of the model without a result. */
export interface OpenCall {
  readonly call: ToolCall;
  readonly run_id: string;
  readonly step_number: number;
  /** Its `tool_started` is in the log: it may have had an effect. */
  readonly started: boolean;
}

export interface OpenApproval {
  readonly request: EventOf<'approval_requested'>;
  /** Given, but the call did not start; void after 10 minutes (agent.md 2.10). */
  readonly answer: EventOf<'approval_resolved'> | null;
}

export interface OpenQuestion {
  readonly question: EventOf<'question_asked'>;
  readonly answer: EventOf<'question_answered'> | null;
}

export interface SessionState extends Spent {
  readonly last_seq: number;
  readonly started: EventOf<'session_started'> | null;
  /** The conversation as the next request of the top-level agent needs it. */
  readonly messages: readonly LLMMessage[];
  /** In the order they began, sub-agents included. */
  readonly runs: readonly RunState[];
  /** Top-level tasks in the order they began. */
  readonly tasks: readonly TaskState[];
  readonly steps: readonly StepState[];
  readonly open_calls: readonly OpenCall[];
  readonly open_approvals: readonly OpenApproval[];
  readonly open_questions: readonly OpenQuestion[];
  /** Messages of the user not delivered yet. */
  readonly queued_messages: readonly DurablePayloads['steer_queued'][];
  readonly provider: string | null;
  readonly model: string | null;
  readonly permission_mode: string | null;
  /** Highest `session_step` given so far; the next one is one more. */
  readonly session_step: number;
  /** All `state_changed` records in order; their stores fold them. */
  readonly changes: readonly DurablePayloads['state_changed'][];
  /** Deferred tools found or used so far, in that order. */
  readonly loaded_tools: readonly string[];
  /** What tools last left in each file, in the order the files were first changed. */
  readonly written_files: readonly WrittenFile[];
  /** The audit log's last line as the last finished run recorded it. */
  readonly audit_anchor: { readonly seq: number; readonly hash: string } | null;
}
