/**
 * Library API of the agent core (spec agent.md section 1). Options are camelCase, stored data snake_case.
 */
import type { LoadedConfig } from '../config/types.ts';
import type { JsonValue, LLMMessage, LLMResponse, LLMUsage, ModelClient } from '../llm/types.ts';
import type { PermissionGate, QuestionHandler } from '../permissions/types.ts';
import type { EventConsole } from '../session/console.ts';
import type {
  AgentState,
  AgentStepState,
  Denial,
  ErrorInfo,
  PatchInfo,
  SessionEvent,
  StopReason,
  ToolResultRecord,
} from '../session/events.ts';

export interface AgentStep {
  readonly step_number: number;
  readonly session_step: number | null;
  readonly state: AgentStepState;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly llm_response: LLMResponse | null;
  readonly tool_calls: LLMResponse['tool_calls'] | null;
  readonly tool_results: readonly ToolResultRecord[] | null;
  readonly reflection: string | null;
  readonly error: ErrorInfo | null;
  readonly llm_usage: LLMUsage;
  readonly cost_usd: number | null;
  readonly label: string | null;
  readonly extra: Readonly<Record<string, unknown>>;
}

export interface AgentExecution {
  readonly task: string;
  readonly agent_state: AgentState;
  readonly success: boolean;
  readonly final_result: string | null;
  readonly stop_reason: StopReason;
  readonly error: ErrorInfo | null;
  readonly steps: readonly AgentStep[];
  readonly total_tokens: LLMUsage;
  readonly cost_usd: number | null;
  readonly cost_known_usd: number;
  /** Seconds, monotonic. */
  readonly execution_time: number;
  readonly session_id: string;
  readonly run_id: string;
  readonly denials: readonly Denial[];
  readonly patch: PatchInfo | null;
  readonly trajectory_file: string | null;
  readonly answer?: unknown;
  readonly undelivered_messages: readonly string[];
}

export interface HookContext {
  readonly sessionId: string;
  readonly runId: string;
  readonly workspace: string;
  readonly toolNames: readonly string[];
  readonly steps: readonly AgentStep[];
  /** Non-test paths that differ from the start snapshot now. Cached per step. */
  changedNonTestPaths(): Promise<readonly string[]>;
  readonly mustPatch: boolean;
}

export type CompletionVerdict =
  | { readonly done: true }
  | { readonly done: false; readonly reason: string; readonly message: string }
  | { readonly blocked: { readonly kind: string; readonly message: string } };

export interface AgentDefinition {
  readonly type: string;
  readonly description: string;
  readonly systemPrompt: (ctx: { readonly language: 'en' | 'zh' }) => string;
  readonly newTask: (task: string, ctx: NewTaskContext) => readonly string[];
  readonly tools: readonly string[];
  readonly usesTaskDone: boolean;
  readonly textReply: 'remind_once' | 'final';
  readonly isTaskCompleted: (ctx: HookContext) => CompletionVerdict | Promise<CompletionVerdict>;
  readonly taskIncompleteMessage: (reason: string) => string;
  readonly reflectOnResult: (
    results: readonly ToolResultRecord[],
    ctx: { readonly failuresInRow: ReadonlyMap<string, number> },
  ) => string | null;
  readonly maxSteps: number;
  readonly subAgent: boolean;
}

/** The parts of the first user message, already rendered; `newTask` returns one text block for each part. */
export interface NewTaskContext {
  readonly environment: string;
  readonly instructions: string | null;
  readonly skills: string | null;
  readonly projectPath: string;
  readonly firstTask: boolean;
}

export interface RunLimitsOption {
  readonly maxSteps?: number;
  readonly maxCost?: number;
  readonly maxTokens?: number;
  readonly timeoutSeconds?: number;
}

export interface AgentOptions {
  readonly agentType?: string | AgentDefinition;
  /** Loaded configuration, the content of a configuration file as an object, or its path; default: the normal lookup. */
  readonly config?: LoadedConfig | Readonly<Record<string, unknown>> | string;
  /** Default: the current directory. */
  readonly workspace?: string;
  readonly sessionId?: string;
  /** TOOLWRIGHT_HOME; default from the environment. */
  readonly home?: string;
  readonly console?: EventConsole;
  readonly trajectoryFile?: string;
  /** Path of a recording to write. */
  readonly record?: string;
  readonly signal?: AbortSignal;
  readonly permissionMode?: string;
  readonly sandbox?: 'auto' | 'bwrap' | 'docker' | 'none';
  readonly network?: boolean;
  readonly permissionGate?: PermissionGate;
  readonly questionHandler?: QuestionHandler;
  readonly limits?: RunLimitsOption;
  readonly mustPatch?: boolean;
  readonly patchPath?: string;
  readonly baseCommit?: string;
  readonly answerSchema?: JsonValue;
  /** A ready model client instead of the configured one (tests, embedding). */
  readonly modelClient?: ModelClient;
}

export interface RunOptions {
  readonly extraArgs?: Readonly<Record<string, string>>;
  readonly toolNames?: readonly string[];
  readonly limits?: RunLimitsOption;
  readonly signal?: AbortSignal;
  /** What a reply without calls means; absent = the kind's own rule. Chat passes `final`: such a reply ends the turn. */
  readonly textReply?: AgentDefinition['textReply'];
}

export type AgentEventListener = (event: SessionEvent) => void;

/** The conversation as the next request needs it. */
export interface Conversation {
  readonly messages: readonly LLMMessage[];
}
