import { AgentBusyError, ConfigError } from '../errors.ts';
import type { SessionEvent } from '../session/events.ts';
import { newMessageId } from '../session/ids.ts';
import { findAgentType } from './agent-types.ts';
import { closeSession } from './close-session.ts';
import { startConsole } from './console-guard.ts';
import { defineAgent } from './define-agent.ts';
import { EventQueue } from './event-queue.ts';
import type { SteerMode } from './message-queue.ts';
import { type OpenSession, openSession } from './open/open-session.ts';
import { prepareRun, type RunRequest } from './run/prepare-run.ts';
import { resumedRunOf } from './run/resumed-run.ts';
import { runTask } from './run/run-task.ts';
import { compactNow, switchModel, switchPermissionMode } from './session-commands.ts';
import { permissionMode } from './start-checks.ts';
import type {
  AgentDefinition,
  AgentEventListener,
  AgentExecution,
  AgentOptions,
  RunOptions,
} from './types.ts';

interface ActiveRun {
  readonly controller: AbortController;
  readonly ended: Promise<unknown>;
}

/** A task to run; null goes on with the last one. */
interface NextTask {
  readonly task: string | null;
  readonly options: RunOptions;
  readonly messageId?: string;
}

/**
 * Entry class of the library: one Agent is one session. It looks the kind up, wires model, tools, log and gates, and
 * runs one task at a time. The constructor does no input or output and throws ConfigError for bad options.
 */
export class Agent {
  private readonly options: AgentOptions;
  private readonly definition: AgentDefinition;
  private readonly listeners = new Set<AgentEventListener>();
  private readonly unsubscribe = new Map<AgentEventListener, () => void>();
  private opening: Promise<OpenSession> | null = null;
  private session: OpenSession | null = null;
  private active: ActiveRun | null = null;
  private closing: Promise<void> | null = null;
  private readonly followUps: { readonly messageId: string; readonly text: string }[] = [];

  constructor(options: AgentOptions = {}) {
    const { agentType = 'coding' } = options;
    this.options = options;
    this.definition =
      typeof agentType === 'string' ? findAgentType(agentType) : defineAgent(agentType);
    if (options.permissionMode !== undefined) permissionMode(options.permissionMode);
  }

  /** Null before the session is open. */
  get sessionId(): string | null {
    return this.session?.sessionId ?? this.options.sessionId ?? null;
  }

  /**
   * Runs one task to its end. Resolves for every outcome of a run; rejects only before a run exists: ConfigError,
   * SessionLockedError, AgentBusyError.
   */
  async run(task: string, options: RunOptions = {}): Promise<AgentExecution> {
    if (task.trim() === '') throw new ConfigError('The task is empty; say what to do.');
    return this.runOne({ task, options });
  }

  /** Goes on with the last task when it was interrupted or not successful; with a task it starts a new one. */
  async resume(task?: string, options: RunOptions = {}): Promise<AgentExecution> {
    return task === undefined ? this.runOne({ task: null, options }) : this.run(task, options);
  }

  /** Events of one task, `result` last. Breaking out cancels the run. */
  async *stream(task: string, options: RunOptions = {}): AsyncGenerator<SessionEvent> {
    const queue = new EventQueue<SessionEvent>();
    const off = this.on((event) => queue.push(event));
    const running = this.run(task, options).then(
      () => queue.end(),
      (error: unknown) => queue.fail(error),
    );
    try {
      yield* queue;
    } finally {
      off();
      await this.cancel();
      await running;
    }
  }

  /** Events of all tasks. A listener that throws is removed with a `warning`. Returns the way to stop. */
  on(listener: AgentEventListener): () => void {
    this.listeners.add(listener);
    const log = this.session?.files.log;
    if (log !== undefined) this.unsubscribe.set(listener, log.subscribe(listener));
    return () => {
      this.listeners.delete(listener);
      this.unsubscribe.get(listener)?.();
    };
  }

  /** A message into the running task (or, when none runs, the next one). */
  steer(text: string, options: { readonly mode?: SteerMode } = {}): void {
    const mode = options.mode ?? 'after_step';
    const messageId = newMessageId();
    this.whenOpen((session) => {
      session.files.log.append(this.scope, 'steer_queued', { message_id: messageId, text, mode });
      session.queue.push({ messageId, text, mode });
    });
  }

  /** Becomes the next task, as soon as the running one has succeeded. */
  followUp(text: string): void {
    const messageId = newMessageId();
    this.followUps.push({ messageId, text });
    this.whenOpen(({ files }) =>
      files.log.append(this.scope, 'steer_queued', {
        message_id: messageId,
        text,
        mode: 'follow_up',
      }),
    );
  }

