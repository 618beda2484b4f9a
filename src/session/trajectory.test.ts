import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { blobName } from './blobs.ts';
import { exportSession } from './store.ts';
import {
  type EventScript,
  finishedPayload,
  replyPayload,
  runFinishedPayload,
  runStartedPayload,
  sampleRun,
  toolCall,
  userText,
} from './testing/sample-events.ts';
import { freshHome, freshPaths, openSession, removeHomes } from './testing/session-fixture.ts';
import { renderTrajectory, trajectoryOf } from './trajectory.ts';
import {
  createTrajectoryWriter,
  defaultTrajectoryPath,
  freeTrajectoryPath,
} from './trajectory-writer.ts';
import type { EventLog } from './types.ts';

afterAll(removeHomes);

const RUN = { run_id: 'run_1' };

function parsed(script: EventScript, runId?: string) {
  const trajectory = trajectoryOf(script.events, runId);
  if (trajectory === null) throw new Error('no trajectory');
  return JSON.parse(renderTrajectory(trajectory));
}

function failedRun(): EventScript {
  const script = sampleRun();
  script.events.pop();
  return script
    .step(3)
    .endStep(3, 'error')
    .add(
      'run_finished',
      runFinishedPayload({
        success: false,
        agent_state: 'error',
        stop_reason: 'provider_error',
        final_result: null,
        error: { kind: 'network', message: 'gone' },
        steps: 3,
      }),
    );
}

describe('a trajectory', () => {
  it("has trae-agent's keys first, in its order and with its types", () => {
    const file = parsed(failedRun());
    expect(Object.keys(file).slice(0, 12)).toEqual([
      'task',
      'start_time',
      'end_time',
      'provider',
      'model',
      'max_steps',
      'llm_interactions',
      'agent_steps',
      'success',
      'final_result',
      'execution_time',
      'format',
    ]);
    expect(file).toMatchObject({
      task: 'Fix it',
      start_time: expect.stringMatching(/^2025-01-01T00:00:02\.000\+00:00$/),
      success: false,
      final_result: null,
      execution_time: 1.5,
      stop_reason: 'provider_error',
      run_ids: ['run_1'],
    });
    expect(file.agent_steps.map(({ state }: { state: string }) => state)).toEqual([
      'completed',
      'completed',
      'error',
    ]);
    expect(file.agent_steps[2].error).toBe('network: gone');
  });

  it('gives each model call what was new in it, the first with the system text', () => {
    const [first, second] = parsed(sampleRun()).llm_interactions;
    expect(first.input_messages.map(({ role }: { role: string }) => role)).toEqual([
      'system',
      'user',
    ]);
    expect(first.response).toMatchObject({
      content: 'Looking.',
      finish_reason: 'tool_calls',
      usage: { input_tokens: 10, reasoning_tokens: 1 },
      tool_calls: [{ call_id: 'c1', name: 'bash' }, { call_id: 'c2' }],
    });
    expect(first.tools_available).toEqual(['bash']);
    const inputs = second.input_messages;
    expect(
      inputs.map((message: { tool_result?: { call_id: string } }) => message.tool_result?.call_id),
    ).toEqual(['c1', 'c2', undefined]);
    expect(inputs[2]).toMatchObject({
      role: 'user',
      content: '[note] bash failed',
      origin: 'note',
    });
  });

  it('gives each step its calls, results, files, approvals and what it adds', () => {
    const script = sampleRun();
    const [step] = parsed(script).agent_steps;
    expect(step).toMatchObject({
      step_number: 1,
      session_step: 1,
      reflection: '[note] bash failed',
      error: null,
      tool_calls: [{ call_id: 'c1' }, { call_id: 'c2' }],
      tool_results: [
        { call_id: 'c1', success: false, error: 'exit code 1', error_kind: 'command_failed' },
        { call_id: 'c2', success: true, result: 'hits' },
      ],
    });
    expect(step.llm_messages).toHaveLength(6);
  });

  it('covers a task with every run that resumes it, and no other task', () => {
    const script = failedRun();
    script.scope = { run_id: 'run_2' };
    script
      .add('run_started', runStartedPayload('Fix it', { resumes: 'run_1' }))
      .step(4)
      .add('llm_response', replyPayload('m4', 'ok'));
    script.scope = { run_id: 'run_3' };
    script.add('run_started', runStartedPayload('Another'));
    const resumed = parsed(script, 'run_1');
    expect(resumed.run_ids).toEqual(['run_1', 'run_2']);
    expect(resumed).toMatchObject({ end_time: '', success: false, execution_time: 0 });
    expect(resumed.agent_steps).toHaveLength(4);
    expect(parsed(script)).toMatchObject({ task: 'Another', agent_steps: [] });
    expect(trajectoryOf(script.events, 'run_9')).toBeNull();
  });

  it('shows sub-agents as a tree', () => {
    const child = { run_id: 'run_c', parent_run_id: 'run_1', parent_call_id: 'c1' };
    const script = sampleRun()
      .add('run_started', runStartedPayload('sub task'), child)
      .add('llm_response', replyPayload('mc', 'child'), child);
    expect(parsed(script).sub_agents).toMatchObject([
      { task: 'sub task', call_id: 'c1', llm_interactions: [{ response: { content: 'child' } }] },
    ]);
  });

  it('stays small with a 5 MB result and an image, and names their blobs', () => {
    const text = 'line of output\n'.repeat(350_000);
    const image = Buffer.alloc(500_000, 7);
    const script = sampleRun()
      .step(3)
      .add('llm_response', replyPayload('m3', '', [toolCall('c3')]))
      .add(
        'tool_finished',
        finishedPayload('c3', text, {
          images: [
            {
              type: 'image',
              mime: 'image/png',
              data: image.toString('base64'),
              width: 1,
              height: 1,
            },
          ],
        }),
      )
      .endStep(3);
    const rendered = renderTrajectory(trajectoryOf(script.events) ?? {});
    expect(rendered.length).toBeLessThan(1_000_000);
    expect(rendered).toContain(blobName(text));
    expect(rendered).toContain(blobName(image));
    expect(rendered).toContain(`${text.length} characters in all`);
  });

  it('is plain indented JSON, whatever pieces it is made of', () => {
    for (const script of [sampleRun(), sampleRun().user('m', 'two\nlines "quoted"')]) {
      const rendered = renderTrajectory(trajectoryOf(script.events) ?? {});
      expect(rendered).toBe(`${JSON.stringify(JSON.parse(rendered), null, 2)}\n`);
    }
    expect(renderTrajectory({})).toBe('{}\n');
  });

  it('hides key-shaped text', () => {
    const key = `sk-ant-api03-${'a1'.repeat(30)}`;
    const script = sampleRun().user('m', `use ${key}`);
    script.add('llm_response', replyPayload('m9', key));
    expect(renderTrajectory(trajectoryOf(script.events) ?? {})).not.toContain(key);
  });
});

