import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Place } from './place.ts';

const launcher = join(import.meta.dirname, '../../bin/toolwright.js');

export const API_KEY = 'sk-canary-0123456789abcdefABCDEF';

export interface Outcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

export interface Started {
  readonly child: ChildProcessWithoutNullStreams;
  readonly done: Promise<Outcome>;
  /** Resolves when the text was printed on either stream. */
  printed(text: string): Promise<void>;
}

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly cwd?: string;
}

/** Starts the built program with a clean environment, its state in the place's home. */
export function startProgram(
  place: Place,
  args: readonly string[],
  options: StartOptions = {},
): Started {
  const started = performance.now();
  const child = spawn(process.execPath, [launcher, ...args], {
    cwd: options.cwd ?? place.workspace,
    env: {
      PATH: process.env.PATH,
      HOME: join(place.root, 'user'),
      TOOLWRIGHT_HOME: place.home,
      LANG: 'C.UTF-8',
      OPENAI_COMPATIBLE_API_KEY: API_KEY,
      OPENAI_API_KEY: API_KEY,
      ANTHROPIC_API_KEY: API_KEY,
      ...options.env,
    },
  });
  const output = { stdout: '', stderr: '' };
  const waiting = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      output[name] += chunk;
      for (const check of waiting) check();
    });
  }
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.stdin ?? '');
  const done = new Promise<Outcome>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      resolve({ code, signal, ...output, ms: performance.now() - started });
    });
  });
  const printed = (text: string) =>
    new Promise<void>((resolve) => {
      const check = () => {
        if (!`${output.stdout}${output.stderr}`.includes(text)) return;
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
    });
  return { child, done, printed };
}

export function runProgram(
  place: Place,
  args: readonly string[],
  options: StartOptions = {},
): Promise<Outcome> {
  return startProgram(place, args, options).done;
}

export type Wire = 'chat' | 'responses' | 'anthropic';

/** Flags that point `run` at the scripted server through one of the wires. */
export function wireFlags(wire: Wire, url: string): string[] {
  const flags = (provider: string, base: string) => [
    ...['--provider', provider, '--model', 'scripted', '--model-base-url', base],
  ];
  if (wire === 'anthropic') return flags('anthropic', url);
  return flags(wire === 'chat' ? 'openai_compatible' : 'openai', `${url}/v1`);
}

/** Flags for unattended runs that need no sandbox. */
export const UNCONFINED = ['--sandbox', 'none', '--permission-mode', 'bypass'] as const;

/** The result object of `--output-format json`. */
export function resultOf(outcome: Outcome): Record<string, unknown> {
  try {
    return JSON.parse(outcome.stdout) as Record<string, unknown>;
  } catch {
    throw new Error(
      `No result object (exit ${outcome.code}):\n${outcome.stdout}\n${outcome.stderr}`,
    );
  }
}
