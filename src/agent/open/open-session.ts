import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { loadConfig } from '../../config/load.ts';
import { secretsOfEnvironmentFile } from '../../config/secrets.ts';
import { folderTrust } from '../../config/trust.ts';
import type { LoadedConfig } from '../../config/types.ts';
import { type ChosenSandbox, chooseSandbox } from '../../environment/choose-sandbox.ts';
import { findRepository } from '../../environment/git-directory.ts';
import { ConfigError, isToolwrightError, SessionLockedError } from '../../errors.ts';
import { VERSION } from '../../llm/version.ts';
import type { PermissionMode } from '../../permissions/types.ts';
import { foldSession } from '../../session/fold.ts';
import { newSessionId } from '../../session/ids.ts';
import { LoadedTools } from '../../session/loaded-tools.ts';
import { makeFolders } from '../../session/make-folders.ts';
import { sessionPaths } from '../../session/paths.ts';
import type { Recorder } from '../../session/recording/recorder.ts';
import { createRedactor } from '../../session/redact.ts';
import type { SessionState } from '../../session/session-state.ts';
import type { EventLog, Redactor, SessionPaths } from '../../session/types.ts';
import { WrittenFiles } from '../../session/written-files.ts';
import type { Registry } from '../../tools/registry.ts';
import type { ToolExecutor } from '../../tools/types.ts';
import { readEnvironmentFiles } from '../../workspace/environment-files.ts';
import { decidePrefixes } from '../../workspace/path-resolver.ts';
import { type Clock, systemClock } from '../clock.ts';
import { ConversationMessages } from '../context/conversation.ts';
import { InstructionFiles } from '../instructions/instruction-files.ts';
import { TextReader } from '../instructions/text-reader.ts';
import { MessageQueue } from '../message-queue.ts';
import { OwnFiles } from '../patch/own-files.ts';
import { permissionModeFor, safetyRequest } from '../start-checks.ts';
import { nativeRegistry } from '../tool-sources.ts';
import type { AgentDefinition, AgentOptions, RunOptions } from '../types.ts';
import { checkRun } from './check-run.ts';
import { type CleanUp, cleanUpLater } from './clean-up.ts';
import { closeSessionFiles, openSessionFiles, type SessionFiles } from './session-files.ts';
import { givenModel, openModel, type SessionModel } from './session-model.ts';
import { createToolSession, type OpenToolSession } from './session-tools.ts';
import { settleInterrupted } from './settle.ts';
import type { WaitingBudgets } from './waiting-gate.ts';

/** Everything a session holds open, from its first task to its close. */
export interface OpenSession {
  readonly sessionId: string;
  readonly workspace: string;
  readonly repository: string | null;
  readonly options: AgentOptions;
  readonly definition: AgentDefinition;
  readonly config: LoadedConfig;
  readonly clock: Clock;
  readonly redactor: Redactor;
  readonly files: SessionFiles;
  readonly registry: Registry;
  readonly tools: OpenToolSession;
  readonly sandbox: ChosenSandbox;
  readonly network: boolean;
  readonly conversation: ConversationMessages;
  readonly instructions: InstructionFiles;
  readonly instructionReader: TextReader;
  readonly queue: MessageQueue;
  readonly budgets: WaitingBudgets;
  /** The session as its log said when it was opened, an earlier crash settled. */
  readonly restored: SessionState;
  readonly place: RecordingFacts;
  /** What the next run is offered beside its kind's list. */
  readonly loadedTools: LoadedTools;
  readonly writtenFiles: WrittenFiles;
  readonly cleanUp: CleanUp;
  readonly ownFiles: OwnFiles;
  /** Warnings that are given once in a session, as far as they were. */
  readonly told: Set<string>;
  model: SessionModel;
  recorder: Recorder | null;
  nextSessionStep: number;
  /** Of the last run; closes what tools hold. */
  executor: ToolExecutor | null;
}

/** What a recording replaces by placeholders; the environment block is known with the first task. */
export interface RecordingFacts {
  readonly workspace: string;
  readonly session: string;
  readonly sessionId: string;
  readonly home: string;
  environment: string;
}

/**
 * Checks everything that can be wrong before a run exists, then makes or opens the session. Throws ConfigError or
 * SessionLockedError; after a ConfigError of the checks nothing was created. `run` is what the first run asks for.
 * `onLog` gets the log before its first event.
 */
