import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Command } from 'commander';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { AgentBusyError, ConfigError, SessionLockedError } from '../errors.ts';
import type { StopReason } from '../session/events.ts';
import { exitCodeOfError, exitCodeOfRun } from './exit-codes.ts';
import { configValues, overridesOf } from './overrides.ts';
import { readAnswerSchema, readTask } from './read-task.ts';
import { addRunFlags, type RunFlags } from './run-flags.ts';
import { resumeCommand } from './run-summary.ts';
import { expandShortForms } from './short-forms.ts';
import { type SignalWatch, startedByLauncher, watchSignals } from './signals.ts';

describe('exit codes', () => {
  it.each<[StopReason, number]>([
    ['completed', 0],
    ['gave_up', 1],
    ['internal_error', 1],
    ['max_steps', 3],
    ['max_cost', 3],
    ['max_tokens', 3],
    ['timeout', 3],
    ['provider_error', 4],
    ['blocked', 5],
    ['cancelled', 130],
  ])('%s is %i', (reason, code) => {
    expect(exitCodeOfRun(reason, null)).toBe(code);
  });

  it('follow the signal of a cancelled run, and only of that', () => {
    expect(exitCodeOfRun('cancelled', 'SIGINT')).toBe(130);
    expect(exitCodeOfRun('cancelled', 'SIGTERM')).toBe(143);
    expect(exitCodeOfRun('completed', 'SIGTERM')).toBe(0);
    expect(exitCodeOfRun('timeout', 'SIGINT')).toBe(3);
  });

  it('are 2 for what was wrong before a run, 1 for a defect', () => {
    for (const error of [
      new ConfigError('x'),
      new SessionLockedError('x'),
      new AgentBusyError('x'),
    ])
      expect(exitCodeOfError(error)).toBe(2);
    expect(exitCodeOfError(new TypeError('x'))).toBe(1);
  });
});

function parse(...args: string[]): RunFlags {
  const command = addRunFlags(new Command('run').argument('[task]')).exitOverride();
  command.action(() => undefined);
  command.parse(expandShortForms(args), { from: 'user' });
  return command.opts();
}

describe('flags of run', () => {
  it('are all read, in their long and short forms', () => {
    const flags = parse(
      ...['task', '-f', 'a', '-p', 'b', '-m', 'c', '-k', 'd', '-w', 'e', '-t', 'f'],
      ...['-mp', '-pp', 'g', '-ct', 'rich', '-at', 'trae_agent', '--config-file', 'h'],
      ...['--max-steps', '3', '--model-base-url', 'http://x/v1', '--docker-keep', 'true'],
      ...['--output-format', 'json', '--permission-mode', 'auto', '--sandbox', 'none'],
      ...['--allow', 'bash(npm test)', '--allow', 'x', '--deny', 'y', '--network', 'on'],
      ...['--max-cost', '0.5', '--max-tokens', '9', '--timeout', '60', '--session', 's-1'],
      ...['--record', 'r', '--answer-schema', 'q', '--review', 'auto'],
    );
    expect(flags).toEqual({
      file: 'a',
      provider: 'b',
      model: 'c',
      apiKey: 'd',
      workingDir: 'e',
      trajectoryFile: 'f',
      mustPatch: true,
      patchPath: 'g',
      consoleType: 'rich',
      agentType: 'trae_agent',
      configFile: 'h',
      maxSteps: 3,
      modelBaseUrl: 'http://x/v1',
      dockerKeep: true,
      outputFormat: 'json',
      permissionMode: 'auto',
      sandbox: 'none',
      allow: ['bash(npm test)', 'x'],
      deny: ['y'],
      network: 'on',
      maxCost: 0.5,
      maxTokens: 9,
      timeout: 60,
      session: 's-1',
      record: 'r',
      answerSchema: 'q',
      review: 'auto',
    });
  });

  it('become overrides of the configuration', () => {
    const flags = parse('-at', 'trae_agent', '--max-steps', '3', '--max-cost', '1', '--deny', 'x');
    expect(overridesOf(flags)).toEqual({
      deny: ['x'],
      values: { 'limits.max_cost': 1, 'agents.coding.max_steps': 3 },
    });
    expect(configValues(parse('--docker-image', 'node:24'))).toEqual({
      'sandbox.kind': 'docker',
      'sandbox.docker.image': 'node:24',
    });
  });

  it('keep two-letter forms apart from values and from what follows --', () => {
    expect(expandShortForms(['run', '-pp=x', '-p', 'p', '--', '-mp'])).toEqual([
      ...['run', '--patch-path=x', '-p', 'p', '--', '-mp'],
    ]);
  });
});

