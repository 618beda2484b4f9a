import { homeDirectory } from '../../config/files.ts';
import { latestSession } from '../../session/latest-session.ts';
import { sessionPaths } from '../../session/paths.ts';
import { type ShownSession, showSession } from '../../session/store.ts';
import type { Io } from '../io.ts';
import { agentKind, checkFlags, overridesOf } from '../overrides.ts';
import { type Prepared, prepareConfig } from '../prepare.ts';
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
  if (task === null && finished && !interactive) throw nothingToResume(sessionId, stored);
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
  const setup = { ...(await prepareModel(io, same, stored, interactive)), sessionId };
  return runSession(io, setup, (agent) => (task === null ? agent.resume() : agent.run(task)));
}

/** The configuration's model; where it has none, the one the session was last run with. */
async function prepareModel(
  io: Io,
  flags: RunFlags,
  { state }: ShownSession,
  interactive: boolean,
): Promise<Prepared & { readonly flags: RunFlags }> {
  const prepare = (chosen: RunFlags) =>
    prepareConfig(io, {
      workingDir: chosen.workingDir,
      overrides: overridesOf(chosen),
      interactive,
    });
  const prepared = await prepare(flags);
  if (hasModel(prepared, flags) || state.provider === null || state.model === null)
    return { ...prepared, flags };
  const again = { provider: state.provider, model: state.model, ...flags };
  return { ...(await prepare(again)), flags: again };
}

function hasModel({ config }: Prepared, flags: RunFlags): boolean {
  if (flags.model !== undefined) return true;
  try {
    config.resolveModel(agentKind(flags));
    return true;
  } catch {
    return false;
  }
}

async function taskOf(
  io: Io,
  argument: string | undefined,
  flags: RunFlags,
): Promise<string | null> {
  if (argument === undefined && flags.file === undefined) return null;
  return readTask({ argument, file: flags.file, stdin: io.stdin });
}

function nothingToResume(sessionId: string, { state }: ShownSession): Error {
  const why =
    state.tasks.length === 0
      ? `Session ${sessionId} has nothing to resume`
      : `The last task of ${sessionId} is finished`;
  return usageError(`${why}: give a new task, toolwright resume ${sessionId} "TASK".`);
}

/** A session without any task, or whose last one succeeded. */
function isFinished(stored: ShownSession): boolean {
  return stored.state.tasks.at(-1)?.success ?? true;
}
