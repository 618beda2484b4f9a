import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startFakeModel } from './fake-llm/server.ts';
import { makePlace } from './support/place.ts';
import { resultOf, runProgram, UNCONFINED, wireFlags } from './support/program.ts';

const script = [
  { calls: [{ name: 'bash', arguments: { command: 'echo $$ > mine && cat mine' } }] },
  { calls: [{ name: 'task_done', arguments: { summary: 'ok' } }] },
];

it('16 runs at once on one home all succeed', async () => {
  const model = await startFakeModel({ script });
  onTestFinished(() => model.close());
  const place = makePlace();
  const runs = Array.from({ length: 16 }, (_, at) => {
    const workspace = join(place.root, `w${at}`);
    mkdirSync(workspace);
    const flags = [...wireFlags('chat', model.url), ...UNCONFINED, '--output-format', 'json'];
    return runProgram(place, ['run', `task ${at}`, '--working-dir', workspace, ...flags], {
      cwd: workspace,
    });
  });
  const outcomes = await Promise.all(runs);
  const sessions = outcomes.map((outcome) => resultOf(outcome).session_id);
  expect(outcomes.map((outcome) => outcome.code)).toEqual(Array(16).fill(0));
  expect(new Set(sessions).size).toBe(16);
  expect(model.refusals).toEqual([]);
});

it('two runs on one session: the second is refused and names the process that holds it', async () => {
  const model = await startFakeModel({
    script: () => ({ calls: [{ name: 'bash', arguments: { command: 'sleep 3' } }] }),
  });
  onTestFinished(() => model.close());
  const place = makePlace();
  const flags = [
    '--session',
    'one',
    ...wireFlags('chat', model.url),
    ...UNCONFINED,
    '--max-steps',
    '1',
  ];
  const first = runProgram(place, ['run', 'x', ...flags]);
  while (model.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  const second = await runProgram(place, ['run', 'x', ...flags]);
  expect(second.code).toBe(2);
  expect(second.stderr).toMatch(/process \d+|pid \d+/i);
  expect((await first).code).toBe(3);
});

it('start-up does not read the sessions that exist', async () => {
  const model = await startFakeModel({ script });
  onTestFinished(() => model.close());
  const place = makePlace();
  const flags = [...wireFlags('chat', model.url), ...UNCONFINED, '--output-format', 'json'];
  expect((await runProgram(place, ['run', 'x', ...flags])).code).toBe(0);
  const sessions = join(place.home, 'users/local/sessions');
  for (let at = 0; at < 10_000; at += 1) {
    mkdirSync(join(sessions, `ses_${String(at).padStart(26, '0')}`, '.session'), {
      recursive: true,
    });
  }
  expect((await runProgram(place, ['run', 'x', ...flags])).code).toBe(0);
});