describe('the task', () => {
  it('comes from a file or standard input, as UTF-8', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cli-task-'));
    const file = join(folder, 'task.md');
    const read = (name: string, stdin: readonly string[] = []) =>
      readTask({ argument: undefined, file: name, stdin: Readable.from(stdin) });
    await writeFile(file, '\ufefffix it\n');
    expect(await read(file)).toBe('fix it\n');
    expect(await read('-', ['fix ', 'that'])).toBe('fix that');
    await writeFile(file, Buffer.from([0xff, 0xfe, 0x41]));
    await expect(read(file)).rejects.toThrow('not UTF-8');
    await expect(read('-', [' \n'])).rejects.toThrow('empty');
    await writeFile(file, '[1]');
    await expect(readAnswerSchema(file)).rejects.toThrow('not a JSON object');
    await writeFile(file, '{"type": "objekt"}');
    await expect(readAnswerSchema(file)).rejects.toThrow(/not a valid JSON Schema: .*\.$/);
    await writeFile(file, '{');
    await expect(readAnswerSchema(file)).rejects.toThrow('not JSON');
    await rm(folder, { recursive: true });
  });
});

describe('the resume command', () => {
  it('repeats what finds the model again, quoted, and never a key', () => {
    const flags = { provider: 'x', model: "it's m", apiKey: 'secret', maxSteps: 3 };
    expect(resumeCommand('s1')).toBe('toolwright resume s1');
    expect(resumeCommand('s1', flags)).toBe(
      "toolwright resume s1 --provider x --model 'it'\\''s m'",
    );
  });
});

describe('signals', () => {
  let watch: SignalWatch | null = null;
  afterEach(() => watch?.stop());

  async function send(viaLauncher: boolean, ...signals: readonly (NodeJS.Signals | number)[]) {
    const cancel = vi.fn();
    const kill = vi.fn(() => Promise.resolve());
    const exit = vi.fn();
    watch = watchSignals({ cancel, kill }, viaLauncher, exit);
    for (const signal of signals) {
      if (typeof signal === 'number') await new Promise((resolve) => setTimeout(resolve, signal));
      else process.emit(signal, signal);
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
    return { cancel: cancel.mock.calls, kills: kill.mock.calls.length, exits: exit.mock.calls };
  }

  it('cancel once; the second SIGINT kills and leaves with the code of the first', async () => {
    expect(await send(false, 'SIGTERM')).toEqual({ cancel: [['SIGTERM']], kills: 0, exits: [] });
    expect(await send(false, 'SIGINT', 'SIGTERM')).toMatchObject({ kills: 0, exits: [] });
    expect(await send(false, 'SIGTERM', 'SIGINT')).toMatchObject({ kills: 1, exits: [[143]] });
  });

  it('count one key press once when a launcher forwards it too', async () => {
    expect(await send(true, 'SIGINT', 'SIGINT')).toMatchObject({ kills: 0 });
    expect(await send(true, 'SIGINT', 'SIGINT', 120, 'SIGINT')).toMatchObject({ exits: [[130]] });
    expect(startedByLauncher({ TOOLWRIGHT_LAUNCHER: String(process.ppid) })).toBe(true);
    expect(startedByLauncher({})).toBe(false);
  });
});
