/**
 * The error base and the closed list of error kinds. Every room may import this file; it imports nothing.
 */

/** What a tool result can say went wrong (closed union). */
export const ERROR_KINDS = [
  'invalid_arguments',
  'truncated_arguments',
  'unknown_tool',
  'repeated_call',
  'budget_exceeded',
  'permission_denied',
  'policy_denied',
  'gate_closed',
  'completion_refused',
  'trust_required',
  'needs_user',
  'path_outside',
  'path_denied',
  'not_found',
  'already_exists',
  'wrong_type',
  'too_large',
  'unsupported_format',
  'no_match',
  'ambiguous_match',
  'no_change',
  'placeholder_text',
  'stale_file',
  'version_conflict',
  'locked',
  'command_failed',
  'timeout',
  'cancelled',
  'skipped',
  'interrupted',
  'needs_package',
  'unavailable',
  'network_error',
  'address_blocked',
  'subagent_failed',
  'invalid_output',
  'tool_execution_error',
  'internal_error',
] as const;

export type ErrorKind = (typeof ERROR_KINDS)[number];

const MARK = Symbol.for('toolwright.error');

/** Base of every error this program throws on purpose. `kind` is stable, `message` is for a person to act on. */
export class ToolwrightError extends Error {
  readonly kind: string;
  /** The facts the error is about: path, key, line, limit. Plain data. */
  readonly facts: Readonly<Record<string, unknown>>;
  readonly [MARK] = true;

  constructor(
    kind: string,
    message: string,
    facts: Readonly<Record<string, unknown>> = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'ToolwrightError';
    this.kind = kind;
    this.facts = facts;
  }
}

/** True for our errors also when two copies of the package are loaded, where `instanceof` is not. */
export function isToolwrightError(value: unknown): value is ToolwrightError {
  return typeof value === 'object' && value !== null && MARK in value;
}

/** A fault in options, flags, configuration or surroundings found before anything ran: exit code 2. */
export class ConfigError extends ToolwrightError {
  constructor(
    message: string,
    facts: Readonly<Record<string, unknown>> = {},
    options?: ErrorOptions,
  ) {
    super('config', message, facts, options);
    this.name = 'ConfigError';
  }
}

/** Another live process holds the session. Exit code 2. */
export class SessionLockedError extends ToolwrightError {
  constructor(message: string, facts: Readonly<Record<string, unknown>> = {}) {
    super('session_locked', message, facts);
    this.name = 'SessionLockedError';
  }
}

/** `run` was called on an Agent that is already running. */
export class AgentBusyError extends ToolwrightError {
  constructor(message: string) {
    super('agent_busy', message);
    this.name = 'AgentBusyError';
  }
}

export interface FailureExtra {
  /** Facts for front ends and tests; never sent to the model as such. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Text for the model after the message: partial output, candidates, a diff. */
  readonly content?: string;
  readonly machine?: unknown;
}

/**
 * The expected failure of an operation a tool asked for. Thrown by file access, environment and tools;
 * the dispatcher turns it into the one result of the call, keeping `kind`.
 */
export class ToolFailure extends ToolwrightError {
  declare readonly kind: ErrorKind;
  readonly content: string | undefined;
  readonly machine: unknown;

  constructor(kind: ErrorKind, message: string, extra: FailureExtra = {}) {
    super(kind, message, extra.details ?? {});
    this.name = 'ToolFailure';
    this.content = extra.content;
    this.machine = extra.machine;
  }
}

export function isToolFailure(value: unknown): value is ToolFailure {
  return isToolwrightError(value) && (ERROR_KINDS as readonly string[]).includes(value.kind);
}
