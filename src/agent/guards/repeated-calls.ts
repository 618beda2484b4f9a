import type { JsonObject } from '../../llm/types.ts';
import { gaveUp } from '../exits.ts';
import { callKey } from './call-key.ts';
import type { GuardFinding } from './types.ts';

const NOTE_AT = 3;
const REFUSE_AT = 5;
const END_AT = 6;

/**
 * Counts equal calls since another acting call last succeeded: the third runs with a note, the fifth does not run,
 * the next ends the run.
 */
export class RepeatedCalls {
  private readonly counts = new Map<string, number>();
  private findings: GuardFinding[] = [];

  /** Asked for each valid call, in order. Returns the refusal, or null. */
  beforeCall(tool: string, args: JsonObject): string | null {
    const key = callKey(tool, args);
    const count = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, count);
    if (count === NOTE_AT) this.findings.push(noteFinding(tool, count));
    if (count < REFUSE_AT) return null;
    this.findings.push(count >= END_AT ? endFinding(tool, count) : refusalFinding(tool, count));
    return `This is the ${count}th identical call of ${tool} and nothing was changed in between, so it was not run.`;
  }

  /** Another acting call changed something, so every other call may give a new answer. */
  actingCallSucceeded(key: string): void {
    const own = this.counts.get(key);
    this.counts.clear();
    if (own !== undefined) this.counts.set(key, own);
  }

  takeFindings(): readonly GuardFinding[] {
    const taken = this.findings;
    this.findings = [];
    return taken;
  }
}

function event(tool: string, count: number, action: 'note' | 'refuse' | 'end') {
  return { guard: 'repeated_call', count, action, tool } as const;
}

function noteFinding(tool: string, count: number): GuardFinding {
  return {
    event: event(tool, count, 'note'),
    note: `${tool} was called ${count} times with the same arguments and nothing was changed in between. Use the result you have, or do something else.`,
    end: null,
  };
}

function refusalFinding(tool: string, count: number): GuardFinding {
  return { event: event(tool, count, 'refuse'), note: null, end: null };
}

function endFinding(tool: string, count: number): GuardFinding {
  return {
    event: event(tool, count, 'end'),
    note: null,
    end: gaveUp(
      'repeated_call',
      `The model called ${tool} ${count} times with the same arguments; give it more precise instructions and resume.`,
    ),
  };
}
