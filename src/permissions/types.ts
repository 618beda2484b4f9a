/**
 * The permission seam: modes, rules, decisions, and the gate that asks a person.
 */
import type { Grant, PermissionClass, ResolvedPath } from '../workspace/types.ts';

/** Strictest first. */
export const PERMISSION_MODES = ['read-only', 'ask', 'accept-edits', 'auto', 'bypass'] as const;
export type PermissionMode = (typeof PERMISSION_MODES)[number];

export type RuleScope = 'managed' | 'user' | 'session' | 'project';
export type RuleList = 'deny' | 'ask' | 'allow';

/** A rule as written, `tool`, `tool(pattern)` or `class:NAME(pattern)`, with where it stands. */
export interface RuleSource {
  readonly text: string;
  readonly list: RuleList;
  readonly scope: RuleScope;
}

/** What a call wants to do, after its arguments were validated and its paths resolved. */
export interface PermissionRequest {
  readonly callId: string;
  readonly tool: string;
  readonly class: PermissionClass;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly paths: readonly ResolvedPath[];
  /** Real paths behind links, same order as `paths`; rules match either. */
  readonly realPaths: readonly string[];
  readonly cwd: string;
  /** SHA-256 of each path's present content, null when absent or not a file; part of what an approval is bound to. */
  readonly beforeHashes: readonly (string | null)[];
  /** The shell text for class shell. */
  readonly command?: string;
  readonly source: string;
}

export type DecisionOutcome = 'allow' | 'deny' | 'ask';

export interface Decision {
  readonly outcome: DecisionOutcome;
  /** `rule:...`, `mode:...`, `hard:...`, `protected`, `approval`. */
  readonly by: string;
  readonly rule: string | null;
  readonly scope: string | null;
  /** One sentence; for a denial it names the rule or mode and what would be allowed. */
  readonly reason: string;
  /** For a denial: `policy_denied` (rule, guard), `permission_denied` (mode, nobody to ask), `path_denied`. */
  readonly errorKind: 'policy_denied' | 'permission_denied' | 'path_denied' | null;
  /** The rule text a `session` or `always` answer would store, when one may be offered. */
  readonly offeredRule: string | null;
  /** True when `always` is possible for this kind of call. */
  readonly alwaysPossible: boolean;
}

export interface ApprovalCard {
  readonly approvalId: string;
  readonly callId: string;
  readonly tool: string;
  readonly class: PermissionClass;
  /** One line. */
  readonly summary: string;
  /** The whole command or diff or arguments, never cut, invisible characters shown. */
  readonly detail: string;
  readonly cwd: string;
  readonly sandbox: string;
  readonly network: boolean;
  readonly why: string;
  readonly offeredRule: string | null;
  readonly alwaysPossible: boolean;
  /** Name of the sub-agent that asks, or null. */
  readonly agent: string | null;
}

export interface ApprovalAnswer {
  readonly decision: 'allow' | 'deny';
  readonly scope: 'once' | 'session' | 'always';
  /** A denial with a note goes on; without one it stops the run. */
  readonly note?: string;
  readonly by: 'user' | 'policy' | 'no_person';
}

/** Answers `ask`: the terminal, or (unattended) nobody. Never throws but for an aborted signal (AbortError). */
export interface PermissionGate {
  readonly person: boolean;
  ask(card: ApprovalCard, signal: AbortSignal): Promise<ApprovalAnswer>;
}

export interface QuestionHandler {
  ask(
    question: {
      readonly text: string;
      readonly choices: readonly string[];
      readonly allowFreeText: boolean;
    },
    signal: AbortSignal,
  ): Promise<string | null>;
}

export interface PolicyOptions {
  readonly mode: PermissionMode;
  readonly rules: readonly RuleSource[];
  readonly sandboxed: boolean;
  readonly network: boolean;
  readonly person: boolean;
  readonly workspace: string;
  readonly home: string;
  /** Names of tools and classes, for checking rules at start. */
  readonly knownTools: readonly string[];
  /** Absolute directories commands may look at unasked; default the workspace alone. */
  readonly roots?: readonly string[];
  /** The folder is trusted: read-only git runs unasked also without a sandbox. */
  readonly trusted?: boolean;
  /** Real paths of configuration files in force; no tool writes them. */
  readonly configFiles?: readonly string[];
}

/**
 * The one place that decides. `decide` never throws: an exception inside is a denial. `grantFor` makes the Grant of an
 * allowed call, bound to a digest of everything the decision saw.
 */
export interface PermissionPolicy {
  readonly mode: PermissionMode;
  decide(request: PermissionRequest): Decision;
  digest(request: PermissionRequest): string;
  grantFor(request: PermissionRequest, approvedProtected: readonly string[]): Grant;
  /** Adds a rule for this session (an approval with scope session or always). */
  addSessionRule(text: string): void;
  setMode(mode: PermissionMode): void;
  /** Whether a user-scope allow rule names this secret file, by real absolute path; for file access. */
  opensSecret?(absolute: string): boolean;
  /** Whether every class a tool can have is impossible under deny rules and mode (tools.md 1.3). */
  impossible(tool: string, classes: readonly PermissionClass[]): boolean;
}