async function appendRun(log: EventLog, task: string, run = RUN): Promise<void> {
  log.append(run, 'run_started', runStartedPayload(task));
  log.append(run, 'message_added', { message: userText('t', task, 'task') });
  log.append(run, 'step_started', { step_number: 1, session_step: 1 });
  log.append(run, 'llm_response', replyPayload('r', 'done'));
  await log.append(run, 'step_finished', {
    step_number: 1,
    session_step: 1,
    state: 'completed',
    error: null,
    usage: runFinishedPayload().usage,
    cost_usd: 0,
  }).acknowledged;
}

describe('the trajectory file', () => {
  it('is byte for byte the export, also after a kill and a resume', async () => {
    const paths = await freshPaths();
    const folder = await freshHome();
    const first = await openSession(paths);
    const killed = createTrajectoryWriter({ log: first.log, file: join(folder, 'a.json') });
    await appendRun(first.log, 'Fix it');
    await expect.poll(() => killed.file).toBe(join(folder, 'a.json'));
    expect(JSON.parse(await readFile(join(folder, 'a.json'), 'utf8')).end_time).toBe('');
    await first.close();

    const second = await openSession(paths);
    const writer = createTrajectoryWriter({
      log: second.log,
      file: join(folder, 'a.json'),
      previous: second.recovered.events,
    });
    const run = { run_id: 'run_2' };
    second.log.append(run, 'run_started', runStartedPayload('Fix it', { resumes: 'run_1' }));
    second.log.append(run, 'run_finished', runFinishedPayload());
    await writer.finish();
    await second.close();
    expect(writer.file).toBe(join(folder, 'a_1.json'));
    const written = await readFile(join(folder, 'a_1.json'), 'utf8');
    expect(written).toBe(await exportSession(paths, 'trajectory'));
    expect(JSON.parse(written).run_ids).toEqual(['run_1', 'run_2']);
    expect((await stat(join(folder, 'a_1.json'))).mode & 0o777).toBe(0o600);
    expect((await readdir(folder)).sort()).toEqual(['a.json', 'a_1.json']);
  });

  it('is written at the start, not again within 2 s, and at the end', async () => {
    const session = await openSession(await freshPaths());
    const file = join(await freshHome(), 'deep', 'trajectory.json');
    let time = 0;
    const writer = createTrajectoryWriter({ log: session.log, file, now: () => time });
    await appendRun(session.log, 'Fix it');
    await expect.poll(() => writer.file).toBe(file);
    const versions = new Set([(await stat(file)).ino]);
    const more = async () => {
      await session.log.append(RUN, 'step_finished', {
        step_number: 1,
        session_step: 1,
        state: 'completed',
        error: null,
        usage: runFinishedPayload().usage,
        cost_usd: 0,
      }).acknowledged;
      await new Promise((resolve) => setTimeout(resolve, 50));
      versions.add((await stat(file)).ino);
    };
    await more();
    await more();
    expect(versions.size).toBe(1);
    time = 2001;
    await more();
    expect(versions.size).toBe(2);
    session.log.append(RUN, 'run_finished', runFinishedPayload());
    await writer.finish();
    expect(JSON.parse(await readFile(file, 'utf8')).success).toBe(true);
    await session.close();
  });

  it('that cannot be written is one warning and no path', async () => {
    const session = await openSession(await freshPaths());
    const folder = await freshHome();
    await writeFile(join(folder, 'file'), '');
    const writer = createTrajectoryWriter({
      log: session.log,
      file: join(folder, 'file', 'trajectory.json'),
    });
    await appendRun(session.log, 'Fix it');
    await writer.finish();
    await writer.finish();
    expect(writer.file).toBeNull();
    const warnings = (await session.log.events()).filter(({ type }) => type === 'warning');
    expect(warnings).toMatchObject([{ code: 'trajectory_failed' }]);
    expect(await exportSession(session.paths, 'trajectory')).toContain('Fix it');
    await session.close();
  });

  it('never takes a name that is in use', async () => {
    const folder = await freshHome();
    const file = defaultTrajectoryPath(folder, new Date(2025, 0, 2, 3, 4, 5));
    expect(file).toBe(join(folder, 'trajectories', 'trajectory_20250102_030405.json'));
    expect(await freeTrajectoryPath(file)).toBe(file);
    await mkdir(join(folder, 'trajectories'));
    await writeFile(file, '');
    expect(await freeTrajectoryPath(file)).toBe(file.replace('.json', '_1.json'));
  });
});
