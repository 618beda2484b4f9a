import { homedir } from 'node:os';
import { join } from 'node:path';
import { storeAllowRule } from '../../config/store-allow-rule.ts';
import type { LoadedConfig } from '../../config/types.ts';
import { createBwrapEnvironment } from '../../environment/bwrap.ts';
import type { EnvironmentOptions } from '../../environment/environment-options.ts';
import { createHostEnvironment } from '../../environment/host.ts';
import type { ExecutionEnvironment, SandboxKind } from '../../environment/types.ts';
import { createPolicy } from '../../permissions/policy.ts';
import type { PermissionMode, PermissionPolicy } from '../../permissions/types.ts';
import { storeBlob } from '../../session/blobs.ts';
import type { Redactor } from '../../session/types.ts';
import { createFileKnowledge } from '../../tools/file/knowledge.ts';
import type { Registry } from '../../tools/registry.ts';
import { knownToolNames } from '../../tools/specified-names.ts';
import type { ToolSession } from '../../tools/types.ts';
import { createPathResolver } from '../../workspace/path-resolver.ts';
import type { PathResolver } from '../../workspace/types.ts';
import { createFileAccess, type WorkspaceFiles } from '../../workspace/workspace-fs.ts';
import type { Clock } from '../clock.ts';
import type { AgentOptions } from '../types.ts';
import { pendingWritesFolder } from './clean-up.ts';
import type { SessionFiles } from './session-files.ts';
import { environmentLimits, extraRoots, fileLimits, toolLimits, toolSettings } from './settings.ts';
import { type WaitingBudgets, waitingGate, waitingQuestions } from './waiting-gate.ts';

export interface ToolSessionInput {
  readonly options: AgentOptions;
  readonly config: LoadedConfig;
  readonly agentType: string;
  readonly workspace: string;
  readonly sessionId: string;
  readonly files: SessionFiles;
  readonly redactor: Redactor;
  readonly registry: Registry;
  readonly sandbox: SandboxKind;
  readonly network: boolean;
  readonly mode: PermissionMode;
  readonly trusted: boolean;
  /** Decided when the session began. */
  readonly sessionPrefixes: readonly string[];
  readonly seesImages: () => boolean;
  readonly clock: Clock;
  readonly budgets: WaitingBudgets;
}

export interface OpenToolSession {
  readonly session: ToolSession;
  readonly policy: PermissionPolicy;
  readonly environment: ExecutionEnvironment;
  readonly resolver: PathResolver;
  readonly access: WorkspaceFiles;
  /** What tools asked to be closed at the end of the session. */
  readonly closers: (() => Promise<void>)[];
}

/** Wires paths, files, environment and permissions of a session for its tools. */
export function createToolSession(input: ToolSessionInput): OpenToolSession {
  const { config, files, workspace } = input;
  const { paths } = files;
  const roots = extraRoots(config);
  const resolver = createPathResolver({
    workspace,
    session: paths,
    prefixes: input.sessionPrefixes,
    extraRoots: roots,
  });
  const policy = policyOf(input, resolver);
  const access = createFileAccess({
    roots: resolver.roots,
    limits: fileLimits(config),
    home: paths.home,
    pendingFolder: pendingWritesFolder(paths.home),
    secretAllowed: (real) => secretIsNamed(input, policy, resolver, real),
  });
  const environment = environmentOf(input, access);
  const closers: (() => Promise<void>)[] = [];
  const session: ToolSession = {
    sessionId: input.sessionId,
    paths,
    workspace,
    agentType: input.agentType,
    resolver,
    files: environment.files,
    environment,
    knowledge: createFileKnowledge(),
    limits: toolLimits(config),
    redactor: input.redactor,
    log: files.log,
    audit: files.audit,
    policy,
    gate: waitingGate(input.options.permissionGate, input.budgets),
    questions: waitingQuestions(input.options.questionHandler, input.budgets),
    storeRule: (rule) => storeAllowRule(paths.home, rule),
    network: input.network,
    sandbox: input.sandbox,
    language: config.agent(input.agentType).tool_language ?? 'en',
    settings: toolSettings(config, input.seesImages),
    onClose: (close) => {
      closers.push(close);
    },
    slots: new Map(),
    storeBlob: (content) => storeBlob(paths.blobs, content),
    clock: input.clock,
  };
  return { session, policy, environment, resolver, access, closers };
}

function policyOf(input: ToolSessionInput, resolver: PathResolver): PermissionPolicy {
  const { config, files } = input;
  return createPolicy({
    mode: input.mode,
    rules: config.rules,
    sandboxed: input.sandbox !== 'none',
    network: input.network,
    person: input.options.permissionGate?.person === true,
    workspace: input.workspace,
    home: files.paths.home,
    knownTools: knownToolNames(input.registry),
    roots: resolver.roots.map((root) => root.path),
    trusted: input.trusted,
    configFiles: configFiles(config),
  });
}

/** Does a rule of the user name this secret file for some tool? Which one is for the policy to decide. */
function secretIsNamed(
  input: ToolSessionInput,
  policy: PermissionPolicy,
  resolver: PathResolver,
  real: string,
): boolean {
  const path = resolver.resolve(real, 'read');
  return input.registry.tools.some((tool) => {
    const decision = policy.decide({
      callId: '',
      tool: tool.name,
      class: tool.permission,
      arguments: {},
      paths: [path],
      realPaths: [real],
      cwd: input.workspace,
      beforeHashes: [null],
      source: 'secret',
    });
    return decision.by !== 'hard:secret';
  });
}

/** Files whose values are in force: no tool writes them. */
function configFiles(config: LoadedConfig): readonly string[] {
  const named = config.report().flatMap(({ origin }) => {
    const file = origin.scope === 'default' || origin.scope === 'flag' ? null : origin.from;
    return file?.startsWith('/') ? [file] : [];
  });
  return [...new Set([join(config.home, 'config.yaml'), ...named])];
}

function environmentOf(input: ToolSessionInput, access: WorkspaceFiles): ExecutionEnvironment {
  const { config, files, workspace, sessionId } = input;
  const { home, scratchpad, output, input: inputs, state, venv } = files.paths;
  const options: EnvironmentOptions = {
    home,
    sessionId,
    paths: { workspace, scratchpad, output, input: inputs, stateDir: state, venv },
    files: access,
    limits: environmentLimits(config),
    network: input.network,
    extraRoots: extraRoots(config),
    sandboxRead: (config.list('sandbox.read') ?? []).map(absolutePath),
    envNames: config.list('sandbox.env') ?? [],
  };
  return input.sandbox === 'bwrap'
    ? createBwrapEnvironment(options)
    : createHostEnvironment(options);
}

function absolutePath(path: string): string {
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : path;
}
