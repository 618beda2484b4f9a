import type { PermissionMode } from '../permissions/types.ts';
import type { OpenSession } from './open/open-session.ts';
import { openModel, resolveByName } from './open/session-model.ts';
import { runLimits } from './open/settings.ts';
import { prepareRun } from './run/prepare-run.ts';
import { checkPrice, permissionModeFor, safetyRequest } from './start-checks.ts';

/** Another model from the next task on. Throws ConfigError when it cannot be used, or its price is unknown under a cost limit. */
export function switchModel(session: OpenSession, name: string): void {
  const { config, definition, options, files } = session;
  const next = openModel(resolveByName(config, definition.type, name), {
    redactor: session.redactor,
    place: () => session.place,
    onExchange:
      options.record === undefined ? null : (exchange) => session.recorder?.onExchange(exchange),
    onDivergence: (message) =>
      files.log.append({ run_id: null }, 'warning', { code: 'replay_divergence', message }),
  });
  checkPrice(next.client, runLimits(config, definition, options.limits).max_cost, next.key);
  const before = session.model.client;
  session.model = next;
  files.log.append({ run_id: null }, 'model_changed', {
    from: before.model,
    to: next.client.model,
    by: 'user',
  });
  before.close();
}

/** Another mode from now on, within what the sandbox allows. Throws ConfigError. */
export function switchPermissionMode(session: OpenSession, mode: PermissionMode): void {
  const { options, config, sandbox, tools, files } = session;
  const request = { ...safetyRequest(options, config), mode };
  const allowed = permissionModeFor(request, sandbox);
  const from = tools.policy.mode;
  tools.policy.setMode(allowed);
  files.log.append({ run_id: null }, 'permission_mode_changed', { from, to: allowed, by: 'user' });
}

/** Makes the conversation smaller outside of any task. */
export async function compactNow(
  session: OpenSession,
  controller: AbortController,
  focus: string | null,
): Promise<{ readonly before: number; readonly after: number }> {
  const request = { task: '', options: {}, controller, resumed: null };
  const { state } = await prepareRun(session, request);
  const run = { ...state, scope: { run_id: null } };
  const before = run.context.tokens;
  await run.context.compact(run, 'user', focus);
  return { before, after: run.context.tokens };
}
