import { ownRunFolder } from '../../environment/owner.ts';
import { PersistentShell, type ShellResult } from '../../environment/persistent-shell.ts';
import { ToolFailure } from '../../errors.ts';
import type { Tool, ToolContext, ToolOutput, ToolSchema, ToolSession } from '../types.ts';
import { runBesideShell, runsBesideShell } from './beside-shell.ts';
import { commandOutput, timeLimitMs } from './command-result.ts';
import { addJob, jobLine } from './jobs.ts';
import { OutputCapture } from './output-capture.ts';
import { checkProtectedPaths } from './protected-check.ts';

const DEFAULT_SECONDS = 120;
const MAX_SECONDS = 600;
const SLOT = 'bash';

const properties: ToolSchema = {
  command: { type: 'string' },
  timeout_seconds: {
    type: 'integer',
    minimum: 1,
    maximum: MAX_SECONDS,
    'x-clamp': true,
    description: `default ${DEFAULT_SECONDS}`,
  },
  restart: { type: 'boolean', description: 'start a fresh shell' },
  description: { type: 'string', description: 'what it does, for the user' },
};

/** Runs a command in the session's shell; folder, variables, functions and options persist. */
export const bashTool: Tool = {
  name: 'bash',
  group: 'exec',
  description:
    'Run a command in a shell that keeps its folder, variables and functions. Use for git, builds, tests, system commands. Not for reading, editing or searching files: str_replace_based_edit_tool, glob_search, grep_search. No terminal, empty input; end a server with &.',
  descriptionZh:
    '在同一个 shell 中运行命令，目录、变量、函数会保留。用于 git、构建、测试和系统命令。不要用来读写或搜索文件：用 str_replace_based_edit_tool、glob_search、grep_search。没有终端，输入为空；服务程序用 & 放到后台。',
  parameters: { type: 'object', required: ['command'], properties },
  validated: { type: 'object', properties },
  permission: 'shell',
  runsIn: 'environment',
  streams: true,
  timeout: { default: DEFAULT_SECONDS, max: MAX_SECONDS },
  keyAliases: { cmd: 'command', timeout: 'timeout_seconds' },
  cwd: (session, { restart }) => {
    const known = session.slots.get(SLOT);
    const kept = known instanceof PersistentShell && restart !== true;
    return kept ? known.folder : startFolder(session);
  },
  title: ({ command, description, restart }) =>
    String(description ?? command ?? (restart === true ? 'restart the shell' : '')),
  check({ command, restart }) {
    if (command === undefined && restart === true) return;
    if (typeof command !== 'string' || command.trim() === '') {
      throw new ToolFailure(
        'invalid_arguments',
        'command is missing; it may be left out only with restart',
      );
    }
    if (command.includes('\0')) {
      throw new ToolFailure('invalid_arguments', 'command holds a NUL character');
    }
  },
  async run({ command, restart, timeout_seconds }, ctx) {
    const shell = shellOf(ctx.session);
    if (restart === true) await shell.restart();
    if (typeof command !== 'string') {
      return {
        content: `A fresh shell starts in ${shell.folder}.`,
        metadata: { shell_restarted: true },
      };
    }
    const timeoutMs = timeLimitMs(Number(timeout_seconds ?? DEFAULT_SECONDS), ctx);
    const call = { command, timeoutMs, restarted: restart === true };
    return runsBesideShell(ctx) ? runBeside(shell, call, ctx) : runInShell(shell, call, ctx);
  },
};

interface BashCall {
  readonly command: string;
  readonly timeoutMs: number;
  readonly restarted: boolean;
}

function startFolder(session: ToolSession): string {
  return session.agentType === 'data' ? session.paths.scratchpad : session.workspace;
}

/** The shell of this session and agent, made on first use and closed with the session. */
function shellOf(session: ToolSession): PersistentShell {
  const known = session.slots.get(SLOT);
  if (known instanceof PersistentShell) return known;
  const shell = new PersistentShell({
    environment: session.environment,
    runFolder: ownRunFolder(session.paths.home),
    folder: startFolder(session),
    network: session.network,
  });
  session.slots.set(SLOT, shell);
  session.onClose(() => shell.close());
  return shell;
}

async function runInShell(
  shell: PersistentShell,
  { command, timeoutMs, restarted }: BashCall,
  ctx: ToolContext,
): Promise<ToolOutput> {
  const capture = new OutputCapture(() => ctx.spill());
  const before = shell.folder;
  const result = await shell.run({
    callId: ctx.callId,
    grant: ctx.grant,
    command,
    timeoutMs,
    signal: ctx.signal,
    onOutput: (stream, bytes) => {
      capture.push(stream, bytes);
      ctx.emit(stream, bytes);
    },
  });
  const notes = notesOf(result, before);
  const job = result.leftovers.length === 0 ? null : addJobOf(ctx, command, result.leftovers);
  if (job !== null) notes.push(jobLine(job));
  const failure = await checkProtectedPaths(ctx, 'bash');
  return commandOutput(
    {
      end: { ...result, timeoutMs },
      capture,
      notes,
      failure,
      metadata: {
        command,
        cwd: result.folder,
        job_id: job?.id ?? null,
        shell_restarted: restarted || result.replaced,
      },
    },
    ctx,
  );
}

function addJobOf(ctx: ToolContext, command: string, pids: readonly number[]) {
  return addJob(ctx.session, { callId: ctx.callId, command, pids });
}

function notesOf(result: ShellResult, before: string): string[] {
  const notes: string[] = [];
  if (result.folder !== before) notes.push(`cwd: ${result.folder}`);
  if (result.replaced) {
    notes.push(
      'The shell had ended; this is a new one with the folder, exported variables, functions and options of the last finished command.',
    );
  }
  return notes;
}

async function runBeside(
  shell: PersistentShell,
  { command, timeoutMs, restarted }: BashCall,
  ctx: ToolContext,
): Promise<ToolOutput> {
  const capture = new OutputCapture(() => ctx.spill());
  const end = await runBesideShell(ctx, command, shell.folder, timeoutMs, capture);
  const job = end.leftovers.length === 0 ? null : addJobOf(ctx, command, end.leftovers);
  return commandOutput(
    {
      end,
      capture,
      notes: job === null ? [] : [jobLine(job)],
      metadata: {
        command,
        cwd: shell.folder,
        job_id: job?.id ?? null,
        shell_restarted: restarted,
      },
    },
    ctx,
  );
}
