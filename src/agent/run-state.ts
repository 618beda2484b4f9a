import type {
  LLMErrorInfo,
  LLMMessage,
  LLMRequest,
  ModelClient,
  ReportedUsage,
  ToolCall,
  ToolSpec,
} from '../llm/types.ts';
import type { Denial, EventScope } from '../session/events.ts';
import type { EventLog, Redactor } from '../session/types.ts';
import type { OfferedList, ToolExecutor } from '../tools/types.ts';
import type { Budgets } from './budgets.ts';
import type { Clock } from './clock.ts';
import type { Completion } from './completion.ts';
import type { ConversationMessages } from './context/conversation.ts';
import type { RunExit } from './exits.ts';
import type { LoopGuards } from './guards/loop-guards.ts';
import type { MessageQueue } from './message-queue.ts';
import type { FailureStreaks } from './reflection.ts';
import type { AgentDefinition, AgentStep } from './types.ts';

/** Why the run's signal was aborted. */
export type AbortCause = 'cancelled' | 'timeout';

/** What the loop asks of the patch keeper; null where no patch can be made. */
export interface PatchWatch {
  /** Takes the start snapshot, once in a task, before the first acting call. Never throws. */
  beforeActing(): Promise<void>;
  /** Forgets what was computed: something may have changed since. */
  stepFinished(): void;
}

/** What the loop asks of context management (agent.md section 8). */
export interface ContextKeeper {
  /** Estimated input of the next request. */
  readonly tokens: number;
  readonly window: number;
  /** The output limit an overflow left for this session, or null. */
  readonly outputLimit: number | null;
  added(message: LLMMessage): void;
  report(usage: ReportedUsage, reply: LLMMessage): void;
  /** Brings the context below its soft limit. An exit when even the least does not fit. */
  prepare(run: RunState): Promise<RunExit | null>;
  /** After the `count`-th overflow of one step: null = ask again. */
  recover(run: RunState, error: LLMErrorInfo, count: number): Promise<RunExit | null>;
  /** Compacts now. True when the result was accepted. */
  compact(
    run: RunState,
    reason: 'soft_limit' | 'overflow' | 'user',
    focus: string | null,
  ): Promise<boolean>;
}

/** What one run works with: fixed for the run, except for what the loop itself counts. */
export interface RunState {
  readonly sessionId: string;
  readonly workspace: string;
  readonly runId: string;
  readonly scope: EventScope;
  readonly task: string;
  readonly definition: AgentDefinition;
  readonly log: EventLog;
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly client: ModelClient;
  readonly system: LLMRequest['system'];
  readonly tools: readonly ToolSpec[];
  readonly offered: OfferedList;
  readonly executor: ToolExecutor;
  readonly conversation: ConversationMessages;
  readonly context: ContextKeeper;
  readonly patch: PatchWatch | null;
  readonly budgets: Budgets;
  readonly guards: LoopGuards;
  readonly completion: Completion;
  readonly streaks: FailureStreaks;
  readonly queue: MessageQueue;
  readonly controller: AbortController;
  /** False: the model's configuration asks for one call at a time. */
  readonly parallelCalls: boolean;
  readonly cacheRetention: 'none' | 'short' | 'long';
  readonly steps: AgentStep[];
  readonly denials: Denial[];
  /** Instruction files of folders these calls touched for the first time, as notes. */
  readonly instructionNotes: (calls: readonly ToolCall[]) => Promise<readonly string[]>;
  /** Called when an endpoint begins to answer: until the reply is there, work for later can be done. */
  readonly requestLeft: () => void;
  /** Keeps the stack of a defect in a file of the session; resolves with the sentence for the person. */
  readonly reportDefect: (error: unknown) => Promise<string>;
  readonly progress: RunProgress;
}

/** What the loop counts from reply to reply. */
export interface RunProgress {
  /** Number of the next step in the task, and in the session. */
  nextStep: number;
  nextSessionStep: number;
  /** Text of replies that were cut at their length, in a row. */
  segments: string[];
  emptyInRow: number;
  /** True when the last reply was a text reply that got the reminder. */
  justReminded: boolean;
  lastText: string | null;
  actingCallDenied: boolean;
  lastStepAnnounced: boolean;
  silentTruncationTold: boolean;
  readonly filesChanged: Set<string>;
  answer: { readonly value: unknown } | null;
  finalText: string | null;
}

export function newProgress(nextStep: number, nextSessionStep: number): RunProgress {
  return {
    nextStep,
    nextSessionStep,
    segments: [],
    emptyInRow: 0,
    justReminded: false,
    lastText: null,
    actingCallDenied: false,
    lastStepAnnounced: false,
    silentTruncationTold: false,
    filesChanged: new Set(),
    answer: null,
    finalText: null,
  };
}

/** How a step goes on: the run ends, or the next step follows. */
export type StepOutcome = RunExit | null;

/** Adds a user-role message to log and conversation. */
export function addUserMessage(run: RunState, message: LLMMessage): void {
  run.log.append(run.scope, 'message_added', { message });
  run.conversation.add(message);
  run.context.added(message);
}
