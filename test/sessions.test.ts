import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startFakeModel } from './fake-llm/server.ts';
import { makePlace, type Place } from './support/place.ts';
import { resultOf, runProgram, UNCONFINED, wireFlags } from './support/program.ts';

const script = [
  { text: 'Reading.', calls: [{ name: 'bash', arguments: { command: 'echo one' } }] },
  { calls: [{ name: 'task_done', arguments: { summary: 'first answer' } }] },
  { calls: [{ name: 'task_done', arguments: { summary: 'second answer' } }] },
];

async function finished() {
  const model = await startFakeModel({ script });
  onTestFinished(() => model.close());
  const place = makePlace();
  const flags = [...wireFlags('chat', model.url), ...UNCONFINED, '--output-format', 'json'];
  const trajectory = join(place.root, 't.json');
  const run = await runProgram(place, [
    'run',
    'the task',
    '--session',
    's',
    '--trajectory-file',
    trajectory,
    ...flags,
  ]);
  expect(run.code, run.stderr).toBe(0);
  return { place, model, flags, trajectory };
}

const sessionFile = (place: Place, name: string) =>
  join(place.home, 'users/local/sessions/s/.session', name);

describe('stored sessions', () => {
  it('are listed, shown and exported; the exported trajectory is the file, byte for byte', async () => {
    const { place, trajectory } = await finished();
    const list = await runProgram(place, ['sessions', 'list']);
    expect(list.stdout).toContain('the task');
    const listed = await runProgram(place, ['sessions', 'list', '--output-format', 'json']);
    expect(JSON.parse(listed.stdout)).toMatchObject([{ session_id: 's', task: 'the task' }]);
    const show = await runProgram(place, ['sessions', 'show', 's']);
    expect(show.stdout).toContain('first answer');
    const exported = await runProgram(place, ['sessions', 'export', 's', '--format', 'trajectory']);
    expect(exported.stdout).toBe(readFileSync(trajectory, 'utf8'));
    const markdown = await runProgram(place, ['sessions', 'export', 's', '--format', 'md']);
    expect(markdown.stdout).toContain('echo one');
    const json = await runProgram(place, ['sessions', 'export', 's', '--format', 'json']);
    expect(() => JSON.parse(json.stdout)).not.toThrow();
  });

  it('verify: ok, and edited when one byte of the audit changed', async () => {
    const { place } = await finished();
    const good = await runProgram(place, ['sessions', 'verify', 's', '--output-format', 'json']);
    expect(good.code, good.stderr).toBe(0);
    expect(JSON.parse(good.stdout)).toMatchObject({ status: 'ok' });
    const audit = sessionFile(place, 'audit.jsonl');
    writeFileSync(audit, readFileSync(audit, 'utf8').replace('"bash"', '"bosh"'));
    const bad = await runProgram(place, ['sessions', 'verify', 's', '--output-format', 'json']);
    expect(bad.code).toBe(1);
    expect(JSON.parse(bad.stdout)).toMatchObject({ status: 'edited' });
  });

  it('go on with a new task in the same conversation', async () => {
    const { place, model, flags } = await finished();
    const next = await runProgram(place, ['resume', 's', 'and now this', ...flags]);
    expect(next.code, next.stderr).toBe(0);
    expect(resultOf(next).final_result).toBe('second answer');
    expect(model.requests.at(-1)?.body.toString()).toContain('the task');
    expect(model.refusals).toEqual([]);
  });

  it('resume without a task after success: exit 2', async () => {
    const { place, flags } = await finished();
    expect((await runProgram(place, ['resume', 's', ...flags])).code).toBe(2);
  });

  it('a torn last line is cut, kept aside, and the session goes on', async () => {
    const { place, flags } = await finished();
    appendFileSync(sessionFile(place, 'events.jsonl'), '{"v":1,"seq":999,"half');
    const next = await runProgram(place, ['resume', 's', 'more', ...flags]);
    expect(next.code, next.stderr).toBe(0);
  });

  it('a damaged middle line is never repaired silently', async () => {
    const { place, flags } = await finished();
    const file = sessionFile(place, 'events.jsonl');
    const lines = readFileSync(file, 'utf8').split('\n');
    lines[2] = (lines[2] ?? '').replace('a', 'b');
    writeFileSync(file, lines.join('\n'));
    const next = await runProgram(place, ['resume', 's', 'more', ...flags]);
    expect(next.code).toBe(2);
    expect(next.stderr).toMatch(/line 3/);
  });

  it('are deleted whole', async () => {
    const { place } = await finished();
    expect((await runProgram(place, ['sessions', 'delete', 's'])).code).toBe(0);
    expect((await runProgram(place, ['sessions', 'show', 's'])).code).toBe(2);
  });
});
