import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startFakeModel } from './fake-llm/server.ts';
import type { FakeModel, ScriptedTurn } from './fake-llm/types.ts';
import { makePlace, type Place } from './support/place.ts';
import {
  resultOf,
  runProgram,
  startProgram,
  UNCONFINED,
  type Wire,
  wireFlags,
} from './support/program.ts';
import { printedSeed, seeded } from './support/random.ts';

const KILL_POINTS = Number(process.env.TW_KILL_POINTS ?? 100);
const STEPS = 8;
const WIRES: readonly Wire[] = ['chat', 'responses', 'anthropic'];

const count = (step: number) => ({
  name: 'bash',
  arguments: { command: `echo ${step} >> counter` },
});
const edit = (step: number) => ({
  name: 'str_replace_based_edit_tool',
  arguments: { command: 'create', path: `file-${step}`, file_text: `${step}\n` },
});
const look = { name: 'glob_search', arguments: { pattern: '*' } };

const script: readonly ScriptedTurn[] = [
  ...Array.from({ length: STEPS }, (_, step) => ({
    text: `step ${step}`,
    calls: step % 2 === 0 ? [count(step)] : [look, edit(step), count(step)],
  })),
  { calls: [{ name: 'task_done', arguments: { summary: 'counted' } }] },
];

const flags = ['--output-format', 'stream-json', '--session', 'k'];

async function killedRun(
  place: Place,
  model: FakeModel,
  wire: Wire,
  afterMs: number,
): Promise<string[]> {
  const program = startProgram(place, [
    'run',
    'count',
    ...wireFlags(wire, model.url),
    ...UNCONFINED,
    ...flags,
  ]);
  const timer = setTimeout(() => program.child.kill('SIGKILL'), afterMs);
  const outcome = await program.done;
  clearTimeout(timer);
  return outcome.stdout.split('\n').slice(0, -1);
}

function logLines(place: Place): Map<number, Record<string, unknown>> {
  const file = join(place.home, 'users/local/sessions/k/.session/events.jsonl');
  if (!existsSync(file)) return new Map();
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return new Map(lines.map((line) => JSON.parse(line)).map((event) => [event.seq, event]));
}

/** Everything shown to a reader before the kill must be in the log afterwards, unchanged. */
function expectNothingLost(shown: readonly string[], place: Place): void {
  const stored = logLines(place);
  for (const line of shown) {
    const event = JSON.parse(line);
    if (event.sub !== undefined || event.type === 'result') continue;
    const { epoch: _epoch, _k, ...kept } = stored.get(event.seq) ?? {};
    expect(kept).toEqual(event);
  }
}

function expectNothingTwice(place: Place): void {
  const counter = join(place.workspace, 'counter');
  const lines = existsSync(counter)
    ? readFileSync(counter, 'utf8').split('\n').filter(Boolean)
    : [];
  expect(new Set(lines).size).toBe(lines.length);
}

async function finish(place: Place, model: FakeModel, wire: Wire) {
  const endpoint = [...wireFlags(wire, model.url), ...UNCONFINED, '--output-format', 'json'];
  const exists = logLines(place).size > 0;
  const start = exists ? ['resume', 'k'] : ['run', 'count', '--session', 'k'];
  return runProgram(place, [...start, ...endpoint]);
}

it(`kill -9 at ${KILL_POINTS} random points, then resume`, { timeout: 400_000 }, async () => {
  const random = seeded(printedSeed('kill points', KILL_POINTS));
  const whole = makePlace();
  const calibration = await startFakeModel({ script });
  onTestFinished(() => calibration.close());
  const started = performance.now();
  await killedRun(whole, calibration, 'chat', 60_000);
  const span = performance.now() - started;

  const once = async (at: number) => {
    const wire = WIRES[at % WIRES.length] ?? 'chat';
    const place = makePlace({ files: { 'start.txt': 'x\n' } });
    const model = await startFakeModel({ script });
    const afterMs = random() * span * 1.1;
    const shown = await killedRun(place, model, wire, afterMs);
    expectNothingLost(shown, place);
    const completed = shown.some((line) => line.includes('"type":"run_finished"'));
    const outcome = await finish(place, model, wire);
    const where = `killed after ${afterMs.toFixed(0)} ms over ${wire}: ${outcome.stderr}`;
    if (outcome.code === 2 && /nothing to resume|finished/i.test(outcome.stderr)) {
      expect(logLines(place).size, where).toBeGreaterThan(0);
    } else {
      expect(outcome.code, where).toBe(0);
      expect(resultOf(outcome).final_result, where).toBe('counted');
    }
    expect(completed && outcome.code !== 2, where).toBe(false);
    expect(model.refusals, where).toEqual([]);
    expectNothingTwice(place);
    await model.close();
  };
  const queue = Array.from({ length: KILL_POINTS }, (_, at) => at);
  const worker = async () => {
    for (let at = queue.shift(); at !== undefined; at = queue.shift()) await once(at);
  };
  await Promise.all([worker(), worker(), worker()]);
});

it('ends what a killed run left behind when the program starts again', async () => {
  const mark = `77${process.pid}`;
  const command = `(trap '' TERM; setsid sleep ${mark} > /dev/null 2>&1 &) ; echo ready; sleep 60`;
  const model = await startFakeModel({
    script: [
      { calls: [{ name: 'bash', arguments: { command } }] },
      { calls: [{ name: 'task_done', arguments: {} }] },
    ],
  });
  onTestFinished(() => model.close());
  const place = makePlace();
  const common = [...wireFlags('chat', model.url), ...UNCONFINED];
  const killed = startProgram(place, ['run', 'x', ...common]);
  await expect.poll(() => sleeping(mark), { timeout: 20_000 }).toHaveLength(1);
  killed.child.kill('SIGKILL');
  await killed.done;
  expect(sleeping(mark)).toHaveLength(1);
  const next = await startFakeModel({
    script: [{ calls: [{ name: 'task_done', arguments: {} }] }],
  });
  onTestFinished(() => next.close());
  await runProgram(place, ['run', 'y', ...wireFlags('chat', next.url), ...UNCONFINED]);
  expect(sleeping(mark)).toEqual([]);
});

function sleeping(mark: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return (
        /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8') === `sleep\0${mark}\0`
      );
    } catch {
      return false;
    }
  });
}
