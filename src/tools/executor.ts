import { createApprovals } from '../permissions/approvals.ts';
import type { ToolResultRecord } from '../session/events.ts';
import type { ToolCall } from '../session/types.ts';
import { TASK_DONE } from './basic/task-done.ts';
import { createDiagnostics } from './dispatch/diagnostics.ts';
import type { Dispatcher } from './dispatch/dispatcher.ts';
import { type EndedCall, finishCall } from './dispatch/finish-call.ts';
import { groupCalls, runAtMost } from './dispatch/groups.ts';
import { createMalformedCounts } from './dispatch/malformed.ts';
import { expectedFailure, failed, type Outcome } from './dispatch/outcome.ts';
import { type Denied, permit } from './dispatch/permit.ts';
import { type Prepared, prepareCall, type ReadyCall } from './dispatch/prepare.ts';
import { defect, runCall } from './dispatch/run-call.ts';
import { completeTask } from './dispatch/task-completion.ts';
import { type Locks, processLocks } from './locks.ts';
import type {
  ExecutedCall,
  ExecutorContext,
  OfferedList,
  ToolExecutor,
  ToolSession,
} from './types.ts';
import { createValidator, type Validator } from './validate.ts';
import { stripAnnotations } from './wire-tools.ts';

export interface ExecutorOptions {
  readonly session: ToolSession;
  readonly offered: OfferedList;
  readonly validator?: Validator;
  readonly locks?: Locks;
  /** Tools with `onClose` work; the session's own list, run in reverse order by `closeTools`. */
  readonly closers?: readonly (() => Promise<void>)[];
}

const AT_ONCE = 8;
const SCHEMA_CHARS = 2000;
const CLOSE_MS = 10_000;

interface Entry {
  readonly call: ToolCall;
  readonly prepared: Prepared;
  executed: ExecutedCall | null;
}

/** Mutable facts of one reply. */
interface Reply {
  readonly ctx: ExecutorContext;
  /** A person refused without a note: nothing more starts. */
  refused: boolean;
}

export function createExecutor(options: ExecutorOptions): ToolExecutor {
  const { session } = options;
  const dispatcher: Dispatcher = {
    session,
    offered: options.offered,
    validator: options.validator ?? createValidator(),
    locks: options.locks ?? processLocks,
    approvals: createApprovals(() => session.clock.now()),
    malformed: createMalformedCounts(),
    diagnostics: createDiagnostics(session.paths.state, session.redactor),
  };
  return {
    execute: (calls, ctx) => executeReply(dispatcher, calls, ctx),
    closeTools: () => closeAll(dispatcher, options.closers ?? []),
  };
}

async function executeReply(
  dispatcher: Dispatcher,
  calls: readonly ToolCall[],
  ctx: ExecutorContext,
): Promise<ExecutedCall[]> {
  const reply: Reply = { ctx, refused: false };
  const entries: Entry[] = [];
  for (const call of calls) {
    entries.push({ call, prepared: await prepareSafely(dispatcher, call), executed: null });
  }
  const isDone = (entry: Entry) => entry.prepared.ready?.tool.name === TASK_DONE;
  const siblings = entries.filter((entry) => !isDone(entry));
  for (const group of groupCalls(siblings, ctx.serial)) await runGroup(dispatcher, reply, group);
  await runCompletions(dispatcher, reply, entries.filter(isDone), siblings);
  return entries.flatMap((entry) => entry.executed ?? []);
}

async function prepareSafely(dispatcher: Dispatcher, call: ToolCall): Promise<Prepared> {
  try {
    return await prepareCall(dispatcher, call);
  } catch (error) {
    const found = dispatcher.offered.find(call.name);
    const outcome = defect(dispatcher, null, error);
    return { malformed: { call, tool: found?.tool ?? null, deferred: false, outcome } };
  }
}

