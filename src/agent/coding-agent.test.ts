import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonValue, LLMRequest } from '../llm/types.ts';
import { Agent } from './agent.ts';
import { CODING_PROMPT } from './prompts/coding.ts';
import { call, done, reply, type Script, ScriptedClient } from './testing/scripted-client.ts';
import type { AgentOptions } from './types.ts';

let root = '';
let work = '';
const open: Agent[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'coding-'));
  work = join(root, 'work');
  mkdirSync(work);
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((agent) => agent.close()));
  rmSync(root, { recursive: true, force: true });
});

function git(...args: string[]): void {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@t'];
  execFileSync('git', [...identity, ...args], { cwd: work });
}

function repository(): void {
  git('init', '-q');
  writeFileSync(join(work, 'a.py'), 'x = 1\n');
  git('add', '-A');
  git('commit', '-qm', 'start');
}

function coding(script: readonly Script[], over: Partial<AgentOptions> = {}) {
  const client = new ScriptedClient(script);
  const agent = new Agent({
    workspace: work,
    home: join(root, 'home'),
    sandbox: 'none',
    permissionMode: 'bypass',
    modelClient: client,
    ...over,
  });
  open.push(agent);
  return { agent, client };
}

const edit = (old: string, text: string) =>
  call('str_replace_based_edit_tool', {
    command: 'str_replace',
    path: join(work, 'a.py'),
    old_str: old,
    new_str: text,
  });
const prefixOf = ({ system, tools }: LLMRequest) => JSON.stringify([system, tools]);

