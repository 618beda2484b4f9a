import { unattendedGate } from '../../permissions/approvals.ts';
import type { PermissionGate, QuestionHandler } from '../../permissions/types.ts';
import type { Budgets } from '../budgets.ts';

/** Whose clock stands still while a person is asked; null between runs. */
export interface WaitingBudgets {
  current: Budgets | null;
}

/** The gate of the session: the given one, or nobody. The run's time does not count while a person thinks. */
export function waitingGate(
  gate: PermissionGate | undefined,
  budgets: WaitingBudgets,
): PermissionGate {
  if (gate === undefined) return unattendedGate;
  return {
    get person() {
      return gate.person;
    },
    ask: (card, signal) => whileWaiting(budgets, () => gate.ask(card, signal)),
  };
}

export function waitingQuestions(
  handler: QuestionHandler | undefined,
  budgets: WaitingBudgets,
): QuestionHandler | null {
  if (handler === undefined) return null;
  return { ask: (question, signal) => whileWaiting(budgets, () => handler.ask(question, signal)) };
}

async function whileWaiting<T>(budgets: WaitingBudgets, ask: () => Promise<T>): Promise<T> {
  const { current } = budgets;
  current?.personWaitStarted();
  try {
    return await ask();
  } finally {
    current?.personWaitEnded();
  }
}
