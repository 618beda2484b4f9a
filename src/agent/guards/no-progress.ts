import { gaveUp } from '../exits.ts';
import { normaliseResult, sha256 } from './call-key.ts';
import type { GuardFinding } from './types.ts';

const NOTE_AT = 5;
const END_AT = 10;

/** The same call with the same result, whatever lies between: the fifth gives a note, the tenth ends the run. */
export class NoProgress {
  private readonly counts = new Map<string, number>();

  afterCall(tool: string, key: string, result: string): GuardFinding | null {
    const seen = `${key}:${sha256(normaliseResult(result))}`;
    const count = (this.counts.get(seen) ?? 0) + 1;
    this.counts.set(seen, count);
    if (count === NOTE_AT) return this.note(tool, count);
    return count >= END_AT ? this.end(tool, count) : null;
  }

  private note(tool: string, count: number): GuardFinding {
    return {
      event: { guard: 'no_progress', count, action: 'note', tool },
      note: `${tool} gave the same result for the same arguments ${count} times. Repeating it will not help; change the approach.`,
      end: null,
    };
  }

  private end(tool: string, count: number): GuardFinding {
    return {
      event: { guard: 'no_progress', count, action: 'end', tool },
      note: null,
      end: gaveUp(
        'repeated_call',
        `${tool} gave the same result for the same arguments ${count} times; give the model more precise instructions and resume.`,
      ),
    };
  }
}
