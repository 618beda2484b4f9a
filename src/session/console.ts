/**
 * The part of a console the agent knows: a view of events. It never drives a run; a drawing failure falls back
 * to plain lines and is never an error of the run.
 */
import type { SessionEvent } from './events.ts';

export interface TaskDetails {
  readonly task: string;
  readonly agentType: string;
  readonly provider: string;
  readonly model: string;
  readonly workspace: string;
  readonly sessionId: string;
  readonly maxSteps: number;
  /** "sandbox bwrap, network off, mode auto": the first line of every run. */
  readonly safety: string;
}

export interface RunSummary {
  readonly task: string;
  readonly success: boolean;
  readonly stopReason: string;
  readonly error: string | null;
  readonly steps: number;
  readonly seconds: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly costUsd: number | null;
  readonly patchPath: string | null;
  /** "2 files, +10 -3", or null without a patch. */
  readonly patchStat: string | null;
  readonly trajectoryFile: string | null;
  readonly sessionId: string;
  /** The command that goes on with this session, when that is useful. */
  readonly resumeCommand: string | null;
}

export interface EventConsole {
  start(): void;
  /** Restores the terminal; idempotent. */
  stop(): Promise<void>;
  onEvent(event: SessionEvent): void;
  printTaskDetails(details: TaskDetails): void;
  printSummary(summary: RunSummary): void;
  print(text: string): void;
}
