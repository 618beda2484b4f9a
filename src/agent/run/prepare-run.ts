import { join } from 'node:path';
import { ConfigError } from '../../errors.ts';
import type { JsonObject, LLMRequest, ToolSpec } from '../../llm/types.ts';
import type { EventOf, EventScope, RunLimits } from '../../session/events.ts';
import { newRunId } from '../../session/ids.ts';
import { taskDoneTool } from '../../tools/basic/task-done.ts';
import { createExecutor } from '../../tools/executor.ts';
import { offeredList } from '../../tools/offered-list.ts';
import type { OfferedList, ToolExecutor } from '../../tools/types.ts';
import { createValidator, type Validator } from '../../tools/validate.ts';
import { wireTool } from '../../tools/wire-tools.ts';
import { AnswerSchema } from '../answer-schema.ts';
import { Budgets } from '../budgets.ts';
import { Completion } from '../completion.ts';
import { ContextManager } from '../context/context-manager.ts';
import { ContextMeter } from '../context/meter.ts';
import { LoopGuards } from '../guards/loop-guards.ts';
import { touchedFolders } from '../instructions/touched-folders.ts';
import { answerSchemaOf } from '../open/check-run.ts';
import { checkOutputs, offerOf } from '../open/checks-before.ts';
import { beforeRunError, type OpenSession } from '../open/open-session.ts';
import { keepDefect, storeResult } from '../open/session-files.ts';
import { runLimits } from '../open/settings.ts';
import { resolveCommit } from '../patch/git-runner.ts';
import { locateRepository } from '../patch/locate-repository.ts';
import { PatchKeeper } from '../patch/patch-keeper.ts';
import { DEFAULT_EXCLUDE, DEFAULT_TEST_PATHS } from '../patch/patch-rules.ts';
import { sizeReader } from '../patch/size-reader.ts';
import { promptFile } from '../prompts/prompt-file.ts';
import { FailureStreaks } from '../reflection.ts';
import { newProgress, type RunState } from '../run-state.ts';
import { checkPrice } from '../start-checks.ts';
import type { RunOptions } from '../types.ts';
import { openRecorder } from './recording.ts';

/** What a new run goes on from, when it resumes an earlier one. */
export interface ResumedRun {
  readonly runId: string;
  readonly nextStep: number;
  readonly base: EventOf<'base_taken'> | null;
}

export interface RunRequest {
  readonly task: string;
  readonly options: RunOptions;
  readonly controller: AbortController;
  readonly resumed: ResumedRun | null;
  /** Of a queued message that becomes the task. */
  readonly messageId?: string;
}

/** A run that is ready to start; nothing of it is in the log yet. */
export interface PreparedRun {
  readonly state: RunState;
  readonly request: RunRequest;
  readonly limits: RunLimits;
  readonly keeper: PatchKeeper;
  readonly patchPath: string | null;
  readonly mustPatch: boolean;
  readonly answerSchema: JsonObject | null;
}

/** Builds one run of a session. Throws ConfigError for options that cannot be met. */
export async function prepareRun(session: OpenSession, request: RunRequest): Promise<PreparedRun> {
  try {
    return await prepare(session, request);
  } catch (error) {
    throw beforeRunError(error);
  }
}

