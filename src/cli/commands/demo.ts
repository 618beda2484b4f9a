import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { loadConfig } from '../../config/load.ts';
import type { LoadedConfig } from '../../config/types.ts';
import { createConsole } from '../../console/index.ts';
import { type ChosenSandbox, chooseSandbox } from '../../environment/choose-sandbox.ts';
import { runOneCommand } from '../../environment/one-command.ts';
import { exitCodeOfRun } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { packageRoot } from '../package-root.ts';
import { summaryOf } from '../run-summary.ts';
import { startedByLauncher, watchSignals } from '../signals.ts';
import { usageError } from '../usage-error.ts';

const TASK =
  'The tests of this project fail: splitting a bill loses cents. Find the cause, fix it, and show that the tests pass.';
const TESTS = ['python3', '-m', 'unittest'];
const TEST_MS = 60_000;

export interface DemoFlags {
  readonly dir?: string;
}

interface Demo {
  readonly folder: string;
  readonly project: string;
  readonly recording: string;
  readonly sandbox: ChosenSandbox;
  readonly config: LoadedConfig;
}

function bundled(name: string): string {
  return join(packageRoot(), 'examples', 'demo-coding', name);
}

function demoFolder(io: Io, dir: string | undefined): string {
  if (dir === undefined) return mkdtempSync(join(realpathSync(tmpdir()), 'toolwright-demo-'));
  const folder = resolve(io.cwd, dir);
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw usageError(`${folder} is not empty; name a new folder with --dir.`);
  }
  mkdirSync(folder, { recursive: true });
  return realpathSync(folder);
}

/** With a sandbox the demo runs in mode auto; without one exactly the commands of its script are allowed. */
async function prepare(io: Io, flags: DemoFlags): Promise<Demo> {
  const folder = demoFolder(io, flags.dir);
  const project = join(folder, 'project');
  const recording = bundled('recording.jsonl');
  cpSync(bundled('project'), project, { recursive: true });
  const base = { cwd: project, shellDirectory: io.cwd, env: io.env, interactive: false };
  const { home } = await loadConfig(base);
  const sandbox = await chooseSandbox({ requested: 'auto', home });
  const confined = sandbox.kind !== 'none';
  const commands = JSON.parse(readFileSync(bundled('commands.json'), 'utf8')) as string[];
  const config = await loadConfig({
    ...base,
    overrides: {
      provider: 'replay',
      model: recording,
      allow: confined ? [] : commands.map((command) => `bash(${command})`),
      values: {
        'sandbox.kind': sandbox.kind,
        'permissions.mode': confined ? 'auto' : 'accept-edits',
      },
    },
  });
  return { folder, project, recording, sandbox, config };
}

/** The last line of the test run: `OK` or `FAILED (failures=...)`. */
async function runTests(
  demo: Demo,
): Promise<{ readonly passed: boolean; readonly verdict: string }> {
  const { code, output } = await runOneCommand({
    kind: demo.sandbox.kind,
    home: demo.config.home,
    workspace: demo.project,
    folder: mkdtempSync(join(realpathSync(tmpdir()), 'toolwright-tests-')),
    argv: TESTS,
    purpose: 'demo-tests',
    timeoutMs: TEST_MS,
  });
  const verdict = output.trimEnd().split('\n').at(-1) || `no output (exit code ${code})`;
  return { passed: code === 0, verdict };
}

function introduction(demo: Demo): string[] {
  const { kind, reason } = demo.sandbox;
  return [
    'Toolwright demo: a coding agent fixes a small Python project.',
    'The model is a scripted model: a recording written for this demo, played through the real wire codec.',
    'Everything else is real: the loop, the tools, the tests, the patch.',
    kind === 'none'
      ? `The sandbox is off: ${reason}. Only the commands of the script are allowed (mode accept-edits).`
      : `Commands run in the sandbox (${kind}) without network.`,
    '',
  ];
}

function closing(demo: Demo, patch: string, trajectory: string | null): string[] {
  return [
    '',
    `project     ${demo.project}`,
    `patch       ${patch}`,
    `trajectory  ${trajectory ?? 'could not be written'}`,
    '',
    'The same with a real model (set its key first, for example OPENAI_API_KEY):',
    `  toolwright run "${TASK}" \\`,
    `    --working-dir ${demo.project} --provider openai --model gpt-5`,
    '(the project above is fixed already: start from a fresh copy of the demo)',
  ];
}

/** `toolwright demo coding`: the main job on a bundled project, with no account and no network. */
export async function demoCodingCommand(io: Io, flags: DemoFlags): Promise<number> {
  const demo = await prepare(io, flags);
  const say = (lines: readonly string[]) => io.stdout.write(`${lines.join('\n')}\n`);
  say(introduction(demo));
  const before = await runTests(demo);
  say([`tests before: ${before.verdict}`, '']);

  const patch = join(demo.folder, 'patch.diff');
  const { Agent } = await import('../../agent/agent.ts');
  const console = await createConsole({
    type: 'simple',
    stdin: io.stdin,
    stderr: io.stderr,
    env: io.env,
  });
  const agent = new Agent({
    config: demo.config,
    workspace: demo.project,
    home: demo.config.home,
    console,
    mustPatch: true,
    patchPath: patch,
    trajectoryFile: join(demo.folder, 'trajectory.json'),
  });
  const signals = watchSignals(
    { cancel: () => void agent.cancel(), kill: () => agent.close() },
    startedByLauncher(io.env),
  );
  try {
    const execution = await agent.run(TASK);
    await console.stop();
    await agent.close();
    console.printSummary(summaryOf(execution));
    const after = await runTests(demo);
    say(['', `tests after: ${after.verdict}`, ...closing(demo, patch, execution.trajectory_file)]);
    const code = exitCodeOfRun(execution.stop_reason, signals.received);
    return code === 0 && !after.passed ? 1 : code;
  } finally {
    signals.stop();
    await console.stop();
    await agent.close();
  }
}
