import type { DurableEvent, OfferedTool, PatchInfo, ResultObject } from '../../session/events.ts';
import { createTrajectoryWriter, type TrajectoryWriter } from '../../session/trajectory-writer.ts';
import { BaseAgent } from '../base-agent.ts';
import { drawSafely } from '../console-guard.ts';
import { internalError, type RunExit, STEPS_EXCEEDED_TEXT } from '../exits.ts';
import { userMessage } from '../messages.ts';
import type { OpenSession } from '../open/open-session.ts';
import { addUserMessage } from '../run-state.ts';
import type { AgentExecution } from '../types.ts';
import { changedFilesText, changedSince } from './changed-files.ts';
import { newTaskContext } from './first-context.ts';
import type { PreparedRun } from './prepare-run.ts';
import { goOnWithWaitingCalls } from './waiting-calls.ts';

const RESUMED_TEXT =
  '[note] The program was interrupted while you worked on this task, or the task was stopped. Go on with it now; check what was done before repeating anything.';

/** Runs a prepared run to its end. Every outcome is a result; nothing is thrown. */
export async function runTask(session: OpenSession, run: PreparedRun): Promise<AgentExecution> {
  const { state } = run;
  const { log } = session.files;
  const began = session.clock.now();
  const trajectory = await trajectoryOf(session, run);
  const unsubscribe = log.subscribe((event) => {
    session.loadedTools.apply(event);
    session.writtenFiles.apply(event);
    if (event.type !== 'tool_finished') return;
    for (const { path } of event.files_changed) state.progress.filesChanged.add(path);
  });
  session.budgets.current = state.budgets;
  let exit: RunExit;
  try {
    await begin(session, run);
    exit = await new BaseAgent(state).executeTask();
  } catch (error) {
    exit = internalError('internal_error', await state.reportDefect(error));
  }
  session.budgets.current = null;
  session.nextSessionStep = state.progress.nextSessionStep;
  const execution = await finish(session, run, exit, trajectory, began);
  unsubscribe();
  return execution;
}

async function trajectoryOf(
  session: OpenSession,
  { state, request }: PreparedRun,
): Promise<TrajectoryWriter | null> {
  const { trajectoryFile } = session.options;
  if (trajectoryFile === undefined) return null;
  const { log } = session.files;
  const previous: readonly DurableEvent[] = request.resumed === null ? [] : await log.events();
  return createTrajectoryWriter({
    log,
    file: trajectoryFile,
    previous,
    runId: state.runId,
    onFile: (file) => session.ownFiles.add(file),
  });
}

/** `run_started`, and the messages the run begins with. */
async function begin(session: OpenSession, run: PreparedRun): Promise<void> {
  const { state, request } = run;
  const context = await newTaskContext(session);
  const changed = await filesChangedMeanwhile(session, request.resumed !== null);
  session.files.log.append(state.scope, 'run_started', {
    task: request.task,
    agent_type: session.definition.type,
    provider: state.client.provider,
    model: state.client.model,
    max_steps: run.limits.max_steps,
    limits: run.limits,
    permission_mode: session.tools.policy.mode,
    sandbox: { kind: session.sandbox.kind, network: session.network },
    system: state.system.map(({ text }) => text).join('\n'),
    tools: offeredTools(session, run),
    instructions: session.instructions.records,
    ...(request.resumed === null ? {} : { resumes: request.resumed.runId }),
    ...(run.mustPatch ? { must_patch: true } : {}),
    ...(run.answerSchema === null ? {} : { answer_schema: run.answerSchema }),
  });
  tellWarnings(session, state);
  printDetails(session, run);
  await goOnWithWaitingCalls(session, state, request.resumed !== null);
  if (request.resumed !== null) {
    const text = [RESUMED_TEXT, changed].filter((part) => part !== '').join(' ');
    addUserMessage(state, userMessage('resume', [text]));
  } else {
    if (changed !== '') addUserMessage(state, userMessage('note', [`[note] ${changed}`]));
    const parts = session.definition.newTask(request.task, context);
    addUserMessage(state, userMessage('task', parts, request.messageId));
  }
}