async function prepare(session: OpenSession, request: RunRequest): Promise<PreparedRun> {
  const { options, definition, config } = session;
  const extra = request.options.extraArgs ?? {};
  const limits = runLimits(config, definition, request.options.limits, options.limits);
  checkPrice(session.model.client, limits.max_cost, session.model.key);
  const answerSchema = answerSchemaOf(options.answerSchema);
  const patchPath = extra.patch_path ?? options.patchPath ?? null;
  const mustPatch =
    extra.must_patch === undefined ? options.mustPatch === true : isTrue(extra.must_patch);
  await checkOutputs({}, request.options);
  const runId = newRunId();
  const scope: EventScope = { run_id: runId };
  const keeper = patchKeeper(session, scope, request, patchPath);
  const baseCommit = extra.base_commit ?? options.baseCommit ?? null;
  if (mustPatch || patchPath !== null || baseCommit !== null)
    await checkPatchPossible(session, baseCommit);
  const offered = offer(session, request, answerSchema);
  const system = [{ text: await systemText(session) }];
  const validator = createValidator();
  const tools = toolSpecs(session, offered, validator);
  const state = runState(session, request, {
    runId,
    scope,
    limits,
    offered,
    validator,
    system,
    tools,
    keeper,
    mustPatch,
    answerSchema,
  });
  const prepared = { state, request, limits, keeper, patchPath, mustPatch, answerSchema };
  openRecorder(session, prepared);
  return prepared;
}

interface RunParts {
  readonly runId: string;
  readonly scope: EventScope;
  readonly limits: RunLimits;
  readonly offered: OfferedList;
  readonly validator: Validator;
  readonly system: LLMRequest['system'];
  readonly tools: readonly ToolSpec[];
  readonly keeper: PatchKeeper;
  readonly mustPatch: boolean;
  readonly answerSchema: JsonObject | null;
}

function runState(session: OpenSession, request: RunRequest, parts: RunParts): RunState {
  const { definition, conversation, files, clock, model } = session;
  const { offered, system, tools } = parts;
  const steps: RunState['steps'] = [];
  const nextStep = request.resumed?.nextStep ?? 1;
  const { validator } = parts;
  const executor = executorOf(session, offered, validator);
  session.executor = executor;
  return {
    sessionId: session.sessionId,
    workspace: session.workspace,
    runId: parts.runId,
    scope: parts.scope,
    task: request.task,
    definition,
    log: files.log,
    redactor: session.redactor,
    clock,
    client: model.client,
    system,
    tools,
    offered,
    executor,
    conversation,
    context: contextOf(session, system, tools),
    patch: parts.keeper,
    budgets: new Budgets(parts.limits, clock),
    guards: new LoopGuards((name) => offered.find(name)?.tool.polling === true),
    completion: new Completion({
      definition,
      textReply: request.options.textReply ?? definition.textReply,
      answerSchema: parts.answerSchema === null ? null : new AnswerSchema(parts.answerSchema),
      hooks: {
        sessionId: session.sessionId,
        runId: parts.runId,
        workspace: session.workspace,
        toolNames: offered.offered.map((tool) => tool.name),
        steps,
        changedNonTestPaths: () => parts.keeper.changedNonTestPaths(),
        mustPatch: parts.mustPatch,
      },
    }),
    streaks: new FailureStreaks(),
    queue: session.queue,
    controller: request.controller,
    parallelCalls: model.parallelCalls,
    cacheRetention: model.cacheRetention,
    steps,
    denials: [],
    instructionNotes: async (calls) => {
      const folders = touchedFolders(calls, offered, session.tools.resolver);
      return instructionNotes(session, folders);
    },
    requestLeft: () => void validator.warm().catch(() => undefined),
    reportDefect: (error) => keepDefect(files.paths, error),
    progress: newProgress(nextStep, session.nextSessionStep),
  };
}

function executorOf(
  session: OpenSession,
  offered: OfferedList,
  validator: Validator,
): ToolExecutor {
  return createExecutor({
    session: session.tools.session,
    offered,
    validator,
    closers: session.tools.closers,
  });
}

function contextOf(
  session: OpenSession,
  system: LLMRequest['system'],
  tools: readonly ToolSpec[],
): ContextManager {
  const { conversation, files, model } = session;
  const frame: LLMRequest = {
    system,
    messages: [],
    tools,
    resolve: (name) => name,
    purpose: 'step',
    sessionId: session.sessionId,
  };
  const meter = new ContextMeter(model.client, frame, conversation.messages);
  conversation.onReplace(() => meter.recount(conversation.messages));
  return new ContextManager({
    conversation,
    meter,
    contextWindow: model.client.contextWindow,
    outputLimit: model.client.outputLimit,
    storeResult: (callId, text) => storeResult(files.paths, callId, text),
  });
}

