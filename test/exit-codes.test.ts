import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startFakeModel } from './fake-llm/server.ts';
import type { FakeModelOptions, Reply } from './fake-llm/types.ts';
import { makePlace } from './support/place.ts';
import {
  type Outcome,
  resultOf,
  runProgram,
  startProgram,
  UNCONFINED,
  type Wire,
  wireFlags,
} from './support/program.ts';

async function serve(script: FakeModelOptions['script']) {
  const model = await startFakeModel({ script });
  onTestFinished(() => model.close());
  return model;
}

const done = { calls: [{ name: 'task_done', arguments: {} }] };
const failed = {
  calls: [{ name: 'task_done', arguments: { outcome: 'failed', summary: 'cannot' } }],
};
const blocked = {
  calls: [{ name: 'task_done', arguments: { outcome: 'blocked', summary: 'no access' } }],
};
const bash = (command: string) => ({ calls: [{ name: 'bash', arguments: { command } }] });
const json = ['--output-format', 'json'];
const errorReply = (status: number, error: unknown): Reply => ({
  status,
  headers: { 'content-type': 'application/json' },
  writes: [JSON.stringify({ error })],
});

function expectOutcome(outcome: Outcome, code: number, reason: string, kind?: string): void {
  const result = resultOf(outcome);
  expect({ code: outcome.code, reason: result.stop_reason }).toEqual({ code, reason });
  expect(result.success).toBe(code === 0);
  if (kind !== undefined) expect(result.error).toMatchObject({ kind });
}

describe.each<Wire>(['chat', 'responses', 'anthropic'])('exit codes over %s', (wire) => {
  const run = async (script: FakeModelOptions['script'], ...flags: string[]) => {
    const model = await serve(script);
    const args = ['run', 'do it', ...wireFlags(wire, model.url), ...UNCONFINED, ...json, ...flags];
    return { outcome: await runProgram(makePlace(), args), model };
  };

  it('0 when the task is done', async () => {
    expectOutcome((await run([done])).outcome, 0, 'completed');
  });

  it('1 when the agent gives up', async () => {
    expectOutcome((await run([failed])).outcome, 1, 'gave_up', 'self_reported');
  });

  it('3 when a limit is reached', async () => {
    const { outcome, model } = await run(() => bash('true'), '--max-steps', '3');
    expectOutcome(outcome, 3, 'max_steps', 'max_steps');
    expect(model.requests).toHaveLength(3);
    const tokens = await run(() => bash('true'), '--max-tokens', '1500');
    expectOutcome(tokens.outcome, 3, 'max_tokens', 'max_tokens');
    const time = await run(() => bash('sleep 20'), '--timeout', '2');
    expectOutcome(time.outcome, 3, 'timeout', 'timeout');
    expect(time.outcome.ms).toBeLessThan(10_000);
  });

  it('4 when the provider refuses for good, with one request', async () => {
    const auth = { message: 'bad key', type: 'authentication_error', code: 'invalid_api_key' };
    const { outcome, model } = await run(() => errorReply(401, auth));
    expectOutcome(outcome, 4, 'provider_error', 'auth');
    expect(model.requests).toHaveLength(1);
  });

  it('5 when the agent reports a block, or every call is denied', async () => {
    expectOutcome((await run([blocked])).outcome, 5, 'blocked', 'self_reported');
    const denied = await run(() => bash('rm x'), '--permission-mode', 'read-only');
    expect(denied.outcome.code).not.toBe(0);
  });
});

describe('exit code 5', () => {
  it('after three steps in which every call was denied by a rule', async () => {
    const model = await serve((request) => bash(`touch file-${request.turn}`));
    const flags = [
      ...wireFlags('chat', model.url),
      ...UNCONFINED,
      ...json,
      '--deny',
      'bash(touch *)',
    ];
    const outcome = await runProgram(makePlace(), ['run', 'x', ...flags]);
    expectOutcome(outcome, 5, 'blocked', 'permission_denied');
    expect(resultOf(outcome).denials).toHaveLength(3);
  });
});

