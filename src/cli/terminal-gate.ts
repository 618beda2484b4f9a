/** The person in front of the terminal, as the permission gate and the question handler of a run. */
import type { CLIConsole } from '../console/types.ts';
import type { PermissionGate, QuestionHandler } from '../permissions/types.ts';

export function terminalGate(console: CLIConsole): PermissionGate {
  return { person: true, ask: (card, signal) => console.askApproval(card, signal) };
}

export function terminalQuestions(console: CLIConsole): QuestionHandler {
  return { ask: (question, signal) => console.askQuestion(question, signal) };
}
