import { blocked } from '../exits.ts';
import type { GuardFinding } from './types.ts';

const STEPS_IN_A_ROW = 3;
const SAME_CALL = 3;
const UNANSWERED = 2;

/** The limits of safety.md section 2: a run that is only refused ends instead of trying for ever. */
export class Denials {
  private readonly counts = new Map<string, number>();
  private stepsInARow = 0;
  private unanswered = 0;

  afterDenied(tool: string, key: string): GuardFinding | null {
    const count = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, count);
    if (count < SAME_CALL) return null;
    return ending(
      'permission_denied',
      count,
      `The same call of ${tool} was denied ${count} times; allow it with --allow, or change the permission mode, and resume.`,
      tool,
    );
  }

  /** A question nobody could answer. */
  afterUnanswered(tool: string): GuardFinding | null {
    this.unanswered += 1;
    if (this.unanswered < UNANSWERED) return null;
    return ending(
      'needs_user',
      this.unanswered,
      'The model asked a second question and nobody is there to answer; resume the session on a terminal.',
      tool,
    );
  }

  afterStep(allDenied: boolean): GuardFinding | null {
    this.stepsInARow = allDenied ? this.stepsInARow + 1 : 0;
    if (this.stepsInARow < STEPS_IN_A_ROW) return null;
    return ending(
      'permission_denied',
      this.stepsInARow,
      `Every call of ${STEPS_IN_A_ROW} steps in a row was denied; allow what is needed with --allow, or change the permission mode, and resume.`,
    );
  }
}

function ending(kind: string, count: number, message: string, tool?: string): GuardFinding {
  return {
    event: { guard: 'denials', count, action: 'end', ...(tool === undefined ? {} : { tool }) },
    note: null,
    end: blocked(kind, message),
  };
}
