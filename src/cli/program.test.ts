import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exitCodeOfError } from './exit-codes.ts';
import { buildProgram, runProgram } from './program.ts';
import { type TestIo, testIo } from './testing.ts';
import { errorLine } from './usage-error.ts';

let cwd: string;
let io: TestIo;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'cli-test-'));
  io = testIo({ cwd, env: { TOOLWRIGHT_HOME: join(cwd, 'home') } });
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

/** As `main` does: the exit code, errors as one line. */
async function run(...args: string[]): Promise<{ code: number; line: string }> {
  try {
    return { code: await runProgram(args, io), line: '' };
  } catch (error) {
    return { code: exitCodeOfError(error), line: errorLine(error) };
  }
}

const RUN_LOCAL = [
  'run',
  'x',
  '-p',
  'mine',
  '-m',
  'm',
  '--model-base-url',
  'http://127.0.0.1:9/v1',
];

describe('a wrong command line', () => {
  it.each([
    [['run'], 'No task: give it as an argument'],
    [['run', 'x', '--file', 'y'], 'Both TASK and --file'],
    [['run', ' \n'], 'The task is empty'],
    [['run', '--file', '/nowhere/task.md'], 'there is no such file'],
    [['run', 'x', '--max-steps', '0'], "'--max-steps <n>' argument '0' is invalid"],
    [['run', 'x', '--max-steps', '1.5'], 'whole number of at least 1'],
    [['run', 'x', '--max-cost', '-1'], "'--max-cost <usd>' argument '-1' is invalid"],
    [['run', 'x', '--max-tokens', 'many'], '--max-tokens'],
    [['run', 'x', '--timeout', '0'], 'Give a number above 0'],
    [['run', 'x', '--docker-keep', 'maybe'], 'Give true or false'],
    [['run', 'x', '--permission-mode', 'yolo'], 'Allowed choices are ask, read-only'],
    [['run', 'x', '--sandbox', 'jail'], 'Allowed choices are auto, bwrap, docker, none'],
    [['run', 'x', '--network', 'maybe'], 'on, off'],
    [['run', 'x', '--output-format', 'xml'], 'text, json, stream-json'],
    [['run', 'x', '--console-type', 'big'], 'simple, rich'],
    [['run', 'x', '--review', 'never'], 'required, auto'],
    [['run', 'x', '--session', '../up'], 'letters, digits'],
    [['run', 'x', '--model-base-url', 'localhost'], 'https://host/v1'],
    [['run', 'x', '--agent-type', 'Coding!'], 'agent type'],
    [['run', 'x', '--model'], 'argument missing'],
    [['run', 'x', '--modle', 'm'], 'Did you mean --model?'],
    [['run', 'x', 'y'], 'too many arguments'],
    [['run', 'x', '--docker-image', 'a', '--dockerfile-path', 'b'], 'exclude each other'],
    [['run', 'x', '--docker-image', 'a', '--sandbox', 'bwrap'], 'leave out --sandbox'],
    [
      [...RUN_LOCAL, '--answer-schema', 'nope.json'],
      'nope.json cannot be read: there is no such file',
    ],
    [['run', 'x'], 'No model is configured'],
    [['run', 'x', '--config-file', 'nope.yaml'], 'nope.yaml does not exist'],
    [['rum', 'x'], 'Did you mean run?'],
    [['sessions', 'export', 'a', '--format', 'pdf'], 'md, json or trajectory'],
    [['sessions', 'show', 'a'], 'there is no session a'],
    [['resume'], 'There is no session to resume'],
    [['tools', '--profile', 'codng'], 'coding'],
    [['trust', '--list', 'x'], 'leave out DIR'],
    [['completion', 'ksh'], 'bash, zsh or fish'],
  ])('%j: exit 2, one line with the remedy, nothing created', async (args, words) => {
    const { code, line } = await run(...args);
    expect(code).toBe(2);
    expect(line).toContain(words);
    expect(line).toMatch(/^toolwright: [^\n]+$/);
    expect(io.out()).toBe('');
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('a file as working directory is refused', async () => {
    await writeFile(join(cwd, 'file'), '');
    const { code, line } = await run(...RUN_LOCAL, '-w', 'file');
    expect(code).toBe(2);
    expect(line).toContain('is not a folder');
  });

  it('without any command shows the help and is exit 2', async () => {
    expect((await run()).code).toBe(2);
    expect(io.err()).toContain('Usage: toolwright');
  });
});

describe('help', () => {
  it('is there for every command at every level, with examples for those people start with', async () => {
    const paths = buildProgram(io).commands.flatMap((command) => [
      [command.name()],
      ...command.commands.map((below) => [command.name(), below.name()]),
    ]);
    expect(paths.length).toBeGreaterThan(12);
    for (const path of paths) expect((await run(...path, '--help')).code).toBe(0);
    const usages = io.out().match(/^Usage: toolwright /gm) ?? [];
    expect(usages).toHaveLength(paths.length);
    for (const command of ['run', 'chat', 'resume', 'sessions', 'trust', 'tools', 'doctor']) {
      const shown = testIo();
      await runProgram([command, '--help'], shown);
      expect(shown.out(), command).toContain('Examples:');
    }
  });
});

describe('looking commands', () => {
  it('show-config names the source of each value and shows no secret', async () => {
    await writeFile(
      join(cwd, 'mine.yaml'),
      'model_providers:\n  x: {api_key: sk-very-secret-key}\n',
    );
    const args = ['--config-file', 'mine.yaml', '--max-cost', '2', '--permission-mode', 'ask'];
    expect(await run('show-config', ...args)).toEqual({ code: 0, line: '' });
    const out = io.out();
    expect(out).toContain('limits.max_cost = 2  (flag: --max-cost)');
    expect(out).toContain('permissions.mode = ask  (flag: --permission-mode)');
    expect(out).toContain(`model_providers.x.api_key = (set)  (user: ${cwd}/mine.yaml:2)`);
    expect(out).not.toContain('sk-very');
    expect(existsSync(join(cwd, 'home'))).toBe(false);
  });

  it('show-config says what flags change in the model', async () => {
    await writeFile(
      join(cwd, 'mine.yaml'),
      'models: {m: {model: old, model_provider: x}}\nmodel_providers: {x: {base_url: "http://old/v1"}}\n',
    );
    const flags = ['-m', 'new', '--model-base-url', 'http://u:pw@new/v1', '-k', 'sk-flag-key'];
    await run('show-config', '--config-file', 'mine.yaml', ...flags);
    expect(io.out()).toContain('model = new  (flag: --model)');
    expect(io.out()).toContain('model_providers.x.base_url = http://(set)@new/v1  (flag: --model');
    expect(io.out()).toContain('model_providers.x.api_key = (set)  (flag: --api-key)');
    expect(io.out()).not.toContain('sk-flag-key');
    const other = testIo({ cwd });
    await runProgram(['show-config', '-p', 'mine', '-m', 'y'], other);
    expect(other.out()).toContain('provider = mine  (flag: --provider)');
  });

  it.each([
    ['sessions', 'list'],
    ['tools'],
    ['tools', 'show', 'bash'],
    ['show-config'],
    ['doctor'],
  ])('%s ... prints one JSON document on request', async (...command) => {
    expect((await run(...command, '--output-format', 'json')).code).toBe(0);
    expect(() => JSON.parse(io.out())).not.toThrow();
  });

  it('tools lists the registry, one tool with its schema, and the size of a profile', async () => {
    await run('tools');
    expect(io.out()).toContain('task_done');
    const one = testIo();
    await runProgram(['tools', 'show', 'task_done'], one);
    expect(JSON.parse(one.out())).toMatchObject({
      name: 'task_done',
      parameters: { type: 'object' },
    });
    const profile = testIo();
    await runProgram(['tools', '--profile', 'coding'], profile);
    expect(profile.out()).toMatch(/\d+ tools, \d+ bytes\n$/);
  });

  it('completion knows every command and flag', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const shown = testIo();
      expect(await runProgram(['completion', shell], shown)).toBe(0);
      for (const word of ['sessions', 'show-config', 'permission-mode', 'trajectory-file'])
        expect(shown.out(), shell).toContain(word);
    }
  });

  it('trust shows and accepts, lists and revokes', async () => {
    await writeFile(join(cwd, 'toolwright.yaml'), 'models: {m: {model: x}}\n');
    expect((await run('trust')).code).toBe(0);
    expect(io.err()).toContain('toolwright.yaml');
    await run('trust', '--list');
    expect(io.out()).toContain(cwd);
    expect((await run('trust', '--revoke')).code).toBe(0);
    expect((await run('trust', '--revoke')).code).toBe(2);
    expect(await run('trust', join(cwd, 'none'))).toMatchObject({ code: 2 });
    expect(io.err()).not.toContain('none has no content');
  });
});
