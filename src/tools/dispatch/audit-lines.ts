import { sortedJson } from '../../permissions/digest.ts';
import type { Decision, PermissionRequest } from '../../permissions/types.ts';
import type { AuditEntry, AuditEventName } from '../../session/types.ts';
import type { PermissionClass } from '../../workspace/types.ts';
import { isActing } from '../permission-class.ts';
import type { ExecutorContext } from '../types.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { Outcome } from './outcome.ts';
import type { ReadyCall } from './prepare.ts';

const PREVIEW = 512;
const EVENT_OF_CLASS: Readonly<Record<PermissionClass, AuditEventName>> = {
  read: 'permission',
  state: 'permission',
  user: 'permission',
  write: 'file',
  shell: 'exec',
  python: 'exec',
  package: 'exec',
  network: 'net',
  mcp: 'mcp',
  config: 'config',
  agent: 'exec',
  review: 'review',
};

function common(dispatcher: Dispatcher, ctx: ExecutorContext, ready: ReadyCall) {
  const { session } = dispatcher;
  return {
    run_id: ctx.runId,
    step: ctx.step,
    call_id: ready.call.call_id,
    tool: ready.tool.name,
    class: ready.class,
    mode: session.policy.mode,
    sandbox: {
      kind: session.sandbox,
      network: session.network,
      uid: session.environment.capabilities.uid,
    },
    args_sha256: ready.argsSha256,
  };
}

const pathsOf = (request: PermissionRequest) =>
  request.paths.map((path, index) => ({
    logical: path.logical,
    resolved: request.realPaths[index] ?? path.absolute,
  }));

/** The decision, written before the action. For acting calls a line that cannot be written stops the call. */
export async function auditDecision(
  dispatcher: Dispatcher,
  ctx: ExecutorContext,
  ready: ReadyCall,
  request: PermissionRequest,
  decision: Pick<Decision, 'outcome' | 'rule' | 'scope'> & {
    readonly by: string;
    readonly errorKind?: string | null;
    readonly approvalId?: string;
  },
): Promise<void> {
  const written = dispatcher.session.audit.write({
    ...common(dispatcher, ctx, ready),
    actor: decision.approvalId === undefined ? 'policy' : 'user',
    event: decision.approvalId === undefined ? 'permission' : 'approval',
    decision: `${decision.outcome} (${decision.by})`,
    rule: decision.rule,
    scope: decision.scope,
    args_preview: sortedJson(ready.args).slice(0, PREVIEW),
    paths: pathsOf(request),
    error_kind: decision.errorKind ?? null,
    ...(decision.approvalId === undefined ? {} : { approval_id: decision.approvalId }),
  });
  if (isActing(ready.class)) await written;
  else written.catch(() => {});
}

/** What an acting call did, written after it. */
export function auditOutcome(
  dispatcher: Dispatcher,
  ctx: ExecutorContext,
  ready: ReadyCall,
  outcome: Outcome,
  durationMs: number,
): void {
  if (!isActing(ready.class)) return;
  const { metadata } = outcome;
  const [change] = outcome.filesChanged;
  const entry: AuditEntry = {
    ...common(dispatcher, ctx, ready),
    actor: 'model',
    event: EVENT_OF_CLASS[ready.class],
    decision: outcome.failure === null ? 'done' : 'failed',
    paths: outcome.filesChanged.map(({ path }) => ({ logical: path, resolved: path })),
    before_sha256: change?.before ?? null,
    after_sha256: change?.after ?? null,
    exit_code: typeof metadata.exit_code === 'number' ? metadata.exit_code : null,
    signal: typeof metadata.signal === 'string' ? metadata.signal : null,
    duration_ms: durationMs,
    bytes: Buffer.byteLength(outcome.content),
    error_kind: outcome.failure?.kind ?? null,
  };
  dispatcher.session.audit.write(entry).catch(() => {});
}
