/** `toolwright chat`: each message is a task, on one conversation. */
import type { Agent } from '../../agent/agent.ts';
import type { AgentExecution } from '../../agent/types.ts';
import { turnLine } from '../../console/summary.ts';
import type { CLIConsole } from '../../console/types.ts';
import { isToolwrightError } from '../../errors.ts';
import { foldSession } from '../../session/fold.ts';
import { sessionPaths } from '../../session/paths.ts';
import { readEvents } from '../../session/read-log.ts';
import { sanitise } from '../../session/sanitise.ts';
import { NOTHING_SPENT, type Spent } from '../../session/session-usage.ts';
import { type ChatPlace, ChatState } from '../chat/chat-state.ts';
import { handleMessage } from '../chat/commands.ts';
import { messageSource } from '../chat/messages.ts';
import { EXIT } from '../exit-codes.ts';
import { hasPerson, type Io } from '../io.ts';
import { agentKind, checkFlags, overridesOf } from '../overrides.ts';
import { prepareConfig } from '../prepare.ts';
import { resultText } from '../result-object.ts';
import type { RunFlags } from '../run-flags.ts';
import { agentOptions, openConsole } from '../run-session.ts';
import { resumeCommand, summaryOf } from '../run-summary.ts';
import { type SignalWatch, startedByLauncher, watchSignals } from '../signals.ts';

export async function chatCommand(io: Io, flags: RunFlags): Promise<number> {
  checkFlags(flags);
  const { workspace, config } = await prepareConfig(io, {
    workingDir: flags.workingDir,
    overrides: overridesOf(flags),
    interactive: hasPerson(io),
  });
  config.resolveModel(agentKind(flags));
  const [{ Agent: AgentClass }, console] = await Promise.all([
    import('../../agent/agent.ts'),
    openConsole(io, flags, 'rich'),
  ]);
  const sessionId = flags.session;
  const setup = { flags, config, workspace, ...(sessionId === undefined ? {} : { sessionId }) };
  const agent = new AgentClass(await agentOptions(io, setup, console));
  const place: ChatPlace = {
    flags,
    workspace,
    agentType: agentKind(flags),
    sessionId: sessionId ?? null,
    earlier:
      sessionId === undefined ? NOTHING_SPENT : await earlierSpending(config.home, sessionId),
  };
  return new Chat(io, agent, console, new ChatState(place)).run();
}

/** What a session that is gone on with has used; nothing for a new one. */
async function earlierSpending(home: string, sessionId: string): Promise<Spent> {
  const { events } = await readEvents(sessionPaths(home, sessionId).events);
  return events.length === 0 ? NOTHING_SPENT : foldSession(events);
}

/** What the Ctrl-C of the moment means. */
type Phase = 'prompt' | 'turn';

class Chat {
  readonly #io: Io;
  readonly #agent: Agent;
  readonly #console: CLIConsole;
  readonly #state: ChatState;
  readonly #leave = new AbortController();
  readonly #signals: SignalWatch;
  #phase: Phase = 'prompt';
  #warned = false;
  #code: number = EXIT.completed;

  constructor(io: Io, agent: Agent, console: CLIConsole, state: ChatState) {
    this.#io = io;
    this.#agent = agent;
    this.#console = console;
    this.#state = state;
    agent.on((event) => state.onEvent(event));
    this.#signals = watchSignals(
      {
        cancel: (signal) => this.#onSignal(signal),
        kill: () => agent.close(),
      },
      startedByLauncher(io.env),
    );
  }

  async run(): Promise<number> {
    const messages = messageSource(this.#io, this.#console);
    this.#console.print('Say what to do. /help lists the commands, /exit leaves.');
    try {
      for (;;) {
        const text = await messages.next(this.#leave.signal);
        if (text === null || (await this.#take(text)) === 'leave') break;
      }
    } finally {
      messages.close();
      this.#signals.stop();
      await this.#console.stop();
      await this.#agent.close();
    }
    const { sessionId } = this.#state;
    if (sessionId !== null)
      this.#io.stderr.write(`Resume with: ${resumeCommand(sessionId, this.#state.flags)}\n`);
    return this.#code;
  }

  async #take(text: string): Promise<'stay' | 'leave'> {
    this.#warned = false;
    try {
      const input = await handleMessage(text, this.#agent, this.#state, (lines) =>
        this.#console.print(lines),
      );
      if (input.kind === 'leave') return 'leave';
      if (input.kind === 'task') await this.#turn(input.text);
    } catch (error) {
      if (!isToolwrightError(error)) throw error;
      this.#console.print(error.message);
    }
    return this.#leave.signal.aborted ? 'leave' : 'stay';
  }

  async #turn(task: string): Promise<void> {
    this.#phase = 'turn';
    const stopSteering = this.#console.onSteer((text) => {
      this.#agent.steer(text);
    });
    try {
      const execution = await this.#agent.run(task, { textReply: 'final' });
      this.#show(execution);
    } finally {
      stopSteering();
      this.#phase = 'prompt';
      this.#signals.reset();
    }
  }

  /** The answer once: the block of the last step shows a text reply already. A stdout that is no terminal gets it too. */
  #show(execution: AgentExecution): void {
    const text = resultText(execution);
    const last = execution.steps.at(-1)?.llm_response?.content ?? '';
    if (this.#io.stdout.isTTY !== true) {
      if (text !== null) this.#io.stdout.write(`${sanitise(text)}\n`);
    } else if (text !== null && text.trim() !== last.trim()) {
      this.#console.print(text);
    }
    const summary = summaryOf(execution);
    if (execution.success) this.#console.print(turnLine(summary));
    else this.#console.printSummary(summary);
  }

  /** Ctrl-C ends the turn; at the prompt the second one leaves. Other signals leave at once. */
  #onSignal(signal: string): void {
    if (signal !== 'SIGINT') this.#code = signal === 'SIGHUP' ? EXIT.hungUp : EXIT.terminated;
    if (this.#phase === 'turn') void this.#agent.cancel();
    if (this.#phase === 'turn' && signal === 'SIGINT') return;
    if (signal === 'SIGINT' && !this.#warned) {
      this.#warned = true;
      this.#signals.reset();
      this.#console.print('Press Ctrl-C again to leave.');
      return;
    }
    this.#leave.abort();
  }
}
