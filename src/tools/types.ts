/**
 * The Tool seam (spec tools.md sections 1 and 2).
 */

import type {
  Child,
  ExecutionEnvironment,
  SandboxKind,
  SpawnLimits,
  SpawnProfile,
} from '../environment/types.ts';
import type { ErrorKind } from '../errors.ts';
import type { PermissionGate, PermissionPolicy, QuestionHandler } from '../permissions/types.ts';
import type { FileChange, ToolResultRecord } from '../session/events.ts';
import type {
  AuditLog,
  EventLog,
  ImageBlock,
  JsonObject,
  Redactor,
  SessionPaths,
  ToolCall,
} from '../session/types.ts';
import type {
  FileAccess,
  Grant,
  PathIntent,
  PathResolver,
  PermissionClass,
  ResolvedPath,
} from '../workspace/types.ts';

export type ToolGroup =
  | 'file'
  | 'compat'
  | 'code'
  | 'exec'
  | 'web'
  | 'user'
  | 'account'
  | 'config'
  | 'plan'
  | 'task'
  | 'team'
  | 'workflow'
  | 'worktree'
  | 'agent'
  | 'skill'
  | 'data'
  | 'mcp';

/** A JSON Schema of the closed subset of tools.md 1.2 plus our `x-` annotations, which are stripped before sending. */
export type ToolSchema = JsonObject;

export interface ToolOutput {
  /** Text for the model. */
  readonly content: string;
  /** Facts for front ends, trajectory and tests; never sent to the model. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly images?: readonly ImageBlock[];
  /** Machine result, validated against `outputSchema`. */
  readonly machine?: unknown;
  readonly filesChanged?: readonly FileChange[];
  /** The content must not be cut by the dispatcher (the tool bounded it itself). */
  readonly bounded?: boolean;
  /** How the dispatcher cuts a long text: head (default) or the first third and last two thirds. */
  readonly cut?: 'head' | 'ends';
  /** Characters the tool itself left out of the middle of `content`; counted into the dispatcher's marker. */
  readonly missingChars?: number;
  /** False: the call failed though the tool returned (a command with exit code 1); needs `error` and `errorKind`. */
  readonly failure?: { readonly kind: ErrorKind; readonly message: string };
}

/** What a tool knows about the last content it or another tool saw of a file (tools.md 4.7). */
export interface FileKnowledge {
  /** Hash at the last read or write by a tool; undefined when never read. */
  seen(path: string): string | undefined;
  record(path: string, sha256: string, size: number, mtimeNs: bigint, ino: bigint): void;
  forget(path: string): void;
  /** Keeps the content itself, as room allows, so that a later change can be shown as a diff. */
  keep?(path: string, content: Buffer): void;
  lastContent?(path: string): Buffer | undefined;
}

export interface SpawnArgs {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin: 'closed' | 'pipe' | { readonly bytes: Uint8Array };
  readonly profile: SpawnProfile;
  readonly readOnly?: boolean;
  readonly limits?: SpawnLimits;
  readonly extraPipes?: number;
  readonly channelDirs?: readonly string[];
  readonly readBinds?: readonly string[];
}

/** State shared by the calls of one agent in one session; made by the agent, owned by no single tool. */
export interface ToolSession {
  readonly sessionId: string;
  readonly paths: SessionPaths;
  readonly workspace: string;
  readonly agentType: string;
  readonly resolver: PathResolver;
  readonly files: FileAccess;
  readonly environment: ExecutionEnvironment;
  readonly knowledge: FileKnowledge;
  readonly limits: ToolLimits;
  readonly redactor: Redactor;
  readonly log: EventLog;
  readonly audit: AuditLog;
  readonly policy: PermissionPolicy;
  readonly gate: PermissionGate;
  readonly questions: QuestionHandler | null;
  /** Keeps a rule for all sessions, in the user file. Rejects when it cannot be written. */
  readonly storeRule?: (rule: string) => Promise<void>;
  readonly network: boolean;
  readonly sandbox: SandboxKind;
  readonly language: 'en' | 'zh';
  /** Settings single tools need: python.interpreter and the like, by configuration key. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Things to close at session end (shells, interpreters), run in reverse order, each with 10 s. */
  onClose(close: () => Promise<void>): void;
  /** Per-session slots of a tool, keyed by the tool's name: shells, thought history. */
  readonly slots: Map<string, unknown>;
  /** Stores bytes under their SHA-256 in `.session/blobs`, synced. */
  storeBlob(content: Uint8Array): Promise<string>;
  readonly clock: { now(): number };
}

export interface ToolLimits {
  readonly toolOutputChars: number;
  readonly writeFileBytes: number;
  readonly commandSeconds: number;
  readonly memoryMib: number;
  readonly processes: number;
  readonly cpuSeconds: number;
  readonly fileSizeMib: number;
  readonly openFiles: number;
  readonly spillMib: number;
  readonly spillSessionMib: number;
  readonly runningCalls: number;
}

export interface ToolContext {
  readonly session: ToolSession;
  readonly runId: string;
  readonly step: number;
  readonly callId: string;
  readonly grant: Grant;
  /** What allowed the call: `mode:vetted`, `rule:...`, `mode:...`, `approval` (safety.md 3: unasked commands). */
  readonly allowedBy: string;
  readonly files: FileAccess;
  readonly resolver: PathResolver;
  /** The already resolved `x-path` values of this call by parameter name (arrays: `name.0`, `name.1`). */
  readonly paths: Readonly<Record<string, ResolvedPath>>;
  resolve(text: string, intent: PathIntent): ResolvedPath;
  readonly signal: AbortSignal;
  /** Monotonic milliseconds of `session.clock`. */
  readonly deadline: number;
  /** Live output; text is redacted, sanitised and coalesced by the dispatcher. */
  emit(stream: 'stdout' | 'stderr' | 'progress', bytes: Uint8Array): void;
  /** Starts a process under this call's grant, mark, network state and limits. */
  spawn(args: SpawnArgs): Promise<Child>;
  /** A file where whole output is kept: `tool-output/<call_id>.txt`. Bytes beyond the cap keep head, tail and count. */
  spill(): SpillWriter;
  readonly log: (message: string) => void;
}

