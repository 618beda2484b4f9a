import type { Io } from '../io.ts';
import { checkFlags, overridesOf } from '../overrides.ts';
import { prepareConfig } from '../prepare.ts';
import { readTask } from '../read-task.ts';
import type { RunFlags } from '../run-flags.ts';
import { isInteractive, runSession } from '../run-session.ts';

/** `toolwright run [TASK]`: one task to its end. */
export async function runCommand(
  io: Io,
  argument: string | undefined,
  flags: RunFlags,
): Promise<number> {
  checkFlags(flags);
  const task = await readTask({ argument, file: flags.file, stdin: io.stdin });
  const { workspace, config } = await prepareConfig(io, {
    workingDir: flags.workingDir,
    overrides: overridesOf(flags),
    interactive: isInteractive(io, flags),
  });
  const setup = {
    flags,
    config,
    workspace,
    ...(flags.session === undefined ? {} : { sessionId: flags.session }),
  };
  return runSession(io, setup, (agent) => agent.run(task));
}
