/**
 * Where commands run. `host`, `bwrap` (and later docker) implement the same interface and pass one conformance suite.
 */
import type { Readable, Writable } from 'node:stream';
import type { FileAccess, Grant } from '../workspace/types.ts';

export type SandboxKind = 'none' | 'bwrap' | 'docker';
export type SpawnProfile = 'command' | 'python' | 'package' | 'git' | 'lsp' | 'mcp';

export interface SpawnLimits {
  /** Milliseconds of wall time; the child is ended with `timeout` after it. Absent: none. */
  readonly timeoutMs?: number;
  readonly memoryMib?: number;
  readonly processes?: number;
  readonly cpuSeconds?: number;
  readonly fileSizeMib?: number;
  readonly openFiles?: number;
}

export interface SpawnRequest {
  readonly callId: string;
  readonly grant: Grant;
  /** Program and arguments; never a shell string. */
  readonly argv: readonly string[];
  /** Absolute, as the host sees it; must lie under a root. */
  readonly cwd: string;
  /** Added to the base environment of safety.md section 6. */
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin: 'closed' | 'pipe' | { readonly bytes: Uint8Array };
  readonly profile: SpawnProfile;
  readonly network?: boolean;
  readonly readOnly?: boolean;
  readonly limits?: SpawnLimits;
  readonly signal?: AbortSignal;
  /** Extra pipes the parent reads, at descriptors 3, 4 ... of the child. */
  readonly extraPipes?: number;
  /** Extra host directories bound writable at the same path inside a sandbox (the shell's channel directory). */
  readonly channelDirs?: readonly string[];
  /** Program files outside the usual places, bound read-only at the same path inside a sandbox (ripgrep's binary). */
  readonly readBinds?: readonly string[];
}

export type EndedBy =
  | 'exit'
  | 'timeout'
  | 'cancel'
  | 'memory'
  | 'pids'
  | 'file_size'
  | 'disk'
  | 'lost';

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly ended_by: EndedBy;
  readonly duration_ms: number;
  /** Processes of the call still alive when the result was made. */
  readonly leftovers: number;
}

export interface Child {
  readonly pid: number;
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Parent ends of `extraPipes`, in order. */
  readonly pipes: readonly Readable[];
  /** Never rejects. Resolves when the direct child has exited and its pipes are drained, or 500 ms after the exit. */
  readonly exited: Promise<Exit>;
  /** TERM, 2 s, KILL to every process of the call. Resolves when none is left; idempotent. */
  kill(reason: 'timeout' | 'cancel' | 'memory' | 'pids' | 'disk'): Promise<void>;
}

export interface EnvironmentCapabilities {
  readonly kind: SandboxKind;
  readonly sandboxed: boolean;
  readonly network: boolean;
  readonly memory: 'cgroup' | 'watcher' | 'container' | 'none';
  readonly uid: number;
}

/** Fixed per session. `spawn` throws ToolFailure `unavailable` when it cannot confine; it never degrades. */
export interface ExecutionEnvironment {
  readonly capabilities: EnvironmentCapabilities;
  readonly files: FileAccess;
  start(): Promise<void>;
  stop(options?: { readonly keep?: boolean }): Promise<void>;
  spawn(request: SpawnRequest): Promise<Child>;
  /** The value of TOOLWRIGHT_CALL for a call of this environment. A shell that outlives calls exports it for each. */
  markOf(callId: string): string;
  /** Ends every process that carries the call's mark; resolves when none is left (at most 3 s). */
  killCall(callId: string): Promise<void>;
  /** Pids (as the host sees them) of living processes of the calls. */
  processesOf(...callIds: readonly string[]): Promise<readonly number[]>;
  /** Host path to the path inside, and back. Same path for host and bwrap. */
  mapIn(hostPath: string): string;
  mapOut(insidePath: string): string;
  /**
   * Checks protected names after a command (safety.md 5.6 and 5.7); what appeared is moved to quarantine.
   * Returns logical names of what was moved or restored; empty when all is well.
   */
  checkProtected(): Promise<readonly string[]>;
}

/** Result of the sandbox probe, made once per process with the real argument list. */
export interface SandboxProbe {
  readonly kind: SandboxKind;
  readonly works: boolean;
  /** One sentence why it does not work, with the remedy. */
  readonly reason: string | null;
  readonly version: string | null;
}
