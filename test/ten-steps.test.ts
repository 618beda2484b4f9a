import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startFakeModel } from './fake-llm/server.ts';
import type { ScriptedTurn } from './fake-llm/types.ts';
import { makePlace, type Place } from './support/place.ts';
import {
  API_KEY,
  resultOf,
  runProgram,
  UNCONFINED,
  type Wire,
  wireFlags,
} from './support/program.ts';

const EDIT = 'str_replace_based_edit_tool';
const view = (path: string) => ({ name: EDIT, arguments: { command: 'view', path } });
const bash = (command: string) => ({ name: 'bash', arguments: { command } });

/** Ten steps: text, reasoning, parallel reads, a failing command, a failing edit, an unknown tool, then the end. */
const script: readonly ScriptedTurn[] = [
  {
    text: 'Looking around.',
    reasoning: 'First the files.',
    calls: [{ name: 'glob_search', arguments: { pattern: '**/*' } }],
  },
  { text: 'Both files.', calls: [view('a.txt'), view('b.txt')] },
  { reasoning: 'The command should fail.', calls: [bash('echo before; exit 3')] },
  {
    calls: [
      {
        name: EDIT,
        arguments: { command: 'str_replace', path: 'a.txt', old_str: 'nowhere', new_str: 'x' },
      },
    ],
  },
  { text: 'A tool that is not there.', calls: [{ name: 'frobnicate', arguments: { x: 1 } }] },
  {
    calls: [
      {
        name: EDIT,
        arguments: { command: 'str_replace', path: 'a.txt', old_str: 'alpha', new_str: 'ALPHA' },
      },
    ],
  },
  {
    text: '中文 and 👩‍👩‍👧‍👦',
    calls: [bash('cat a.txt'), { name: 'grep_search', arguments: { pattern: 'ALPHA' } }],
  },
  {
    calls: [
      bash('printf "%s" "$TOOLWRIGHT_TEST_KEY$OPENAI_API_KEY$ANTHROPIC_API_KEY" | wc -c; env'),
    ],
  },
  {
    calls: [
      {
        name: 'sequentialthinking',
        arguments: {
          thought: 'done?',
          next_thought_needed: false,
          thought_number: 1,
          total_thoughts: 1,
        },
      },
    ],
  },
  {
    text: 'Finished.',
    calls: [{ name: 'task_done', arguments: { summary: 'alpha is ALPHA now' } }],
  },
];

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function filesWithKey(place: Place): string[] {
  return filesBelow(place.root).filter((file) => readFileSync(file).includes(API_KEY));
}

describe.each<Wire>(['chat', 'responses', 'anthropic'])('a ten-step run over %s', (wire) => {
  it('sends only valid requests, finishes, and leaves patch, trajectory and recording without the key', async () => {
    const model = await startFakeModel({ script });
    onTestFinished(() => model.close());
    const place = makePlace({ git: true, files: { 'a.txt': 'alpha\n', 'b.txt': 'beta\n' } });
    const out = (name: string) => join(place.root, name);
    const outcome = await runProgram(place, [
      ...['run', 'Make alpha loud.', ...wireFlags(wire, model.url), ...UNCONFINED],
      ...['--output-format', 'json', '--patch-path', out('out.patch')],
      ...['--trajectory-file', out('trajectory.json'), '--record', out('run.jsonl')],
    ]);
    const result = resultOf(outcome);

    expect(model.refusals).toEqual([]);
    expect(result).toMatchObject({
      type: 'result',
      success: true,
      state: 'completed',
      stop_reason: 'completed',
      steps: 10,
      final_result: 'alpha is ALPHA now',
    });
    expect(outcome.code).toBe(0);
    expect(model.requests).toHaveLength(10);
    expect(readFileSync(join(place.workspace, 'a.txt'), 'utf8')).toBe('ALPHA\n');
    expect(readFileSync(out('out.patch'), 'utf8')).toContain('+ALPHA');
    expect(existsSync(out('run.jsonl'))).toBe(true);

    const trajectory = JSON.parse(readFileSync(out('trajectory.json'), 'utf8'));
    expect(trajectory.agent_steps).toHaveLength(10);
    expect(trajectory.success).toBe(true);
    const failed = trajectory.agent_steps[2].tool_results[0];
    expect(failed).toMatchObject({ success: false, error_kind: 'command_failed' });
    expect(failed.result).toContain('before');
    expect(trajectory.agent_steps[4].tool_results[0].error_kind).toBe('unknown_tool');

    expect(filesWithKey(place)).toEqual([]);
    expect(outcome.stdout + outcome.stderr).not.toContain(API_KEY);
    const inTool = trajectory.agent_steps[7].tool_results[0].result as string;
    expect(inTool).toMatch(/^exit_code=0[\s\S]*\b0\b/);
  });

  it('keeps the earlier requests as a byte prefix', async () => {
    const model = await startFakeModel({ script });
    onTestFinished(() => model.close());
    const place = makePlace({ git: true, files: { 'a.txt': 'alpha\n', 'b.txt': 'beta\n' } });
    await runProgram(place, [
      'run',
      'Make alpha loud.',
      ...wireFlags(wire, model.url),
      ...UNCONFINED,
    ]);
    const key = wire === 'responses' ? 'input' : 'messages';
    const bodies = model.requests.map((request) =>
      request.body.toString('utf8').replace(/,?"cache_control":\{[^}]*\}/g, ''),
    );
    const history = (body: string) => JSON.stringify(JSON.parse(body)[key]).slice(0, -1);
    for (const [at, body] of bodies.entries()) {
      const next = bodies[at + 1];
      if (next === undefined) continue;
      expect(history(next).startsWith(history(body))).toBe(true);
      expect(JSON.stringify(JSON.parse(next).tools)).toBe(JSON.stringify(JSON.parse(body).tools));
    }
  });
});

describe('first request', () => {
  it('is at most 9 kB with the default coding tools', async () => {
    const model = await startFakeModel({ script });
    onTestFinished(() => model.close());
    const place = makePlace({ files: { 'a.txt': 'alpha\n', 'b.txt': 'beta\n' } });
    await runProgram(place, ['run', 'x', ...wireFlags('chat', model.url), ...UNCONFINED]);
    expect(model.requests[0]?.body.length).toBeLessThanOrEqual(9000);
  });

  it('leaves state files that only their owner can read', async () => {
    const model = await startFakeModel({ script });
    onTestFinished(() => model.close());
    const place = makePlace({ files: { 'a.txt': 'alpha\n', 'b.txt': 'beta\n' } });
    await runProgram(place, ['run', 'x', ...wireFlags('chat', model.url), ...UNCONFINED]);
    const state = filesBelow(place.home).filter((file) => file.includes('/.session/'));
    expect(state.length).toBeGreaterThan(0);
    for (const file of state) expect(statSync(file).mode & 0o077).toBe(0);
  });
});
