import type { Approvals } from '../../permissions/approvals.ts';
import type { EventScope } from '../../session/events.ts';
import type { Locks } from '../locks.ts';
import type { ExecutorContext, OfferedList, ToolSession } from '../types.ts';
import type { Validator } from '../validate.ts';
import type { Diagnostics } from './diagnostics.ts';
import type { MalformedCounts } from './malformed.ts';

/** What every step of the pipeline shares: one for each agent and run list. */
export interface Dispatcher {
  readonly session: ToolSession;
  readonly offered: OfferedList;
  readonly validator: Validator;
  readonly locks: Locks;
  readonly approvals: Approvals;
  readonly malformed: MalformedCounts;
  readonly diagnostics: Diagnostics;
}

export function scopeOf(ctx: ExecutorContext): EventScope {
  return {
    run_id: ctx.runId,
    ...(ctx.parentRunId === undefined ? {} : { parent_run_id: ctx.parentRunId }),
    ...(ctx.parentCallId === undefined ? {} : { parent_call_id: ctx.parentCallId }),
  };
}