describe('the coding agent', () => {
  it('edits, runs a command and leaves a patch', async () => {
    repository();
    const patchPath = join(root, 'out.diff');
    const one = coding(
      [
        reply({ calls: [edit('x = 1', 'x = 2')] }),
        reply({ calls: [call('bash', { command: 'cat a.py' })] }),
        reply({ calls: [done({ summary: 'changed x' })] }),
      ],
      { mustPatch: true, patchPath },
    );
    const execution = await one.agent.run('set x to 2');
    expect(execution).toMatchObject({
      success: true,
      final_result: 'changed x',
      patch: { files: 1, insertions: 1, deletions: 1, non_test_files: 1, path: patchPath },
    });
    expect(readFileSync(patchPath, 'utf8')).toContain('+x = 2');
    expect(JSON.stringify(one.client.requests[2]?.messages)).toContain('x = 2');
  });

  it('must_patch with nothing but a test changed is refused', async () => {
    repository();
    const make = call('bash', { command: 'mkdir tests && echo 1 > tests/test_a.py' });
    const finish = () => reply({ calls: [done()] });
    const one = coding([reply({ calls: [make] }), finish(), finish(), finish()], {
      mustPatch: true,
    });
    expect(await one.agent.run('x')).toMatchObject({
      stop_reason: 'gave_up',
      error: { kind: 'patch_empty' },
      patch: { files: 1, non_test_files: 0 },
    });
  });

  it('writes denied by mode: blocked, with the denials', async () => {
    repository();
    const one = coding(
      [
        reply({ calls: [call('bash', { command: 'rm a.py' })] }),
        ...['a', 'b', 'c'].map((text) => reply({ text })),
      ],
      { mustPatch: true, permissionMode: 'ask' },
    );
    expect(await one.agent.run('x')).toMatchObject({
      stop_reason: 'blocked',
      error: { kind: 'permission_denied' },
      denials: [{ tool: 'bash', error_kind: 'permission_denied' }],
    });
  });

  it('the fifth identical call of a real tool does not run', async () => {
    const ls = () => reply({ calls: [call('bash', { command: 'echo x >> log.txt' })] });
    const one = coding(Array.from({ length: 9 }, ls));
    expect(await one.agent.run('x')).toMatchObject({ error: { kind: 'repeated_call' } });
    expect(readFileSync(join(work, 'log.txt'), 'utf8')).toBe('x\nx\nx\nx\n');
  });

  it('system and tools are the same bytes in another workspace; the first request is small', async () => {
    const one = coding([reply({ calls: [done()] })]);
    await one.agent.run('x');
    mkdirSync(join(root, 'other'));
    const two = coding([reply({ calls: [done()] })], { workspace: join(root, 'other') });
    await two.agent.run('y');
    const [a, b] = [one, two].map(({ client }) => client.requests[0]);
    if (a === undefined || b === undefined) throw new Error('no request was made');
    expect(prefixOf(a)).toBe(prefixOf(b));
    const body = JSON.stringify([a.system, a.tools, a.messages]);
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(9000);
    expect(Buffer.byteLength(CODING_PROMPT)).toBeLessThanOrEqual(1900);
  });

  it('no variable of our environment reaches the model', async () => {
    process.env.CANARY_FOR_TEST = 'canary-value-17';
    const one = coding([
      reply({ calls: [call('bash', { command: 'env' })] }),
      reply({ calls: [done()] }),
    ]);
    await one.agent.run('x');
    delete process.env.CANARY_FOR_TEST;
    expect(JSON.stringify(one.client.requests)).not.toContain('canary-value-17');
  });

  it('nested instruction files arrive once, with the first touch; an import cycle ends', async () => {
    mkdirSync(join(work, 'sub'));
    writeFileSync(join(work, 'AGENTS.md'), 'Top rules. @more.md');
    writeFileSync(join(work, 'CLAUDE.md'), 'Top rules. @more.md');
    writeFileSync(join(work, 'more.md'), 'More rules. @AGENTS.md');
    writeFileSync(join(work, 'sub', 'AGENTS.md'), 'Sub rules.');
    writeFileSync(join(work, 'sub', 'b.txt'), 'b\n');
    const view = (n: number) =>
      call('str_replace_based_edit_tool', {
        command: 'view',
        path: join(work, 'sub', 'b.txt'),
        view_range: [n, n],
      });
    const one = coding([
      reply({ calls: [view(1)] }),
      reply({ calls: [view(1)] }),
      reply({ calls: [done()] }),
    ]);
    await one.agent.run('x');
    const last = JSON.stringify(one.client.requests.at(-1)?.messages);
    for (const text of ['Top rules.', 'More rules.', 'Sub rules.'])
      expect(last.split(text)).toHaveLength(2);
    expect(last.indexOf('Top rules.')).toBeLessThan(last.indexOf('More rules.'));
  });

  it('an answer by schema is kept beside the summary', async () => {
    const answerSchema: JsonValue = {
      type: 'object',
      properties: { n: { type: 'integer' } },
      required: ['n'],
    };
    const one = coding(
      [
        reply({ calls: [done({ answer: { n: 'four' } })] }),
        reply({ calls: [done({ summary: 's', answer: { n: 4 } })] }),
      ],
      { answerSchema },
    );
    expect(await one.agent.run('x')).toMatchObject({ success: true, answer: { n: 4 } });
    expect(JSON.stringify(one.client.requests[1]?.messages)).toContain('completion_refused');
  });

  it('16 Agents in one process do not disturb each other', async () => {
    const folder = process.cwd();
    const runs = Array.from({ length: 16 }, async (_, n) => {
      const workspace = join(root, `w${n}`);
      mkdirSync(workspace);
      const one = coding(
        [
          reply({ calls: [call('bash', { command: `echo ${n} > n.txt` })] }),
          reply({ calls: [done({ summary: `${n}` })] }),
        ],
        { workspace },
      );
      expect(await one.agent.run('x')).toMatchObject({ success: true, final_result: `${n}` });
      expect(readFileSync(join(workspace, 'n.txt'), 'utf8')).toBe(`${n}\n`);
    });
    await Promise.all(runs);
    expect(process.cwd()).toBe(folder);
  });
});
