import type { ToolContext } from '../types.ts';
import type { Failure } from './command-result.ts';

/** After a command: what it did to protected paths is undone, told, and audited. Null when all is well. */
export async function checkProtectedPaths(ctx: ToolContext, tool: string): Promise<Failure | null> {
  const { environment, audit, paths } = ctx.session;
  const moved = await environment.checkProtected();
  if (moved.length === 0) return null;
  await audit.write({
    run_id: ctx.runId,
    step: ctx.step,
    call_id: ctx.callId,
    actor: 'policy',
    event: 'file',
    tool,
    decision: 'quarantine',
    paths: moved.map((name) => ({ logical: name, resolved: `${paths.state}/quarantine` })),
    error_kind: 'path_denied',
  });
  return {
    kind: 'path_denied',
    message: `the command changed protected paths without approval; they were put back as before: ${moved.join(', ')}`,
  };
}
