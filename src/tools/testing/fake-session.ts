/** An in-memory session and small tools, for tests of the dispatch pipeline. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ToolFailure } from '../../errors.ts';
import { createPolicy } from '../../permissions/policy.ts';
import type { PermissionGate, PolicyOptions } from '../../permissions/types.ts';
import type { DurableEvent, SessionEvent } from '../../session/events.ts';
import { createRedactor } from '../../session/redact.ts';
import type { AuditEntry, EventLog, ToolCall } from '../../session/types.ts';
import type { FileAccess, PathResolver, Root } from '../../workspace/types.ts';
import { createExecutor } from '../executor.ts';
import { createLocks } from '../locks.ts';
import { offeredList } from '../offered-list.ts';
import { createRegistry } from '../registry.ts';
import type { ExecutorContext, Tool, ToolLimits, ToolSession } from '../types.ts';

export interface FakeOptions {
  readonly tools?: readonly Tool[];
  /** Names of the tools that are offered; the rest of group `web` and the like is deferred. Default: all. */
  readonly offer?: readonly string[];
  readonly policy?: Partial<PolicyOptions>;
  readonly gate?: PermissionGate;
  readonly files?: Map<string, string>;
  /** Real paths behind links, by absolute path. */
  readonly links?: Map<string, string>;
  readonly limits?: Partial<ToolLimits>;
  readonly failAudit?: boolean;
}

export const WORKSPACE = '/ws';

const LIMITS: ToolLimits = {
  toolOutputChars: 16_000,
  writeFileBytes: 16_384,
  commandSeconds: 600,
  memoryMib: 4096,
  processes: 512,
  cpuSeconds: 3600,
  fileSizeMib: 2048,
  openFiles: 4096,
  spillMib: 64,
  spillSessionMib: 1024,
  runningCalls: 8,
};

export function fakeLog(): EventLog & { readonly seen: SessionEvent[] } {
  const seen: SessionEvent[] = [];
  const envelope = { v: 1 as const, ts: '2025-01-01T00:00:00.000Z', session_id: 'ses_1' };
  let seq = 0;
  return {
    seen,
    sessionId: 'ses_1',
    failed: null,
    append(scope, type, payload) {
      seq += 1;
      const event = { ...envelope, ...scope, seq, type, ...payload } as unknown as DurableEvent;
      seen.push(event);
      return { seq, event, written: Promise.resolve(), acknowledged: Promise.resolve() };
    },
    emit(scope, type, payload) {
      seen.push({
        ...envelope,
        ...scope,
        seq,
        sub: 1,
        type,
        ...payload,
      } as unknown as SessionEvent);
    },
    subscribe: () => () => {},
    flush: () => Promise.resolve(),
    events: () => Promise.resolve([]),
    close: () => Promise.resolve(),
  };
}

function fakeFiles(files: Map<string, string>, links: Map<string, string>): FileAccess {
  const missing = (path: string) => new ToolFailure('not_found', `${path} does not exist`);
  const access: Pick<FileAccess, 'read' | 'realPath'> = {
    read: (path) => {
      const content = files.get(path.absolute);
      return content === undefined
        ? Promise.reject(missing(path.logical))
        : Promise.resolve(Buffer.from(content));
    },
    realPath: (path) => {
      const known = links.get(path.absolute);
      if (known !== undefined) return Promise.resolve(known);
      const there = path.segments.length === 0 || files.has(path.absolute);
      return there ? Promise.resolve(path.absolute) : Promise.reject(missing(path.logical));
    },
  };
  return access as FileAccess;
}

function fakeResolver(): PathResolver {
  const root: Root = { kind: 'workspace', path: WORKSPACE, write: true, logicalPrefix: '' };
  return {
    roots: [root],
    sessionPrefixes: [],
    resolve(text, intent) {
      if (text.startsWith('/') || text.includes('..')) {
        throw new ToolFailure('path_outside', `${text} is outside the roots`);
      }
      const segments = text.split('/').filter((part) => part !== '' && part !== '.');
      const absolute = join(WORKSPACE, ...segments);
      return { root, segments, logical: segments.join('/') || '.', absolute, intent };
    },
    logicalOf: () => null,
    child: (parent, name) => ({ ...parent, segments: [...parent.segments, name] }),
  };
}

