import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { startFakeModel } from '../test/fake-llm/server.ts';
import type { Reply } from '../test/fake-llm/types.ts';

export interface Program {
  readonly argv: (url: string) => readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** One run of a program against the scripted server, seen from outside. */
export interface RunFigures {
  /** Milliseconds from spawn to the arrival of the first request. */
  readonly firstRequestMs: number;
  /** Milliseconds between one request and the next: one step each. */
  readonly stepMs: readonly number[];
  /** Peak resident memory when the last request arrived, in MiB. */
  readonly peakMib: number;
  readonly firstBodyBytes: number;
  readonly exitCode: number | null;
}

export type StepKind = 'bash' | 'read';

function turnFor(kind: StepKind, step: number, file: string): Reply {
  if (kind === 'bash')
    return { calls: [{ name: 'bash', arguments: { command: `echo step ${step}` } }] };
  return {
    calls: [
      {
        name: 'str_replace_based_edit_tool',
        arguments: { command: 'view', path: `${file}.${step}` },
      },
    ],
  };
}

function peakMib(child: ChildProcess): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

/** Runs `program` for `steps` steps of one kind and a closing task_done. A read step N reads `file.N`. */
export async function measureRun(
  program: Program,
  kind: StepKind,
  steps: number,
  file: string,
): Promise<RunFigures> {
  let peak = 0;
  let child: ChildProcess | null = null;
  const server = await startFakeModel({
    strict: false,
    script: (request) => {
      if (request.ordinal < steps) return turnFor(kind, request.ordinal, file);
      if (child) peak = peakMib(child);
      return { calls: [{ name: 'task_done', arguments: { summary: 'done' } }] };
    },
  });
  const [command = '', ...args] = program.argv(server.url);
  const started = performance.now();
  const running = spawn(command, args, {
    cwd: program.cwd,
    env: { PATH: process.env.PATH, ...program.env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child = running;
  let complaints = '';
  running.stderr.on('data', (chunk) => {
    complaints += chunk;
  });
  const exitCode = await new Promise<number | null>((resolve) => running.on('close', resolve));
  const at = server.requests.map((request) => request.at);
  const first = server.requests[0];
  await server.close();
  if (exitCode !== 0 || first === undefined) {
    throw new Error(
      `${command} ${args.join(' ')} ended with ${exitCode}:\n${complaints.slice(-2000)}`,
    );
  }
  return {
    firstRequestMs: first.at - started,
    stepMs: at.slice(1).map((time, index) => time - (at[index] ?? time)),
    peakMib: peak,
    firstBodyBytes: first.body.length,
    exitCode,
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/** Wall milliseconds of one run of a command to its end. */
export async function wallMs(
  argv: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<number> {
  const [command = '', ...args] = argv;
  const started = performance.now();
  const child = spawn(command, args, { stdio: 'ignore', ...options });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}`);
  return performance.now() - started;
}

/** Runs the two in turn, A B A B, so that a drifting machine moves both. */
export async function paired<T>(
  runs: number,
  ours: () => Promise<T>,
  floor: () => Promise<T>,
): Promise<{ ours: T[]; floor: T[] }> {
  await ours();
  await floor();
  const result = { ours: [] as T[], floor: [] as T[] };
  for (let run = 0; run < runs; run += 1) {
    result.ours.push(await ours());
    result.floor.push(await floor());
  }
  return result;
}
