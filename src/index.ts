/** The library: `import { Agent } from 'toolwright'`. */
export { Agent } from './agent/agent.ts';
export { registerAgentType } from './agent/agent-types.ts';
export { type AgentDefinitionInput, defineAgent } from './agent/define-agent.ts';
export { exitCodeOf } from './agent/exits.ts';
export type {
  AgentDefinition,
  AgentEventListener,
  AgentExecution,
  AgentOptions,
  AgentStep,
  CompletionVerdict,
  HookContext,
  NewTaskContext,
  RunLimitsOption,
  RunOptions,
} from './agent/types.ts';
export { loadConfig } from './config/load.ts';
export type { ConfigOverrides, LoadConfigOptions, LoadedConfig } from './config/types.ts';
export * from './errors.ts';
export type {
  JsonObject,
  JsonValue,
  LLMMessage,
  LLMRequest,
  LLMResponse,
  LLMUsage,
  ModelClient,
  ToolCall,
} from './llm/types.ts';
export type {
  ApprovalAnswer,
  ApprovalCard,
  PermissionGate,
  PermissionMode,
  QuestionHandler,
} from './permissions/types.ts';
export type { EventConsole, RunSummary, TaskDetails } from './session/console.ts';
export type {
  DurableEvent,
  EventOf,
  PatchInfo,
  ResultObject,
  SessionEvent,
  StopReason,
  TransientEvent,
} from './session/events.ts';
