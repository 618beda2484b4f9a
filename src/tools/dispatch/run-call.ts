import { isToolFailure } from '../../errors.ts';
import { endGrant } from '../../permissions/grants.ts';
import { isActing, leavesTheDisk } from '../permission-class.ts';
import type { ExecutorContext, SpillWriter, ToolOutput } from '../types.ts';
import { createCallTimer } from './call-timer.ts';
import { type Dispatcher, scopeOf } from './dispatcher.ts';
import { createLiveOutput, type LiveOutput } from './live-output.ts';
import { expectedFailure, failed, type Outcome, returned } from './outcome.ts';
import type { Allowed } from './permit.ts';
import type { ReadyCall } from './prepare.ts';
import { titleOf } from './title.ts';
import { openContext } from './tool-context.ts';

export interface RunResult {
  readonly outcome: Outcome;
  readonly durationMs: number;
  readonly spill: SpillWriter | null;
}

/** Steps 8 and 9: locks, intent record, run. Resolves with an outcome whatever the tool does. */
export async function runCall(
  dispatcher: Dispatcher,
  ctx: ExecutorContext,
  ready: ReadyCall,
  allowed: Allowed,
): Promise<RunResult> {
  const { clock } = dispatcher.session;
  const started = clock.now();
  const done = (outcome: Outcome, spill: SpillWriter | null = null): RunResult => ({
    outcome,
    spill,
    durationMs: Math.round(clock.now() - started),
  });
  let release: () => void;
  try {
    release = await dispatcher.locks.acquire(lockKeys(dispatcher, ready, allowed), ctx.signal);
  } catch (error) {
    if (ctx.signal.aborted) return done(failed('cancelled', 'cancelled by the user'));
    return done(expectedFailure(error) ?? defect(dispatcher, ready, error));
  }
  try {
    await recordStart(dispatcher, ctx, ready, allowed);
    const { outcome, spill } = await runTool(dispatcher, ctx, ready, allowed);
    return done(outcome, spill);
  } catch (error) {
    return done(expectedFailure(error) ?? defect(dispatcher, ready, error));
  } finally {
    endGrant(allowed.grant);
    release();
  }
}

/** Written files by real path; the shell of a session takes one command at a time. */
function lockKeys(dispatcher: Dispatcher, ready: ReadyCall, allowed: Allowed): string[] {
  const files = allowed.paths.list.flatMap((path, index) =>
    path.intent === 'write' && ready.class !== 'read'
      ? [allowed.paths.real[index] ?? path.absolute]
      : [],
  );
  if (ready.class !== 'shell') return files;
  const { sessionId, agentType } = dispatcher.session;
  return [...files, `the shell of ${agentType} in ${sessionId}`];
}

/** The intent record. An acting call waits until it is written, one that leaves this disk until it is synced. */
async function recordStart(
  dispatcher: Dispatcher,
  ctx: ExecutorContext,
  ready: ReadyCall,
  allowed: Allowed,
): Promise<void> {
  const { session } = dispatcher;
  const appended = session.log.append(scopeOf(ctx), 'tool_started', {
    call_id: ready.call.call_id,
    name: ready.tool.name,
    title: titleOf(ready, session.redactor),
    arguments: ready.args,
    class: ready.class,
    decision: { outcome: 'allow', ...allowed.decision },
    sandbox: { kind: session.sandbox, network: session.network },
    ...(ready.resolvedFrom === null ? {} : { resolved_from: ready.resolvedFrom }),
  });
  appended.acknowledged.catch(() => {});
  if (leavesTheDisk(ready.class)) await appended.acknowledged;
  else if (isActing(ready.class)) await appended.written;
}

async function runTool(
  dispatcher: Dispatcher,
  ctx: ExecutorContext,
  ready: ReadyCall,
  allowed: Allowed,
): Promise<{ outcome: Outcome; spill: SpillWriter | null }> {
  const { session } = dispatcher;
  const callId = ready.call.call_id;
  const timer = createCallTimer(ctx.signal, session.clock.now(), timeoutMs(ready), ctx.deadline);
  const live = createLiveOutput(session, scopeOf(ctx), callId);
  const opened = openContext(dispatcher, ctx, ready, allowed, timer, live);
  const running = start(() => ready.tool.run(ready.args, opened.context));
  const abandoned = timer.overdue.then(() => 'overdue' as const);
  try {
    const first = await Promise.race([running, abandoned]);
    if (first === 'overdue') {
      running.catch(() => {});
      session.environment.killCall(callId).catch(() => {});
      live.end();
      return { outcome: cutShort(timer.signal.reason, live), spill: opened.spill() };
    }
    live.end();
    return { outcome: await checkedOutput(dispatcher, ready, first), spill: opened.spill() };
  } catch (error) {
    live.end();
    const outcome = thrown(dispatcher, ready, error, timer.signal, live);
    return { outcome, spill: opened.spill() };
  } finally {
    timer.stop();
    live.end();
  }
}

/** A tool may throw before it returns its promise. */
async function start(run: () => Promise<ToolOutput>): Promise<ToolOutput> {
  return run();
}

function timeoutMs(ready: ReadyCall): number {
  const { timeout } = ready.tool;
  const asked = ready.args.timeout_seconds;
  const seconds =
    typeof asked === 'number' && asked > 0 ? Math.min(asked, timeout.max) : timeout.default;
  return seconds * 1000;
}

async function checkedOutput(
  dispatcher: Dispatcher,
  ready: ReadyCall,
  output: ToolOutput,
): Promise<Outcome> {
  const outcome = returned(output);
  if (outcome === null) return defect(dispatcher, ready, `${ready.tool.name} returned no text`);
  if (outcome.failure !== null || ready.tool.outputSchema === undefined) return outcome;
  const fault = await dispatcher.validator.outputFault(ready.tool, outcome.machine);
  if (fault === null) return outcome;
  return failed(
    'invalid_output',
    `the result of ${ready.tool.name} breaks its own schema: ${fault}`,
  );
}

function thrown(
  dispatcher: Dispatcher,
  ready: ReadyCall,
  error: unknown,
  signal: AbortSignal,
  live: LiveOutput,
): Outcome {
  const expected = expectedFailure(error);
  if (expected !== null) {
    const bare = expected.content === '' && signal.aborted;
    return bare ? { ...expected, content: live.partial() } : expected;
  }
  if (signal.aborted) return cutShort(signal.reason, live);
  return defect(dispatcher, ready, error);
}

function cutShort(reason: unknown, live: LiveOutput): Outcome {
  const kind = isToolFailure(reason) ? reason.kind : 'cancelled';
  const message = isToolFailure(reason) ? reason.message : 'cancelled by the user';
  return failed(kind, message, live.partial());
}

/** The stack goes to the diagnostics file; the model learns only that it was not its fault. */
export function defect(dispatcher: Dispatcher, ready: ReadyCall | null, error: unknown): Outcome {
  const name = ready?.tool.name ?? 'the dispatcher';
  dispatcher.diagnostics.defect(name, error);
  const failedLog = dispatcher.session.log.failed;
  if (failedLog !== null) {
    return failed(
      'internal_error',
      `the session log cannot be written, so nothing is run: ${failedLog.message}`,
    );
  }
  return failed(
    'internal_error',
    `${name} failed in a way it should not; details are in errors.log`,
  );
}