/** Why a call that has not started does not start, or null. */
function stopOutcome(dispatcher: Dispatcher, reply: Reply): Outcome | null {
  const { ctx } = reply;
  if (ctx.signal.aborted) {
    return failed(
      'cancelled',
      'cancelled by the user, not a failure of the tool; it was not started',
    );
  }
  if (ctx.deadline !== null && dispatcher.session.clock.now() >= ctx.deadline) {
    return failed('cancelled', 'the time of the run is over; it was not started');
  }
  if (reply.refused) return failed('skipped', 'not run, because the user refused another call');
  if (ctx.stopBefore?.() === 'skipped')
    return failed('skipped', 'not run, because the user wrote something new');
  return null;
}

async function runGroup(
  dispatcher: Dispatcher,
  reply: Reply,
  group: readonly Entry[],
): Promise<void> {
  const open: Entry[] = [];
  for (const entry of group) {
    if (!(await answeredBefore(dispatcher, reply, entry, group.length > 1))) open.push(entry);
  }
  // Permission is checked again at each start, one at a time, so that no two questions stand at once.
  let turn: Promise<unknown> = Promise.resolve();
  const tasks = open.map((entry) => async () => {
    const mine = turn.then(() => startable(dispatcher, reply, entry));
    turn = mine;
    const start = await mine;
    if (start !== null) await start();
  });
  await runAtMost(AT_ONCE, tasks);
}

/** Malformed, stopped, guarded and (for a group) refused calls get their result before anything of the group runs. */
async function answeredBefore(
  dispatcher: Dispatcher,
  reply: Reply,
  entry: Entry,
  askFirst: boolean,
): Promise<boolean> {
  const { ready } = entry.prepared;
  if (ready === undefined) {
    await finishMalformed(dispatcher, reply, entry);
    return true;
  }
  dispatcher.malformed.reset(reply.ctx.runId, ready.tool.name);
  const stop = stopOutcome(dispatcher, reply) ?? guardOutcome(reply, ready);
  if (stop !== null) {
    await finishUnstarted(dispatcher, reply, entry, ready, {
      outcome: stop,
      denial: null,
      plain: false,
    });
    return true;
  }
  if (!askFirst) return false;
  const denied = await permitSafely(dispatcher, reply, ready, false);
  if (!('denied' in denied)) return false;
  await finishUnstarted(dispatcher, reply, entry, ready, denied.denied);
  return true;
}

function guardOutcome(reply: Reply, ready: ReadyCall): Outcome | null {
  const verdict = reply.ctx.guard?.(ready.tool.name, { ...ready.args } as ToolCall['arguments']);
  const refusal = verdict?.refuse ?? null;
  return refusal === null ? null : failed('repeated_call', refusal);
}

type Start = () => Promise<void>;

/** Asks for permission; null when the call was answered instead. */
async function startable(
  dispatcher: Dispatcher,
  reply: Reply,
  entry: Entry,
): Promise<Start | null> {
  const { ready } = entry.prepared;
  if (ready === undefined) return null;
  const stop = stopOutcome(dispatcher, reply);
  const result =
    stop === null
      ? await permitSafely(dispatcher, reply, ready, true)
      : { denied: { outcome: stop, denial: null, plain: false } };
  if ('denied' in result) {
    await finishUnstarted(dispatcher, reply, entry, ready, result.denied);
    return null;
  }
  const { allowed } = result;
  return async () => {
    const run = await runCall(dispatcher, reply.ctx, ready, allowed);
    entry.executed = await finishCall(dispatcher, reply.ctx, {
      ...base(ready),
      ...run,
      started: true,
    });
  };
}

async function permitSafely(
  dispatcher: Dispatcher,
  reply: Reply,
  ready: ReadyCall,
  use: boolean,
): Promise<
  { denied: Denied } | { allowed: NonNullable<Awaited<ReturnType<typeof permit>>['allowed']> }
