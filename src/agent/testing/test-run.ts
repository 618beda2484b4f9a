import type { JsonValue } from '../../llm/types.ts';
import type { RunLimits } from '../../session/events.ts';
import { createRedactor } from '../../session/redact.ts';
import { AnswerSchema } from '../answer-schema.ts';
import { BaseAgent } from '../base-agent.ts';
import { Budgets } from '../budgets.ts';
import { systemClock } from '../clock.ts';
import { Completion } from '../completion.ts';
import { ContextManager } from '../context/context-manager.ts';
import { ConversationMessages } from '../context/conversation.ts';
import { ContextMeter } from '../context/meter.ts';
import { defineAgent } from '../define-agent.ts';
import type { RunExit } from '../exits.ts';
import { LoopGuards } from '../guards/loop-guards.ts';
import { MessageQueue } from '../message-queue.ts';
import { userMessage } from '../messages.ts';
import { FailureStreaks } from '../reflection.ts';
import { addUserMessage, newProgress, type RunState } from '../run-state.ts';
import type { AgentDefinition, HookContext } from '../types.ts';
import { FakeExecutor, type FakeTools, offeredTools } from './fake-tools.ts';
import { MemoryLog } from './memory-log.ts';
import { type Script, ScriptedClient } from './scripted-client.ts';

export interface TestRunOptions {
  readonly script: readonly Script[];
  readonly tools?: FakeTools;
  readonly limits?: Partial<RunLimits>;
  readonly definition?: Partial<AgentDefinition>;
  readonly textReply?: AgentDefinition['textReply'];
  readonly mustPatch?: boolean;
  /** Non-test paths that differ, asked at each completion. */
  readonly changedPaths?: () => readonly string[];
  readonly answerSchema?: JsonValue;
  readonly client?: (client: ScriptedClient) => void;
  readonly firstMessage?: string;
}

export interface TestRun {
  readonly state: RunState;
  readonly log: MemoryLog;
  readonly client: ScriptedClient;
  readonly executor: FakeExecutor;
  readonly execute: () => Promise<RunExit>;
}

/** A run over a scripted model and functions as tools. */
export function testRun(options: TestRunOptions): TestRun {
  const log = new MemoryLog();
  const client = new ScriptedClient(options.script);
  options.client?.(client);
  const tools = options.tools ?? {};
  const offered = offeredTools(tools);
  const executor = new FakeExecutor(tools, log);
  const state = buildState(options, { log, client, executor, offered });
  addUserMessage(state, userMessage('task', [options.firstMessage ?? 'do it']));
  return { state, log, client, executor, execute: () => new BaseAgent(state).executeTask() };
}

interface Parts {
  readonly log: MemoryLog;
  readonly client: ScriptedClient;
  readonly executor: FakeExecutor;
  readonly offered: RunState['offered'];
}

function buildState(options: TestRunOptions, parts: Parts): RunState {
  const { log, client, executor, offered } = parts;
  const definition = defineAgent({
    type: 'test',
    description: 'for tests',
    systemPrompt: () => 'You are tested.',
    tools: [],
    ...options.definition,
  });
  const hooks = hooksFor(options);
  const conversation = new ConversationMessages();
  const system = [{ text: 'You are tested.' }];
  const frame = {
    system,
    messages: [],
    tools: [],
    resolve: (name: string) => name,
    purpose: 'step' as const,
    sessionId: 'ses_test',
  };
  const meter = new ContextMeter(client, frame, []);
  conversation.onReplace(() => meter.recount(conversation.messages));
  const { contextWindow, outputLimit } = client;
  const storeResult = async () => {};
  return {
    sessionId: 'ses_test',
    workspace: '/workspace',
    runId: 'run_test',
    scope: { run_id: 'run_test' },
    task: 'do it',
    definition,
    log,
    redactor: createRedactor(),
    clock: systemClock,
    client,
    system,
    tools: [],
    offered,
    executor,
    conversation,
    context: new ContextManager({ conversation, meter, contextWindow, outputLimit, storeResult }),
    patch: null,
    budgets: new Budgets(limitsFor(options), systemClock),
    guards: new LoopGuards((name) => offered.find(name)?.tool.polling === true),
    completion: new Completion({
      definition,
      textReply: options.textReply ?? 'remind_once',
      answerSchema:
        options.answerSchema === undefined ? null : new AnswerSchema(options.answerSchema),
      hooks,
    }),
    streaks: new FailureStreaks(),
    queue: new MessageQueue(),
    controller: new AbortController(),
    parallelCalls: true,
    cacheRetention: 'short',
    steps: [],
    denials: [],
    instructionNotes: async () => [],
    requestLeft: () => undefined,
    reportDefect: async (error) => String(error),
    progress: newProgress(1, 1),
  };
}

function limitsFor(options: TestRunOptions): RunLimits {
  return {
    max_steps: 50,
    max_cost: null,
    max_tokens: null,
    timeout_seconds: null,
    ...options.limits,
  };
}

function hooksFor(options: TestRunOptions): HookContext {
  return {
    sessionId: 'ses_test',
    runId: 'run_test',
    workspace: '/workspace',
    toolNames: [],
    steps: [],
    changedNonTestPaths: async () => options.changedPaths?.() ?? [],
    mustPatch: options.mustPatch ?? false,
  };
}
