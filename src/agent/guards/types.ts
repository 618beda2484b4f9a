import type { DurablePayloads } from '../../session/events.ts';
import type { RunExit } from '../exits.ts';

/** What a guard found after the calls of one step. Notes go to the model, `end` ends the run. */
export interface GuardFinding {
  readonly event: DurablePayloads['loop_guard'] | null;
  readonly note: string | null;
  readonly end: RunExit | null;
}