> {
  try {
    const result = await permit(dispatcher, reply.ctx, ready, reply.ctx.signal, use);
    return result.denied === undefined ? { allowed: result.allowed } : { denied: result.denied };
  } catch (error) {
    const outcome = reply.ctx.signal.aborted
      ? failed('cancelled', 'cancelled by the user, not a failure of the tool; it was not started')
      : (expectedFailure(error) ?? defect(dispatcher, ready, error));
    return { denied: { outcome, denial: null, plain: false } };
  }
}

function base(ready: ReadyCall): Omit<EndedCall, 'outcome' | 'started'> {
  return {
    call: ready.call,
    tool: ready.tool,
    ready,
    durationMs: 0,
    spill: null,
    appendix: null,
    denial: null,
    plainRefusal: false,
    argsSha256: ready.argsSha256,
  };
}

async function finishUnstarted(
  dispatcher: Dispatcher,
  reply: Reply,
  entry: Entry,
  ready: ReadyCall,
  denied: Denied,
): Promise<void> {
  if (denied.plain) reply.refused = true;
  entry.executed = await finishCall(dispatcher, reply.ctx, {
    ...base(ready),
    outcome: denied.outcome,
    denial: denied.denial,
    plainRefusal: denied.plain,
    started: false,
  });
}

/** From the second malformed call of a tool on the result carries its schema; for a deferred tool always. */
async function finishMalformed(dispatcher: Dispatcher, reply: Reply, entry: Entry): Promise<void> {
  const { malformed } = entry.prepared;
  if (malformed === undefined) return;
  const { tool, call, deferred, outcome } = malformed;
  const count = dispatcher.malformed.add(reply.ctx.runId, tool?.name ?? call.raw_name);
  const schema =
    tool !== null && (deferred || count > 1) ? schemaText(tool.name, tool.parameters) : null;
  entry.executed = await finishCall(dispatcher, reply.ctx, {
    call,
    tool,
    ready: null,
    outcome,
    durationMs: 0,
    spill: null,
    appendix: schema,
    denial: null,
    plainRefusal: false,
    argsSha256: '',
    started: false,
  });
}

function schemaText(name: string, parameters: ToolCall['arguments']): string {
  const text = JSON.stringify(stripAnnotations(parameters));
  return `schema of ${name}: ${text.length > SCHEMA_CHARS ? `${text.slice(0, SCHEMA_CHARS)}...` : text}`;
}

/** After all siblings; a second `task_done` of the reply gets the result of the first. */
async function runCompletions(
  dispatcher: Dispatcher,
  reply: Reply,
  completions: readonly Entry[],
  siblings: readonly Entry[],
): Promise<void> {
  const records = siblings.flatMap((entry): ToolResultRecord[] =>
    entry.executed === null ? [] : [entry.executed.result],
  );
  let first: Outcome | null = null;
  for (const entry of completions) {
    const { ready } = entry.prepared;
    if (ready === undefined) continue;
    const stop = first === null ? stopOutcome(dispatcher, reply) : null;
    if (stop !== null) {
      await finishUnstarted(dispatcher, reply, entry, ready, {
        outcome: stop,
        denial: null,
        plain: false,
      });
      continue;
    }
    const run = await completeTask(dispatcher, reply.ctx, ready, records, first);
    first = run.outcome;
    entry.executed = await finishCall(dispatcher, reply.ctx, {
      ...base(ready),
      ...run,
      started: true,
    });
  }
}

async function closeAll(
  dispatcher: Dispatcher,
  closers: readonly (() => Promise<void>)[],
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const close of [...closers].reverse()) {
    const late = new Promise<string>((resolve) => {
      setTimeout(() => resolve('did not close within 10 s'), CLOSE_MS).unref();
    });
    const result = await Promise.race([
      Promise.resolve()
        .then(close)
        .then(
          () => null,
          (error: unknown) => String(error),
        ),
      late,
    ]);
    if (result !== null) problems.push(result);
  }
  await dispatcher.diagnostics.flush();
  return problems;
}
