import type { ToolResultRecord } from '../../session/events.ts';
import type { ExecutorContext } from '../types.ts';
import { type Dispatcher, scopeOf } from './dispatcher.ts';
import { failed, type Outcome, succeeded } from './outcome.ts';
import type { ReadyCall } from './prepare.ts';
import { defect, type RunResult } from './run-call.ts';
import { titleOf } from './title.ts';

/** Hands `task_done` to the agent, or repeats what the first one of the reply got. */
export async function completeTask(
  dispatcher: Dispatcher,
  ctx: ExecutorContext,
  ready: ReadyCall,
  siblings: readonly ToolResultRecord[],
  first: Outcome | null,
): Promise<RunResult> {
  const { session } = dispatcher;
  const started = session.clock.now();
  const done = (outcome: Outcome): RunResult => ({
    outcome,
    spill: null,
    durationMs: Math.round(session.clock.now() - started),
  });
  try {
    const appended = session.log.append(scopeOf(ctx), 'tool_started', {
      call_id: ready.call.call_id,
      name: ready.tool.name,
      title: titleOf(ready, session.redactor),
      arguments: ready.args,
      class: ready.class,
      decision: { outcome: 'allow', rule: null, by: `mode:${session.policy.mode}` },
      sandbox: { kind: session.sandbox, network: session.network },
      ...(ready.resolvedFrom === null ? {} : { resolved_from: ready.resolvedFrom }),
    });
    appended.acknowledged.catch(() => {});
    if (first !== null) return done(first);
    const verdict = await ctx.taskDone(ready.args, siblings);
    if (verdict.accepted) {
      return done(succeeded(verdict.text));
    }
    return done(failed(verdict.errorKind ?? 'completion_refused', verdict.text));
  } catch (error) {
    return done(defect(dispatcher, ready, error));
  }
}
