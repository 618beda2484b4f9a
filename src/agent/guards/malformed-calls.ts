import { gaveUp } from '../exits.ts';
import type { GuardFinding } from './types.ts';

const NOTED_FROM = 2;
const END_AT = 6;
const STEPS_IN_A_ROW = 5;

/**
 * Calls that could not be run as written. Counted per tool name and reset by a valid call of that tool: from the
 * second on the result carries the schema (the dispatcher adds it), the sixth ends the run; so do five steps in a
 * row with nothing else.
 */
export class MalformedCalls {
  private readonly counts = new Map<string, number>();
  private stepsInARow = 0;

  /** Returns how often this tool was called wrongly in a row, this call included; 0 for a valid call. */
  afterCall(tool: string, malformed: boolean): number {
    const count = malformed ? (this.counts.get(tool) ?? 0) + 1 : 0;
    if (malformed) this.counts.set(tool, count);
    else this.counts.delete(tool);
    return count;
  }

  finding(tool: string, count: number): GuardFinding | null {
    if (count < NOTED_FROM) return null;
    if (count < END_AT) {
      return {
        event: { guard: 'malformed_calls', count, action: 'note', tool },
        note: null,
        end: null,
      };
    }
    return {
      event: { guard: 'malformed_calls', count, action: 'end', tool },
      note: null,
      end: gaveUp(
        'malformed_calls',
        `The model wrote ${count} calls of ${tool} in a row that could not be run; use a model with reliable tool calls.`,
      ),
    };
  }

  /** After the calls of a step. */
  afterStep(allMalformed: boolean): GuardFinding | null {
    this.stepsInARow = allMalformed ? this.stepsInARow + 1 : 0;
    if (this.stepsInARow < STEPS_IN_A_ROW) return null;
    return {
      event: { guard: 'malformed_calls', count: this.stepsInARow, action: 'end' },
      note: null,
      end: gaveUp(
        'malformed_calls',
        `${STEPS_IN_A_ROW} steps in a row held only calls that could not be run; use a model with reliable tool calls.`,
      ),
    };
  }
}
