import { foldSession } from '../../session/fold.ts';
import { interruptedCall } from '../../session/interrupted-call.ts';
import type { OpenSession } from '../open/open-session.ts';
import { waitingCalls } from '../open/settle.ts';
import type { RunState } from '../run-state.ts';

/**
 * Calls that waited for a person when the program ended and never started: a resumed run asks again and goes on with
 * them; a new task gives them up. Either way each call has its one result before the next request.
 */
export async function goOnWithWaitingCalls(
  session: OpenSession,
  run: RunState,
  resumed: boolean,
): Promise<void> {
  const { log } = session.files;
  const state = foldSession(session.restored.open_calls.length === 0 ? [] : await log.events());
  const waiting = waitingCalls(state);
  if (waiting.length === 0) return;
  if (resumed) {
    await run.patch?.beforeActing();
    await run.executor.execute(
      waiting.map(({ call }) => call),
      {
        runId: run.runId,
        step: run.progress.nextSessionStep,
        signal: run.controller.signal,
        get deadline() {
          return run.budgets.deadline;
        },
        taskDone: async () => ({
          accepted: false,
          text: 'The program was interrupted before this; call task_done again.',
          errorKind: 'completion_refused',
        }),
        serial: !run.parallelCalls,
      },
    );
  } else
    for (const open of waiting)
      log.append({ run_id: open.run_id }, 'tool_finished', interruptedCall(open));
  run.conversation.replace(foldSession(await log.events()).messages);
}
