import type { EndedBy } from '../../environment/types.ts';
import { type ErrorKind, isToolFailure } from '../../errors.ts';
import type { ToolContext, ToolOutput } from '../types.ts';
import type { OutputCapture } from './output-capture.ts';

/** How a command ended, in the terms shared by the tools that run commands. */
export interface CommandEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly endedBy: EndedBy;
  readonly timeoutMs: number;
}

export type Failure = { readonly kind: ErrorKind; readonly message: string };

/** Null for exit code 0. */
export function failureOf(end: CommandEnd, signal: AbortSignal): Failure | null {
  const { code, endedBy } = end;
  if (endedBy === 'timeout' || isTimeout(signal)) {
    const seconds = Math.round(end.timeoutMs / 100) / 10;
    return {
      kind: 'timeout',
      message: `did not finish within ${seconds} s; its processes were ended`,
    };
  }
  if (endedBy === 'cancel') return { kind: 'cancelled', message: cancelReason(signal) };
  if (endedBy !== 'exit') {
    return { kind: 'command_failed', message: LIMIT_MESSAGES[endedBy] };
  }
  if (code === 0) return null;
  const how = code === null ? `ended by ${end.signal ?? 'a signal'}` : `exit code ${code}`;
  return { kind: 'command_failed', message: how };
}

const LIMIT_MESSAGES = {
  memory: 'ended: it used more memory than limits.memory_mib allows',
  pids: 'ended: it had more processes than limits.processes allows',
  file_size: 'ended: a file grew beyond limits.file_size_mib',
  disk: 'ended: the disk is nearly full (limits.disk_floor_mib)',
  lost: 'its process disappeared without an exit status',
} as const;

function isTimeout(signal: AbortSignal): boolean {
  return signal.aborted && isToolFailure(signal.reason) && signal.reason.kind === 'timeout';
}

function cancelReason(signal: AbortSignal): string {
  return isToolFailure(signal.reason)
    ? signal.reason.message
    : 'cancelled by the user, not a failure of the tool';
}

/** `exit_code=N` or `signal=S`; empty when the command never had a status. */
export function statusLine({ code, signal }: CommandEnd): string {
  if (code !== null) return `exit_code=${code}`;
  return signal === null ? '' : `signal=${signal}`;
}

export interface ResultParts {
  readonly end: CommandEnd;
  readonly capture: OutputCapture;
  /** Lines after the output: changed folder, job, notes. */
  readonly notes: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Replaces the failure that follows from the end. */
  readonly failure?: Failure | null;
}

/** The result of a command: status, output, notes. Fails for anything but exit code 0. */
export function commandOutput(parts: ResultParts, ctx: ToolContext): ToolOutput {
  const { end, capture } = parts;
  const { text, missingChars } = capture.sections();
  const failure = parts.failure ?? failureOf(end, ctx.signal);
  return {
    content: [statusLine(end), text, ...parts.notes].filter((part) => part !== '').join('\n'),
    cut: 'ends',
    missingChars,
    metadata: {
      ...parts.metadata,
      exit_code: end.code,
      signal: end.signal,
      ended_by: end.endedBy,
      timed_out: failure?.kind === 'timeout',
      stdout_bytes: capture.stdoutBytes,
      stderr_bytes: capture.stderrBytes,
    },
    ...(failure === null ? {} : { failure }),
  };
}

/** Milliseconds a command has: its own time limit, within the time of the call. */
export function timeLimitMs(seconds: number, ctx: ToolContext): number {
  const left = ctx.deadline - ctx.session.clock.now();
  return Math.max(1, Math.min(seconds * 1000, ctx.session.limits.commandSeconds * 1000, left));
}
