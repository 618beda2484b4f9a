import type { ApprovalAnswer, ApprovalCard } from '../permissions/types.ts';
import type { EventConsole } from '../session/console.ts';

export interface Question {
  readonly text: string;
  readonly choices: readonly string[];
  readonly allowFreeText: boolean;
}

/** A console on a terminal: a view of events that can also put a question to the person in front of it. */
export interface CLIConsole extends EventConsole {
  askApproval(card: ApprovalCard, signal: AbortSignal): Promise<ApprovalAnswer>;
  /** Null when nobody answered. */
  askQuestion(question: Question, signal: AbortSignal): Promise<string | null>;
}