  /** Ends the running task; resolves when it has ended. */
  async cancel(): Promise<void> {
    const { active } = this;
    active?.controller.abort('cancelled');
    await active?.ended;
  }

  /** New conversation in the same session; the log keeps the old one. */
  async clear(): Promise<void> {
    const session = await this.idleSession();
    session.files.log.append({ run_id: null }, 'history_cleared', {});
    session.conversation.replace([]);
  }

  /** Makes the conversation smaller now. Tokens before and after; equal when nothing could be done. */
  async compact(focus?: string): Promise<{ readonly before: number; readonly after: number }> {
    return this.exclusive((session, controller) => compactNow(session, controller, focus ?? null));
  }

  /** From the next task on: a key of `models`, or a model id of the same provider. */
  async setModel(name: string): Promise<void> {
    switchModel(await this.idleSession(), name);
  }

  async setPermissionMode(mode: string): Promise<void> {
    switchPermissionMode(await this.idleSession(), permissionMode(mode));
  }

  /** Ends everything the Agent owns. Idempotent. */
  close(): Promise<void> {
    this.closing ??= this.closeAll();
    return this.closing;
  }

  private async closeAll(): Promise<void> {
    await this.cancel();
    const session = await this.opening?.catch(() => null);
    if (session != null) await closeSession(session);
  }

  private get scope() {
    return { run_id: null };
  }

  private whenOpen(act: (session: OpenSession) => void): void {
    if (this.session !== null) act(this.session);
    else this.opening?.then(act, () => undefined);
    if (this.opening === null) void this.open().then(act, () => undefined);
  }

  private async idleSession(): Promise<OpenSession> {
    if (this.active !== null) throw new AgentBusyError('A task is running; cancel it or wait.');
    return this.open();
  }

  /** `run` is checked when it opens the session: what is wrong with it is found before anything is made. */
  private open(run: RunOptions = {}): Promise<OpenSession> {
    if (this.closing !== null) throw new ConfigError('The Agent is closed; make a new one.');
    this.opening ??= this.openFirst(run).catch((error: unknown) => {
      this.opening = null;
      throw error;
    });
    return this.opening;
  }

  private async openFirst(run: RunOptions): Promise<OpenSession> {
    this.session = await openSession(this.options, this.definition, run, (log) => {
      if (this.options.console !== undefined) startConsole(this.options.console, log);
      for (const listener of this.listeners)
        this.unsubscribe.set(listener, log.subscribe(listener));
    });
    for (const { mode, message_id, text } of this.session.restored.queued_messages)
      if (mode === 'follow_up') this.followUps.push({ messageId: message_id, text });
    return this.session;
  }

  private async runOne({ task, options, messageId }: NextTask): Promise<AgentExecution> {
    const execution = await this.exclusive(async (session, controller) => {
      const resumed = task === null ? resumedRunOf(await session.files.log.events()) : null;
      const text = task ?? resumed?.task ?? '';
      const id = messageId === undefined ? {} : { messageId };
      const request: RunRequest = { task: text, options, controller, resumed, ...id };
      return runTask(session, await prepareRun(session, request));
    }, options);
    this.startFollowUp(execution, options);
    return execution;
  }

  private startFollowUp(execution: AgentExecution, options: RunOptions): void {
    if (!execution.success || this.closing !== null) return;
    const next = this.followUps.shift();
    if (next === undefined) return;
    const { text: task, messageId } = next;
    void this.runOne({ task, options, messageId }).catch(() => undefined);
  }

  /** One piece of work at a time, with a signal that the options' and the Agent's signals abort. */
  private async exclusive<T>(
    work: (session: OpenSession, controller: AbortController) => Promise<T>,
    options: RunOptions = {},
  ): Promise<T> {
    if (this.active !== null) throw new AgentBusyError('A task is running; cancel it or wait.');
    const controller = new AbortController();
    const done = Promise.withResolvers<void>();
    this.active = { controller, ended: done.promise };
    const cancel = () => controller.abort('cancelled');
    const signals = [options.signal, this.options.signal].filter((one) => one !== undefined);
    for (const one of signals) {
      if (one.aborted) cancel();
      one.addEventListener('abort', cancel, { once: true });
    }
    try {
      return await work(await this.open(options), controller);
    } finally {
      for (const one of signals) one.removeEventListener('abort', cancel);
      this.active = null;
      done.resolve();
    }
  }
}
