import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startFakeModel } from './fake-llm/server.ts';
import { makePlace } from './support/place.ts';
import { runProgram, UNCONFINED, wireFlags } from './support/program.ts';

const ESC = '\u001b';
const hostile = `${ESC}]52;c;aGk=${ESC}\\${ESC}[2J${ESC}]0;title\u0007[/red]{bold}`;

async function run(...flags: string[]) {
  const model = await startFakeModel({
    script: [
      {
        text: `Working ${hostile}`,
        calls: [
          { name: 'bash', arguments: { command: "printf '\\033]0;evil\\007\\033[31mred\\n'" } },
        ],
      },
      { calls: [{ name: 'task_done', arguments: { summary: 'All done.' } }] },
    ],
  });
  onTestFinished(() => model.close());
  const place = makePlace();
  const args = [
    'run',
    'x',
    '--session',
    's1',
    ...wireFlags('chat', model.url),
    ...UNCONFINED,
    ...flags,
  ];
  return { place, outcome: await runProgram(place, args) };
}

describe('output of run', () => {
  it('text: stdout holds exactly the final result, progress goes to stderr', async () => {
    const { outcome } = await run();
    expect(outcome.stdout).toBe('All done.\n');
    expect(outcome.stderr).toContain('step 1/');
    expect(outcome.stderr.split('\n')[0]).toMatch(/sandbox.*network.*mode/);
  });

  it('writes no escape byte and no carriage return where there is no terminal', async () => {
    const { outcome } = await run();
    expect(outcome.stderr).not.toContain(ESC);
    expect(outcome.stderr).not.toContain('\r');
    expect(outcome.stderr).toContain('[/red]{bold}');
  });

  it('json: one result object with the keys of the contract', async () => {
    const { outcome } = await run('--output-format', 'json');
    const result = JSON.parse(outcome.stdout);
    const keys = [
      'type',
      'session_id',
      'run_id',
      'success',
      'state',
      'stop_reason',
      'final_result',
      'steps',
    ];
    const more = ['usage', 'cost_usd', 'duration_ms', 'denials', 'trajectory_file'];
    expect(Object.keys(result)).toEqual(expect.arrayContaining([...keys, ...more]));
    expect(result).toMatchObject({ type: 'result', session_id: 's1', cost_usd: 0 });
    expect(Object.keys(result.usage).sort()).toEqual([
      'cache_creation_input_tokens',
      'cache_read_input_tokens',
      'input_tokens',
      'output_tokens',
      'reasoning_tokens',
    ]);
  });

  it('stream-json: the durable events are the lines of the log, the result is last', async () => {
    const { place, outcome } = await run('--output-format', 'stream-json');
    const events = outcome.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.at(-1).type).toBe('result');
    const durable = events.filter((event) => event.sub === undefined);
    const log = join(place.home, 'users/local/sessions/s1/.session/events.jsonl');
    const lines = readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const stored = lines.map(({ epoch: _epoch, _k, ...event }) => event);
    expect(durable).toEqual(stored.slice(0, durable.length));
    expect(stored.length - durable.length).toBeLessThanOrEqual(0);
    expect(durable.map((event) => event.seq)).toEqual(durable.map((_, index) => index + 1));
  });
});
