/**
 * The result a call gets that the program's end left without one (agent.md 2.10). Nothing is run again.
 */
import type { DurablePayloads } from './events.ts';
import type { OpenCall } from './session-state.ts';

const UNKNOWN = 'the program ended while this ran; outcome unknown, check before repeating';
const NEVER_STARTED = 'never started: the program ended before this call ran';

/** To be appended as `tool_finished`, in call order, before the conversation is used again. */
export function interruptedCall(open: OpenCall): DurablePayloads['tool_finished'] {
  const message = open.started ? UNKNOWN : NEVER_STARTED;
  return {
    call_id: open.call.call_id,
    name: open.call.name,
    success: false,
    result: null,
    error: message,
    id: open.call.id,
    error_kind: 'interrupted',
    metadata: {},
    duration_ms: 0,
    spill: null,
    files_changed: [],
    model_text: `ERROR interrupted: ${message}`,
  };
}