export function fakeSession(options: FakeOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'tools-'));
  const log = fakeLog();
  const audit: AuditEntry[] = [];
  const names = (options.tools ?? []).map((tool) => tool.name);
  const policy = createPolicy({
    mode: 'bypass',
    rules: [],
    sandboxed: true,
    network: false,
    person: options.gate?.person ?? false,
    workspace: WORKSPACE,
    home: '/home/nobody/.toolwright',
    knownTools: [...names, 'bash'],
    ...options.policy,
  });
  const killed: string[] = [];
  const session = {
    sessionId: 'ses_1',
    paths: { state: folder, toolOutput: join(folder, 'tool-output') },
    workspace: WORKSPACE,
    agentType: 'coding',
    resolver: fakeResolver(),
    files: fakeFiles(options.files ?? new Map(), options.links ?? new Map()),
    environment: {
      capabilities: { kind: 'bwrap', sandboxed: true, network: false, memory: 'none', uid: 1000 },
      killCall: (callId: string) => {
        killed.push(callId);
        return Promise.resolve();
      },
    },
    limits: { ...LIMITS, ...options.limits },
    redactor: createRedactor(),
    log,
    audit: {
      write: (entry: AuditEntry) => {
        if (options.failAudit === true) return Promise.reject(new Error('disk full'));
        audit.push(entry);
        return Promise.resolve();
      },
    },
    policy,
    gate: options.gate ?? {
      person: false,
      ask: () => Promise.resolve({ decision: 'deny', scope: 'once', by: 'no_person' }),
    },
    network: false,
    sandbox: 'bwrap',
    settings: {},
    slots: new Map(),
    clock: { now: () => performance.now() },
  } as unknown as ToolSession;
  return { session, log, audit, folder, killed, policy };
}

export function fakeTool(fields: Partial<Tool> & { readonly name: string }): Tool {
  return {
    group: 'file',
    description: `${fields.name} does something.`,
    descriptionZh: '做事。',
    parameters: { type: 'object', properties: {} },
    permission: 'read',
    runsIn: 'host',
    timeout: { default: 10, max: 10 },
    run: () => Promise.resolve({ content: 'ok' }),
    ...fields,
  };
}

/** A session, its executor, and shortcuts to run calls against it. */
export function fakeExecutor(options: FakeOptions = {}) {
  const fake = fakeSession(options);
  const registry = createRegistry([{ source: 'test', tools: options.tools ?? [] }]);
  const offered = offeredList(registry, {
    profile: 'coding',
    tools: options.offer ?? registry.tools.map((tool) => tool.name),
    policy: fake.policy,
  });
  const executor = createExecutor({ session: fake.session, offered, locks: createLocks() });
  let runs = 0;
  const context = (fields: Partial<ExecutorContext> = {}): ExecutorContext => ({
    runId: 'run_1',
    step: 1,
    signal: new AbortController().signal,
    deadline: null,
    taskDone: () => {
      runs += 1;
      return Promise.resolve({ accepted: true, text: 'Task done.', errorKind: null });
    },
    serial: false,
    ...fields,
  });
  return {
    ...fake,
    offered,
    executor,
    context,
    completions: () => runs,
    run: (calls: readonly ToolCall[], fields: Partial<ExecutorContext> = {}) =>
      executor.execute(calls, context(fields)),
  };
}

let calls = 0;

export function toolCall(
  name: string,
  args: ToolCall['arguments'] = {},
  fields: Partial<ToolCall> = {},
): ToolCall {
  calls += 1;
  return {
    call_id: `call_${calls}`,
    name,
    arguments: args,
    id: 'call_0',
    raw_name: name,
    index: 0,
    status: 'ok',
    repairs: [],
    source: 'structured',
    wire_seed: '',
    ...fields,
  };
}
