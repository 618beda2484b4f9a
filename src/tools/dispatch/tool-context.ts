import type { SpawnLimits } from '../../environment/types.ts';
import type {
  ExecutorContext,
  SpawnArgs,
  SpillWriter,
  ToolContext,
  ToolSession,
} from '../types.ts';
import type { CallTimer } from './call-timer.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { LiveOutput } from './live-output.ts';
import type { Allowed } from './permit.ts';
import type { ReadyCall } from './prepare.ts';
import { createSpill } from './spill.ts';

/** The context of one call, and the spill it may have opened. */
export interface OpenedContext {
  readonly context: ToolContext;
  spill(): SpillWriter | null;
}

export function openContext(
  dispatcher: Dispatcher,
  ctx: ExecutorContext,
  ready: ReadyCall,
  allowed: Allowed,
  timer: CallTimer,
  live: LiveOutput,
): OpenedContext {
  const { session } = dispatcher;
  const callId = ready.call.call_id;
  let spill: SpillWriter | null = null;
  const context: ToolContext = {
    session,
    runId: ctx.runId,
    step: ctx.step,
    callId,
    grant: allowed.grant,
    allowedBy: allowed.decision.by,
    files: session.files,
    resolver: session.resolver,
    paths: allowed.paths.named,
    resolve: (text, intent) => session.resolver.resolve(text, intent),
    signal: timer.signal,
    deadline: timer.deadline,
    emit: (stream, bytes) => live.emit(stream, bytes),
    spawn: (args) =>
      session.environment.spawn({
        ...args,
        callId,
        grant: allowed.grant,
        network: session.network,
        signal: timer.signal,
        limits: limitsOf(session, args),
      }),
    spill: () => (spill ??= createSpill(session, callId)),
    log: (message) => dispatcher.diagnostics.remark(ready.tool.name, message),
  };
  return { context, spill: () => spill };
}

/** A tool may ask for less than the session's limits, never for more; its time is its own (a shell outlives a call). */
function limitsOf(session: ToolSession, args: SpawnArgs): SpawnLimits {
  const { limits } = session;
  const asked = args.limits ?? {};
  const least = (own: number | undefined, most: number) => Math.min(own ?? most, most);
  return {
    ...(asked.timeoutMs === undefined ? {} : { timeoutMs: asked.timeoutMs }),
    memoryMib: least(asked.memoryMib, limits.memoryMib),
    processes: least(asked.processes, limits.processes),
    cpuSeconds: least(asked.cpuSeconds, limits.cpuSeconds),
    fileSizeMib: least(asked.fileSizeMib, limits.fileSizeMib),
    openFiles: least(asked.openFiles, limits.openFiles),
  };
}