function offer(
  session: OpenSession,
  request: RunRequest,
  answerSchema: JsonObject | null,
): OfferedList {
  const { definition, config, registry, tools } = session;
  return offeredList(registry, {
    ...offerOf(definition, config, request.options.toolNames),
    policy: tools.policy,
    loaded: session.loadedTools.names,
    ...(answerSchema === null ? {} : { replace: [taskDoneTool(answerSchema)] }),
  });
}

function toolSpecs(session: OpenSession, offered: OfferedList, validator: Validator): ToolSpec[] {
  const { language } = session.tools.session;
  return offered.offered.map((tool) => {
    const { name, description, parameters } = wireTool(tool, language);
    const check: ToolSpec['check'] = (value) => validator.fitsExactly(tool, value);
    return { name, description, schema: parameters, check };
  });
}

async function systemText({ definition, config, tools }: OpenSession): Promise<string> {
  const { prompt_append: append } = config.agent(definition.type);
  const { language } = tools.session;
  const text = (await promptFile(config, definition.type)) ?? definition.systemPrompt({ language });
  return append === undefined ? text : `${text}\n\n${append}`;
}

/** Instruction files below the workspace that calls touched for the first time. */
async function instructionNotes(
  session: OpenSession,
  folders: readonly string[],
): Promise<readonly string[]> {
  const { instructions, instructionReader, workspace } = session;
  const prefix = workspace.slice(instructionReader.folder.length + 1);
  const notes: string[] = [];
  for (const folder of folders) {
    const text = await instructions.folder(
      instructionReader,
      prefix === '' ? folder : `${prefix}/${folder}`,
    );
    if (text !== null) notes.push(`Instruction files for ${folder}:\n${text}`);
  }
  return notes;
}

function isTrue(text: string): boolean {
  return ['true', '1', 'yes'].includes(text.toLowerCase());
}

function patchKeeper(
  session: OpenSession,
  scope: EventScope,
  request: RunRequest,
  patchPath: string | null,
): PatchKeeper {
  const { config, definition, files, options, tools } = session;
  const settings = config.agent(definition.type).patch;
  const extra = request.options.extraArgs ?? {};
  const { ownFiles } = session;
  for (const file of [options.record, patchPath]) if (file != null) ownFiles.add(file);
  const root = tools.resolver.roots.find(({ path }) => path === session.workspace);
  return new PatchKeeper({
    environment: tools.environment,
    workspace: session.workspace,
    stateDirectory: files.paths.state,
    log: files.log,
    scope,
    exclude: settings?.exclude ?? DEFAULT_EXCLUDE,
    testPaths: settings?.test_paths ?? DEFAULT_TEST_PATHS,
    ownFiles: () => [files.paths.home, ...ownFiles.paths],
    sizeOf: root === undefined ? async () => null : sizeReader(tools.access, root),
    baseCommit: extra.base_commit ?? options.baseCommit ?? null,
    base: request.resumed?.base ?? null,
  });
}

/** A demanded patch needs git, and a base commit that exists. */
async function checkPatchPossible(session: OpenSession, baseCommit: string | null): Promise<void> {
  const { tools, workspace, files } = session;
  const place = await locateRepository(
    tools.environment,
    workspace,
    join(files.paths.state, 'patch'),
  );
  if (place === null)
    throw new ConfigError(
      'A patch was demanded, but git does not work here; install git, or leave out --must-patch and --patch-path.',
    );
  if (baseCommit !== null && (await resolveCommit(place, baseCommit)) === null)
    throw new ConfigError(`There is no commit ${baseCommit} in ${place.top}.`, { baseCommit });
}
