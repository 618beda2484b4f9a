import type { Child } from '../../environment/types.ts';
import type { ToolContext } from '../types.ts';
import type { CommandEnd } from './command-result.ts';
import type { OutputCapture } from './output-capture.ts';

const FIXED_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * Whether this command must not enter the persistent shell: nobody was asked about it, and there is no sandbox, so
 * functions, aliases or PATH of earlier commands must not change what it means.
 */
export function runsBesideShell(ctx: ToolContext): boolean {
  if (ctx.session.sandbox !== 'none' || ctx.session.policy.mode === 'bypass') return false;
  return ctx.allowedBy === 'mode:vetted' || ctx.allowedBy.startsWith('rule:');
}

/** Runs the text in a fresh bash with a fixed PATH. */
export async function runBesideShell(
  ctx: ToolContext,
  command: string,
  folder: string,
  timeoutMs: number,
  capture: OutputCapture,
): Promise<CommandEnd & { readonly leftovers: readonly number[] }> {
  const child = await ctx.spawn({
    argv: ['bash', '--noprofile', '--norc', '-c', command],
    cwd: folder,
    env: { PATH: FIXED_PATH },
    stdin: 'closed',
    profile: 'command',
    limits: { timeoutMs },
  });
  const exit = await collect(child, ctx, capture);
  const leftovers =
    exit.leftovers === 0 ? [] : await ctx.session.environment.processesOf(ctx.callId);
  return { code: exit.code, signal: exit.signal, endedBy: exit.ended_by, timeoutMs, leftovers };
}

/** Reads both streams to their ends, live and into the capture. */
export function collect(child: Child, ctx: ToolContext, capture: OutputCapture): Child['exited'] {
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].on('data', (bytes: Buffer) => {
      capture.push(stream, bytes);
      ctx.emit(stream, bytes);
    });
  }
  return child.exited;
}