/** Asked when a task goes on, and with the first task after a session was opened again. */
async function filesChangedMeanwhile(session: OpenSession, resumed: boolean): Promise<string> {
  const { writtenFiles, tools, told } = session;
  if (!resumed && told.has('changed_files')) return '';
  told.add('changed_files');
  return changedFilesText(await changedSince(writtenFiles.list, tools.access, tools.resolver));
}

function offeredTools(session: OpenSession, { state }: PreparedRun): OfferedTool[] {
  return state.offered.offered.map((tool, index) => ({
    name: tool.name,
    class: tool.permission,
    source: session.registry.sourceOf(tool.name) ?? tool.group,
    description: state.tools[index]?.description ?? tool.description,
    schema: state.tools[index]?.schema ?? tool.parameters,
  }));
}

function tellWarnings(session: OpenSession, { scope, offered }: PreparedRun['state']): void {
  const { log } = session.files;
  const warn = (code: string, message: string) => log.append(scope, 'warning', { code, message });
  const { leftOut = [] } = offered;
  if (leftOut.length > 0 && !session.told.has('tools_left_out')) {
    session.told.add('tools_left_out');
    warn('tools_left_out', `Not available here and left out: ${leftOut.join(', ')}.`);
  }
  for (const message of session.instructions.warnings.splice(0)) warn('instruction_file', message);
  if (session.sandbox.reason !== null && session.restored.runs.length === 0)
    warn('no_sandbox', `Commands run without a sandbox: ${session.sandbox.reason}`);
  const { client, recorded } = session.model;
  if (!client.windowKnown && client.provider !== 'replay' && recorded === undefined)
    warn(
      'window_assumed',
      `The context window of ${client.model} is not known; ${client.contextWindow} tokens are assumed. Set models.<key>.context_window.`,
    );
}

function printDetails(session: OpenSession, { request, limits, state }: PreparedRun): void {
  const { sandbox, network, tools, files } = session;
  const details = {
    task: request.task,
    agentType: session.definition.type,
    provider: state.client.provider,
    model: state.client.model,
    workspace: session.workspace,
    sessionId: session.sessionId,
    maxSteps: limits.max_steps,
    safety: `sandbox ${sandbox.kind}, network ${network ? 'on' : 'off'}, mode ${tools.policy.mode}`,
  };
  drawSafely(files.log, () => session.options.console?.printTaskDetails(details));
}

async function finish(
  session: OpenSession,
  run: PreparedRun,
  ended: RunExit,
  trajectory: TrajectoryWriter | null,
  began: number,
): Promise<AgentExecution> {
  const { state } = run;
  const { log, audit } = session.files;
  await checkProtected(session, state.scope);
  const { exit, patch } = await finalPatch(run, ended);
  const seconds = (session.clock.now() - began) / 1000;
  const facts = runFacts(run, exit, patch, seconds);
  await anchorAudit(session, state.scope);
  log.append(state.scope, 'run_finished', { ...facts.finished, audit: audit.head() });
  const acknowledged = await log.flush().then(
    () => true,
    () => false,
  );
  const final = acknowledged || !exit.success ? exit : logFailed();
  await trajectory?.finish();
  const execution = executionOf(session, run, final, facts, trajectory?.file ?? null);
  log.emit(state.scope, 'result', resultOf(execution));
  return execution;
}

/** The line recorded with the end of a run is on the disk before it is recorded. */
async function anchorAudit(
  { files }: OpenSession,
  scope: PreparedRun['state']['scope'],
): Promise<void> {
  await files.audit.flush?.().catch((error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    files.log.append(scope, 'warning', { code: 'audit_not_synced', message });
  });
}