export async function openSession(
  options: AgentOptions,
  definition: AgentDefinition,
  run: RunOptions,
  onLog: (log: EventLog) => void,
): Promise<OpenSession> {
  try {
    return await open(options, definition, run, onLog);
  } catch (error) {
    throw beforeRunError(error);
  }
}

/** What may be thrown before a run exists: a fault of any kind then is one of surroundings or options. */
export function beforeRunError(error: unknown): Error {
  if (error instanceof SessionLockedError || error instanceof ConfigError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const facts = isToolwrightError(error) ? error.facts : {};
  return new ConfigError(`The session cannot be started: ${message}`, facts, { cause: error });
}

/** Everything decided before anything is created. */
interface Checked {
  readonly config: LoadedConfig;
  readonly workspace: string;
  readonly sessionId: string;
  readonly paths: SessionPaths;
  readonly registry: Registry;
  readonly sandbox: ChosenSandbox;
  readonly mode: PermissionMode;
  readonly network: boolean;
  readonly redactor: Redactor;
  readonly place: RecordingFacts;
  readonly model: SessionModel;
  /** The session once it is built. */
  readonly session: { current: OpenSession | null };
}

async function open(
  options: AgentOptions,
  definition: AgentDefinition,
  run: RunOptions,
  onLog: (log: EventLog) => void,
): Promise<OpenSession> {
  const checked = await check(options, definition, run);
  const { config, workspace, sessionId, paths, redactor, session } = checked;
  await makeFolders(workspace);
  const [files, trusted] = await Promise.all([
    openSessionFiles(paths, sessionId, redactor),
    checked.sandbox.kind === 'none' ? isTrusted(config.home, workspace) : false,
  ]);
  try {
    onLog(files.log);
    session.current = await build({
      checked,
      options,
      definition,
      files,
      trusted,
    });
    return session.current;
  } catch (error) {
    await closeSessionFiles(files);
    throw error;
  }
}

/** Throws ConfigError; nothing is created by then. */
async function check(
  options: AgentOptions,
  definition: AgentDefinition,
  run: RunOptions,
): Promise<Checked> {
  const workspace = resolve(options.workspace ?? process.cwd());
  const config = await configOf(options, workspace);
  const home = resolve(options.home ?? config.home);
  const sessionId = options.sessionId ?? newSessionId();
  const paths = sessionPaths(home, sessionId);
  const request = safetyRequest(options, config);
  const redactor = createRedactor();
  for (const { name, value } of config.secrets) redactor.add(name, value);
  for (const text of await readEnvironmentFiles(workspace))
    for (const { name, value } of secretsOfEnvironmentFile(text)) redactor.add(name, value);
  const place = recordingFacts(workspace, paths, sessionId);
  const session: { current: OpenSession | null } = { current: null };
  const model = chooseModel(options, definition, config, redactor, place, session);
  const registry = nativeRegistry();
  await checkRun({ config, definition, registry, workspace, options, model, run });
  // The sandbox last: trying it writes into the home.
  const sandbox = await chooseSandbox({ requested: request.sandbox, home });
  const mode = permissionModeFor(request, sandbox);
  const network = request.network || sandbox.kind === 'none';
  const fixed = { config, workspace, sessionId, paths, registry, sandbox, mode, network, redactor };
  return { ...fixed, place, model, session };
}

async function configOf(options: AgentOptions, workspace: string): Promise<LoadedConfig> {
  const { config } = options;
  if (typeof config === 'object' && isLoaded(config)) return config;
  const env = {
    ...process.env,
    ...(options.home === undefined ? {} : { TOOLWRIGHT_HOME: options.home }),
  };
  return loadConfig({
    cwd: workspace,
    env,
    interactive: false,
    ...(typeof config === 'string' ? { overrides: { configFile: config } } : {}),
    ...(typeof config === 'object' ? { document: config } : {}),
  });
}

function isLoaded(config: object): config is LoadedConfig {
  return 'resolveModel' in config && typeof config.resolveModel === 'function';
}

function recordingFacts(workspace: string, paths: SessionPaths, sessionId: string): RecordingFacts {
  return { workspace, session: paths.root, sessionId, home: homedir(), environment: '' };
}

function chooseModel(
  options: AgentOptions,
  definition: AgentDefinition,
  config: LoadedConfig,
  redactor: Redactor,
  place: RecordingFacts,
  session: { readonly current: OpenSession | null },
): SessionModel {
  if (options.modelClient !== undefined) return givenModel(options.modelClient);
  return openModel(config.resolveModel(definition.type), {
    redactor,
    place: () => place,
    onExchange:
      options.record === undefined
        ? null
        : (exchange) => session.current?.recorder?.onExchange(exchange),
    onDivergence: (message) =>
      session.current?.files.log.append({ run_id: null }, 'warning', {
        code: 'replay_divergence',
        message,
      }),
  });
}

async function isTrusted(home: string, workspace: string): Promise<boolean> {
  return (await folderTrust(home, workspace)).trusted;
}

interface BuildInput {
  readonly checked: Checked;
  readonly options: AgentOptions;
  readonly definition: AgentDefinition;
  readonly files: SessionFiles;
  readonly trusted: boolean;
}

async function build(input: BuildInput): Promise<OpenSession> {
  const { checked, options, definition, files } = input;
  const { workspace, config, sessionId, redactor, registry, sandbox, network, mode } = checked;
  const { model, session } = checked;
  const restored = restore(input);
  const budgets: WaitingBudgets = { current: null };
  const tools = createToolSession({
    options,
    config,
    agentType: definition.type,
    workspace,
    sessionId,
    files,
    redactor,
    registry,
    sandbox: sandbox.kind,
    network,
    mode,
    trusted: input.trusted,
    sessionPrefixes: restored.started?.session_prefixes ?? [],
    seesImages: () => (session.current?.model ?? model).client.supports('images'),
    clock: systemClock,
    budgets,
  });
  const cleanUp = cleanUpLater(files.paths.home, files.log);
  await startEnvironment(tools, cleanUp, files.recovered.events.length > 0);
  const repository = findRepository(workspace)?.top ?? null;
  const queue = new MessageQueue();
  for (const { message_id, text, mode: steer } of restored.queued_messages)
    if (steer !== 'follow_up') queue.push({ messageId: message_id, text, mode: 'after_step' });
  return {
    sessionId,
    workspace,
    repository,
    options,
    definition,
    config,
    clock: systemClock,
    redactor,
    files,
    registry,
    tools,
    sandbox,
    network,
    conversation: new ConversationMessages(restored.messages),
    instructions: new InstructionFiles(),
    instructionReader: new TextReader(repository ?? workspace),
    queue,
    budgets,
    restored,
    place: checked.place,
    loadedTools: new LoadedTools(restored.loaded_tools),
    writtenFiles: new WrittenFiles(restored.written_files),
    cleanUp,
    ownFiles: new OwnFiles(files.paths.state),
    told: new Set(),
    model,
    recorder: null,
    executor: null,
    nextSessionStep: restored.session_step + 1,
  };
}

/** What a killed run of a continued session left must not go on beside the new one; else nothing waits for that. */
async function startEnvironment(
  { environment, access }: OpenToolSession,
  cleanUp: CleanUp,
  continued: boolean,
): Promise<void> {
  try {
    await Promise.all([environment.start(), continued ? cleanUp.finish() : null]);
  } catch (error) {
    await cleanUp.finish();
    access.close();
    throw error;
  }
}

/** Begins a new log, or settles what an earlier crash left open in an existing one. */
function restore({ checked, definition, files }: BuildInput): SessionState {
  const { log, recovered } = files;
  if (log.failed !== null) throw new ConfigError(log.failed.message);
  if (recovered.events.length > 0) return settleInterrupted(log, recovered.events);
  const { event } = log.append({ run_id: null }, 'session_started', {
    schema: 1,
    version: VERSION,
    user: files.paths.user,
    workspace: checked.workspace,
    agent_type: definition.type,
    session_prefixes: sessionPrefixes(checked, definition),
  });
  return foldSession([event]);
}

function sessionPrefixes(
  { config, workspace }: Checked,
  definition: AgentDefinition,
): readonly string[] {
  const setting =
    config.agent(definition.type).session_prefixes ?? (definition.type === 'data' ? 'on' : 'auto');
  if (setting === 'off') return [];
  return setting === 'on' ? ['output', 'scratchpad', 'input'] : decidePrefixes(workspace);
}
