import { resolveTarget } from '../../llm/target.ts';
import type { RunLimits } from '../../session/events.ts';
import { createRecorder } from '../../session/recording/recorder.ts';
import type { OpenSession } from '../open/open-session.ts';
import type { RunState } from '../run-state.ts';

/** Opens the recording with the first run of a session, when one was asked for and the model is ours to record. Throws
 * ConfigError when the file cannot be made. */
export function openRecorder(
  session: OpenSession,
  run: { readonly state: RunState; readonly limits: RunLimits },
): void {
  const { options, model, files } = session;
  if (options.record === undefined || model.config === null || session.recorder !== null) return;
  const { profile } = resolveTarget(model.config, model.recorded);
  const recorder = createRecorder({
    file: options.record,
    header: {
      wire: profile.protocol,
      profile: profile.id,
      provider: model.client.provider,
      model: model.client.model,
      agent_type: session.definition.type,
      settings: {
        tools: run.state.offered.offered.map((tool) => tool.name),
        limits: { ...run.limits },
        permission_mode: session.tools.policy.mode,
        sandbox: session.sandbox.kind,
      },
      created: session.clock.date().toISOString(),
    },
    place: () => session.place,
    redactor: session.redactor,
    onFault: (message) =>
      files.log.append({ run_id: null }, 'warning', { code: 'recording_failed', message }),
  });
  session.recorder = recorder;
  files.log.subscribe((event) => recorder.onEvent(event));
}
