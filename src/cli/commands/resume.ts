import { homeDirectory } from '../../config/files.ts';
import { latestSession } from '../../session/latest-session.ts';
import { sessionPaths } from '../../session/paths.ts';
import { type ShownSession, showSession } from '../../session/store.ts';
import type { Io } from '../io.ts';
import { checkFlags, overridesOf } from '../overrides.ts';
import { prepareConfig } from '../prepare.ts';
import { readTask } from '../read-task.ts';
import type { RunFlags } from '../run-flags.ts';
import { isInteractive, runSession } from '../run-session.ts';
import { usageError } from '../usage-error.ts';

/**
 * `toolwright resume [SESSION] [TASK]`: goes on with an unfinished task, or does a new one in the same conversation.
 * After a success without TASK: a chat on a terminal, else exit 2.
 */
export async function resumeCommand(
  io: Io,
  session: string | undefined,
  argument: string | undefined,
  flags: RunFlags,
): Promise<number> {
  checkFlags(flags);
  const home = homeDirectory(io.env);
  const sessionId = session ?? (await latestSession(home));
  if (sessionId === null)
    throw usageError('There is no session to resume: start one with toolwright run "TASK".');
  const stored = await showSession(sessionPaths(home, sessionId));
  const task = await taskOf(io, argument, flags);
  const interactive = isInteractive(io, flags);
  const finished = isFinished(stored);
  if (task === null && finished && !interactive)
    throw usageError(
      `The last task of ${sessionId} is done: give a new one, toolwright resume ${sessionId} "TASK".`,
    );
  const workspace = stored.state.started?.workspace;
  const kind = flags.agentType ?? stored.state.started?.agent_type;
  const same: RunFlags = {
    ...flags,
    session: sessionId,
    ...(workspace === undefined ? {} : { workingDir: workspace }),
    ...(kind === undefined ? {} : { agentType: kind }),
  };
  if (task === null && finished) {
    const { chatCommand } = await import('./chat.ts');
    return chatCommand(io, same);
  }
  const prepared = await prepareConfig(io, {
    workingDir: same.workingDir,
    overrides: overridesOf(same),
    interactive,
  });
  const setup = { flags: same, ...prepared, sessionId };
  return runSession(io, setup, (agent) => (task === null ? agent.resume() : agent.run(task)));
}

async function taskOf(
  io: Io,
  argument: string | undefined,
  flags: RunFlags,
): Promise<string | null> {
  if (argument === undefined && flags.file === undefined) return null;
  return readTask({ argument, file: flags.file, stdin: io.stdin });
}

/** A session without any task, or whose last one succeeded. */
function isFinished(stored: ShownSession): boolean {
  return stored.state.tasks.at(-1)?.success ?? true;
}