/** Protected names are looked at once more; what appeared was moved away and is told. */
async function checkProtected(
  session: OpenSession,
  scope: PreparedRun['state']['scope'],
): Promise<void> {
  const { environment } = session.tools;
  const moved = await environment.checkProtected().catch(() => []);
  if (moved.length === 0) return;
  session.files.log.append(scope, 'warning', {
    code: 'protected_names',
    message: `Moved to quarantine: ${moved.join(', ')}.`,
  });
}

/** The patch is made whatever happened; one that cannot be written is no success. */
async function finalPatch(
  run: PreparedRun,
  exit: RunExit,
): Promise<{ readonly exit: RunExit; readonly patch: PatchInfo | null }> {
  try {
    return { exit, patch: await run.keeper.finish(run.patchPath) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    run.state.log.append(run.state.scope, 'warning', { code: 'patch_failed', message });
    const demanded = run.patchPath !== null || run.mustPatch;
    const failed = exit.success && demanded ? internalError('patch_write_failed', message) : exit;
    return { exit: failed, patch: null };
  }
}

function logFailed(): RunExit {
  return internalError(
    'log_failed',
    'The end of the run could not be written to the event log; free space or check the disk, then resume.',
  );
}

function runFacts(run: PreparedRun, exit: RunExit, patch: PatchInfo | null, seconds: number) {
  const { state } = run;
  const { budgets, progress } = state;
  const answer = exit.success && progress.answer !== null ? { answer: progress.answer.value } : {};
  return {
    answer,
    patch,
    seconds,
    finished: {
      agent_state: exit.success ? ('completed' as const) : ('error' as const),
      success: exit.success,
      stop_reason: exit.stopReason,
      final_result: finalResult(run, exit),
      error: exit.error,
      steps: state.steps.length,
      usage: budgets.usage,
      cost_usd: budgets.cost.usd,
      cost_known_usd: budgets.cost.knownUsd,
      duration_ms: Math.round(seconds * 1000),
      denials: state.denials,
      patch,
      ...answer,
      undelivered_messages: state.queue.texts(),
    },
  };
}

function finalResult({ state }: PreparedRun, exit: RunExit): string | null {
  const { finalText, lastText } = state.progress;
  if (exit.success) return finalText ?? lastText ?? '';
  return lastText ?? (exit.stopReason === 'max_steps' ? STEPS_EXCEEDED_TEXT : null);
}

function executionOf(
  session: OpenSession,
  run: PreparedRun,
  exit: RunExit,
  { finished, answer, patch, seconds }: ReturnType<typeof runFacts>,
  trajectoryFile: string | null,
): AgentExecution {
  return {
    task: run.request.task,
    agent_state: exit.success ? 'completed' : 'error',
    success: exit.success,
    final_result: finished.final_result,
    stop_reason: exit.stopReason,
    error: exit.error,
    steps: run.state.steps,
    total_tokens: finished.usage,
    cost_usd: finished.cost_usd,
    cost_known_usd: finished.cost_known_usd,
    execution_time: seconds,
    session_id: session.sessionId,
    run_id: run.state.runId,
    denials: finished.denials,
    patch,
    trajectory_file: trajectoryFile,
    ...answer,
    undelivered_messages: finished.undelivered_messages,
  };
}

function resultOf(execution: AgentExecution): ResultObject {
  return {
    session_id: execution.session_id,
    run_id: execution.run_id,
    success: execution.success,
    state: execution.success ? 'completed' : 'error',
    stop_reason: execution.stop_reason,
    final_result: execution.final_result,
    steps: execution.steps.length,
    usage: execution.total_tokens,
    cost_usd: execution.cost_usd,
    duration_ms: Math.round(execution.execution_time * 1000),
    denials: execution.denials,
    trajectory_file: execution.trajectory_file,
    ...(execution.patch?.path == null ? {} : { patch_path: execution.patch.path }),
    ...(execution.answer === undefined ? {} : { answer: execution.answer }),
    ...(execution.error === null ? {} : { error: execution.error }),
  };
}