describe('exit code 4', () => {
  it('after bounded retries when nobody answers', async () => {
    const place = makePlace();
    place.write(
      '../config.yaml',
      'models:\n  m:\n    model: x\n    model_provider: p\n    max_retries: 1\nmodel_providers:\n  p:\n    provider: openai_compatible\n    base_url: http://127.0.0.1:9/v1\n    api_key: none\nagents:\n  coding:\n    model: m\n',
    );
    const config = ['--config-file', join(place.root, 'config.yaml')];
    const outcome = await runProgram(place, ['run', 'x', ...config, ...UNCONFINED, ...json]);
    expectOutcome(outcome, 4, 'provider_error', 'network');
  });
});

describe('exit code 2', () => {
  const cases: readonly (readonly [string, readonly string[], RegExp])[] = [
    ['no task', ['run'], /task/i],
    ['an empty task', ['run', '  '], /empty|task/i],
    ['both task and file', ['run', 'x', '--file', 'y'], /file/],
    ['an unreadable file', ['run', '--file', 'missing.txt'], /missing\.txt/],
    ['an unknown flag', ['run', 'x', '--max-step', '3'], /max-step/],
    ['zero steps', ['run', 'x', '--max-steps', '0'], /max-steps/],
    ['a bad mode', ['run', 'x', '--permission-mode', 'yolo'], /yolo|mode/],
    [
      'two docker sources',
      ['run', 'x', '--docker-image', 'a', '--docker-container-id', 'b'],
      /docker/,
    ],
    ['an unknown command', ['rum', 'x'], /rum/],
    ['a malformed rule', ['run', 'x', '--deny', 'bsh(rm *)'], /bash/],
    ['a missing configuration', ['run', 'x', '--config-file', 'nope.yaml'], /nope\.yaml/],
  ];
  it.each(cases)('%s: one line, nothing created', async (_, args, words) => {
    const place = makePlace();
    const outcome = await runProgram(place, args);
    expect(outcome.code).toBe(2);
    expect(outcome.stdout).toBe('');
    expect(outcome.stderr.trim().split('\n')).toHaveLength(1);
    expect(outcome.stderr).toMatch(words);
    expect(readdirSync(place.workspace)).toEqual([]);
    expect(existsSync(join(place.home, 'users'))).toBe(false);
  });

  it('unattended without a working sandbox and without a mode names the three remedies', async () => {
    const model = await serve([done]);
    const flags = [...wireFlags('chat', model.url), '--sandbox', 'none'];
    const outcome = await runProgram(makePlace(), ['run', 'x', ...flags]);
    expect(outcome.code).toBe(2);
    for (const remedy of [
      'bubblewrap',
      '--permission-mode read-only',
      '--sandbox none --permission-mode bypass',
    ]) {
      expect(outcome.stderr).toContain(remedy);
    }
    expect(model.requests).toHaveLength(0);
  });
});

describe('signals', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    '%s ends the run cleanly with %i and prints the resume command',
    async (signal, code) => {
      const model = await serve(() => bash('echo started; sleep 30'));
      const place = makePlace();
      const flags = [...wireFlags('chat', model.url), ...UNCONFINED, ...json];
      const program = startProgram(place, ['run', 'x', '--session', 'mine', ...flags]);
      while (model.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
      await new Promise((resolve) => setTimeout(resolve, 500));
      const sent = performance.now();
      program.child.kill(signal);
      const outcome = await program.done;
      expectOutcome(outcome, code, 'cancelled', 'cancelled');
      expect(outcome.stderr).toContain('resume mine');
      expect(performance.now() - sent).toBeLessThan(4000);
    },
  );

  it('SIGINT while the model is silent ends within seconds', async () => {
    const model = await serve(() => ({ writes: [': wait\n\n', { hang: true }] }));
    const flags = [...wireFlags('anthropic', model.url), ...UNCONFINED, ...json];
    const program = startProgram(makePlace(), ['run', 'x', ...flags]);
    while (model.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    program.child.kill('SIGINT');
    expectOutcome(await program.done, 130, 'cancelled', 'cancelled');
  });
});