export interface SpillWriter {
  write(bytes: Uint8Array): void;
  /** Logical address, or null when nothing was written. */
  finish(): Promise<string | null>;
  readonly totalBytes: number;
}

export interface Tool {
  readonly name: string;
  readonly group: ToolGroup;
  readonly description: string;
  readonly descriptionZh: string;
  readonly parameters: ToolSchema;
  /** Validated instead of `parameters` where the model is shown more than the dispatcher checks. */
  readonly validated?: ToolSchema;
  readonly outputSchema?: ToolSchema;
  readonly permission: PermissionClass;
  /** Lowers the class for a looking sub-command, computed from validated arguments; never raises it. */
  readonly classOf?: (args: Readonly<Record<string, unknown>>) => PermissionClass;
  readonly runsIn: 'environment' | 'host';
  readonly parallelSafe?: boolean;
  readonly polling?: boolean;
  readonly nonDeterministic?: boolean;
  readonly streams?: boolean;
  /** Seconds. */
  readonly timeout: { readonly default: number; readonly max: number };
  readonly alternatives?: readonly string[];
  /** Other spellings of parameter names: `{cmd: 'command'}`. */
  readonly keyAliases?: Readonly<Record<string, string>>;
  readonly aliases?: readonly string[];
  /** Characters; default limits.tool_output_chars. */
  readonly outputChars?: number;
  /** The directory the call would start in, part of what an approval is bound to; default the workspace. */
  cwd?(session: ToolSession, args: Readonly<Record<string, unknown>>): string;
  /** One line for consoles: what this call does. Untrusted text in it is sanitised by the dispatcher. */
  title?(args: Readonly<Record<string, unknown>>): string;
  /** The whole of what will happen, for the approval card: command text, diff. Default: pretty JSON of the arguments. */
  preview?(args: Readonly<Record<string, unknown>>, ctx: PreviewContext): Promise<string>;
  /** Checks that need no input or output; throws ToolFailure `invalid_arguments`. */
  check?(args: Readonly<Record<string, unknown>>): void;
  run(args: Readonly<Record<string, unknown>>, ctx: ToolContext): Promise<ToolOutput>;
}

export interface PreviewContext {
  readonly files: FileAccess;
  readonly paths: Readonly<Record<string, ResolvedPath>>;
}

/** One call as the loop hands it to the executor, in reply order. */
export interface ExecutorCall {
  readonly call: ToolCall;
}

export interface ExecutorContext {
  readonly runId: string;
  readonly parentRunId?: string;
  readonly parentCallId?: string;
  readonly step: number;
  readonly signal: AbortSignal;
  /** Monotonic deadline of the run, or null. */
  readonly deadline: number | null;
  /** Asked before each group: a plain refusal, a `now` message or the like stops calls not yet started. */
  readonly stopBefore?: () => 'skipped' | null;
  /** Guard verdict for a valid call, asked in order (agent.md 2.6): refuse it, or add a note. */
  readonly guard?: (tool: string, args: JsonObject) => { readonly refuse: string | null };
  /** The completion test: run for `task_done` after all siblings. Returns its result. */
  readonly taskDone: (
    args: Readonly<Record<string, unknown>>,
    siblings: readonly ToolResultRecord[],
  ) => Promise<{
    readonly accepted: boolean;
    readonly text: string;
    readonly errorKind: ErrorKind | null;
  }>;
  readonly serial: boolean;
}

export interface ExecutedCall {
  readonly result: ToolResultRecord;
  readonly images: readonly ImageBlock[];
  /** Text of the tool_result block: `result`, or `ERROR kind: ...` with the line of 2.3 and the output. */
  readonly modelText: string;
  readonly resolvedName: string | null;
  /** True when the call counts as malformed (unknown tool, unusable, invalid or truncated arguments). */
  readonly malformed: boolean;
  /** The permission class the call ran under; null when it was not found. */
  readonly class: PermissionClass | null;
  readonly acting: boolean;
  /** Set when it was denied. */
  readonly denial: { readonly rule: string | null; readonly scope: string | null } | null;
  /** A person refused without a note: the run ends. */
  readonly plainRefusal: boolean;
  readonly argsSha256: string;
}

/** Never throws; exactly one result for each call, in call order. */
export interface ToolExecutor {
  execute(calls: readonly ToolCall[], ctx: ExecutorContext): Promise<ExecutedCall[]>;
  /** Runs every `onClose` of the session; failures come back as messages. */
  closeTools(): Promise<readonly string[]>;
}

/** What the model is offered in a run: frozen, in stable order. */
export interface OfferedList {
  readonly offered: readonly Tool[];
  readonly deferred: readonly Tool[];
  /** Entries of the configured list that are valid names but stand for nothing in this program. */
  readonly leftOut?: readonly string[];
  /** tools.md 2.1 step 3 over offered, then deferred. Null when nothing or more than one matches. */
  find(name: string): {
    readonly tool: Tool;
    readonly resolvedFrom: string | null;
    readonly deferred: boolean;
  } | null;
  /** Up to 3 nearest names. */
  nearest(name: string): readonly string[];
}
