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
  /** One message of the person in `chat`; null at end of input or after the second Ctrl-C. */
  getTaskInput(signal: AbortSignal): Promise<string | null>;
  /** What is typed while a run is active. Returns the function that stops listening. */
  onSteer(listener: (text: string) => void): () => void;
}

export interface ConsoleStreams {
  readonly stdin: NodeJS.ReadStream;
  readonly stderr: NodeJS.WriteStream;
}

export interface ConsoleOptions extends ConsoleStreams {
  readonly type: 'simple' | 'rich';
  /** Of the process: NO_COLOR, FORCE_COLOR, TERM. */
  readonly env: Readonly<Record<string, string | undefined>>;
}
