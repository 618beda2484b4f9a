/** One run with everything around it: console, person, signals, output. */

import { resolve } from 'node:path';
import type { Agent } from '../agent/agent.ts';
import type { AgentExecution, AgentOptions } from '../agent/types.ts';
import type { LoadedConfig } from '../config/types.ts';
import type { CLIConsole } from '../console/types.ts';
import type { EventOf, SessionEvent } from '../session/events.ts';
import { sanitise } from '../session/sanitise.ts';
import { defaultTrajectoryPath } from '../session/trajectory-writer.ts';
import { exitCodeOfRun } from './exit-codes.ts';
import { hasPerson, type Io } from './io.ts';
import { jsonText } from './json-text.ts';
import { agentKind } from './overrides.ts';
import { readAnswerSchema } from './read-task.ts';
import {
  type PrintedResult,
  resultOfEvent,
  resultOfExecution,
  resultText,
} from './result-object.ts';
import type { RunFlags } from './run-flags.ts';
import { resumeCommand, summaryOf } from './run-summary.ts';
import { startedByLauncher, watchSignals } from './signals.ts';
import { terminalGate, terminalQuestions } from './terminal-gate.ts';

export interface RunSetup {
  readonly flags: RunFlags;
  readonly config: LoadedConfig;
  readonly workspace: string;
  readonly sessionId?: string;
}

/** A person answers questions, unless a program reads our output. */
export function isInteractive(io: Io, flags: RunFlags): boolean {
  return hasPerson(io) && (flags.outputFormat ?? 'text') === 'text';
}

/** Options of an Agent from flags. What flags set in the configuration is not repeated here. */
export async function agentOptions(
  io: Io,
  setup: RunSetup,
  console: CLIConsole,
): Promise<AgentOptions> {
  const { flags } = setup;
  const at = (path: string) => resolve(io.cwd, path);
  return {
    agentType: agentKind(flags),
    config: setup.config,
    workspace: setup.workspace,
    home: setup.config.home,
    console,
    trajectoryFile:
      flags.trajectoryFile === undefined ? defaultTrajectoryPath(io.cwd) : at(flags.trajectoryFile),
    ...(setup.sessionId === undefined ? {} : { sessionId: setup.sessionId }),
    ...(flags.record === undefined ? {} : { record: at(flags.record) }),
    ...(flags.mustPatch === true ? { mustPatch: true } : {}),
    ...(flags.patchPath === undefined ? {} : { patchPath: at(flags.patchPath) }),
    ...(flags.answerSchema === undefined
      ? {}
      : {
          answerSchema: (await readAnswerSchema(at(flags.answerSchema))) as NonNullable<
            AgentOptions['answerSchema']
          >,
        }),
    ...(isInteractive(io, flags)
      ? { permissionGate: terminalGate(console), questionHandler: terminalQuestions(console) }
      : {}),
  };
}

export async function openConsole(
  io: Io,
  flags: RunFlags,
  fallback: 'simple' | 'rich',
): Promise<CLIConsole> {
  const { createConsole } = await import('../console/index.ts');
  const plain = (flags.outputFormat ?? 'text') !== 'text';
  return createConsole({
    type: plain ? 'simple' : (flags.consoleType ?? fallback),
    stdin: io.stdin,
    stderr: io.stderr,
    env: io.env,
  });
}

/** Runs one task and prints its result. Returns the exit code; throws what was wrong before a run existed. */
export async function runSession(
  io: Io,
  setup: RunSetup,
  begin: (agent: Agent) => Promise<AgentExecution>,
): Promise<number> {
  setup.config.resolveModel(agentKind(setup.flags));
  const [{ Agent: AgentClass }, console] = await Promise.all([
    import('../agent/agent.ts'),
    openConsole(io, setup.flags, 'simple'),
  ]);
  const agent = new AgentClass(await agentOptions(io, setup, console));
  const output = new ResultOutput(io, setup.flags.outputFormat ?? 'text');
  agent.on((event) => output.onEvent(event));
  const signals = watchSignals(
    {
      cancel: (signal) => {
        console.print(`${signal}: ending the run …`);
        void agent.cancel();
      },
      kill: () => agent.close(),
    },
    startedByLauncher(io.env),
  );
  try {
    const execution = await begin(agent);
    await console.stop();
    await agent.close();
    console.printSummary(summaryOf(execution));
    if (!execution.success)
      io.stderr.write(`Resume with: ${resumeCommand(execution.session_id, setup.flags)}\n`);
    output.finish(execution, setup.flags.patchPath);
    return exitCodeOfRun(execution.stop_reason, signals.received);
  } finally {
    signals.stop();
    await console.stop();
    await agent.close();
  }
}

/** What programs read: nothing but the final text, one object, or a line for each event with `result` last. */
class ResultOutput {
  readonly #io: Io;
  readonly #format: NonNullable<RunFlags['outputFormat']>;
  #result: EventOf<'result'> | null = null;

  constructor(io: Io, format: NonNullable<RunFlags['outputFormat']>) {
    this.#io = io;
    this.#format = format;
  }

  onEvent(event: SessionEvent): void {
    if (event.type === 'result') this.#result = event;
    else if (this.#format === 'stream-json') this.#line(event);
  }

  finish(execution: AgentExecution, patchPath: string | undefined): void {
    if (this.#format === 'text') {
      const text = resultText(execution);
      if (text !== null) this.#io.stdout.write(`${sanitise(text)}\n`);
    } else if (this.#format === 'json') {
      this.#line(this.#object(execution, patchPath));
    } else {
      this.#line(this.#result ?? this.#object(execution, patchPath));
    }
  }

  #object(execution: AgentExecution, patchPath: string | undefined): PrintedResult {
    if (this.#result !== null) return resultOfEvent(this.#result);
    return resultOfExecution(execution, patchPath);
  }

  #line(value: object): void {
    this.#io.stdout.write(`${jsonText(value)}\n`);
  }
}
