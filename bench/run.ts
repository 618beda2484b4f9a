/**
 * `npm run bench`: our program and the floor program against the same scripted server, in one run. Prints ratios to
 * the goals of docs/performance.md and writes them to bench/results/latest.json. Figures depend on the machine's
 * load, so nothing here is an assertion. Arguments name the rows to run; none runs all.
 */

import { mkdirSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { measureRun, median, paired, type RunFigures, type StepKind, wallMs } from './measure.ts';
import { base, env, file, floor, home, launcher, ours, root, UNCONFINED } from './programs.ts';
import { report, rows } from './report.ts';
import { durableAppend, grep, sandboxedCommand } from './room-rows.ts';

async function version(): Promise<void> {
  const cwd = base;
  const childEnv = { ...process.env, ...env };
  const figures = await paired(
    11,
    () => wallMs([process.execPath, launcher, '--version'], { cwd, env: childEnv }),
    () => wallMs([process.execPath, '-e', '0'], { cwd, env: childEnv }),
  );
  report({
    name: '--version, wall',
    ours: median(figures.ours),
    floor: median(figures.floor),
    unit: 'ms',
    goal: 1.75,
  });
}

async function firstRequest(): Promise<void> {
  const figures = await paired(
    9,
    () => measureRun(ours(UNCONFINED), 'bash', 1, file),
    () => measureRun(floor('shell'), 'bash', 1, file),
  );
  const first = (runs: RunFigures[]) => median(runs.map((run) => run.firstRequestMs));
  report({
    name: 'first request leaves the cold process',
    ours: first(figures.ours),
    floor: first(figures.floor),
    unit: 'ms',
    goal: 3,
  });
  const bytes = figures.ours[0]?.firstBodyBytes ?? Number.NaN;
  report({
    name: 'first request body, default coding tools',
    ours: bytes / 1000,
    floor: 9,
    unit: 'kB',
    goal: 1,
  });
}

const fifth = (values: readonly number[], which: 'first' | 'last') => {
  const size = Math.floor(values.length / 5);
  return which === 'first' ? values.slice(1, size) : values.slice(-size);
};

async function steps(
  kind: StepKind,
  mode: 'spawn' | 'shell',
  name: string,
  goal: number,
): Promise<void> {
  const figures = await paired(
    3,
    () => measureRun(ours(UNCONFINED), kind, 50, file),
    () => measureRun(floor(mode), kind, 50, file),
  );
  const step = (runs: RunFigures[]) => median(runs.flatMap((run) => run.stepMs.slice(2)));
  report({ name, ours: step(figures.ours), floor: step(figures.floor), unit: 'ms', goal });
  const peak = (runs: RunFigures[]) => median(runs.map((run) => run.peakMib));
  if (kind === 'bash') {
    report({
      name: 'peak memory at 50 steps',
      ours: peak(figures.ours),
      floor: peak(figures.floor),
      unit: 'MiB',
      goal: 1.7,
    });
  }
}

async function growth(): Promise<void> {
  const mine = await measureRun(ours(UNCONFINED), 'bash', 500, file);
  const bare = await measureRun(floor('shell'), 'bash', 500, file);
  report({
    name: 'last fifth of 500 steps against the first',
    ours: median(fifth(mine.stepMs, 'last')),
    floor: median(fifth(mine.stepMs, 'first')),
    unit: 'ms',
    goal: 1.15,
  });
  const bareGrowth = median(fifth(bare.stepMs, 'last')) / median(fifth(bare.stepMs, 'first'));
  console.log(`       the floor program itself grows by ${bareGrowth.toFixed(2)}x over 500 steps`);
  report({
    name: 'peak memory at 500 steps',
    ours: mine.peakMib,
    floor: bare.peakMib,
    unit: 'MiB',
    goal: 1.7,
  });
}

/** What 10,000 old sessions, and a session of 10,000 events, add to the first request. */
async function history(): Promise<void> {
  const first = async (run: () => Promise<RunFigures>) => {
    const figures = [await run(), await run(), await run(), await run(), await run()];
    return median(figures.map(({ firstRequestMs }) => firstRequestMs));
  };
  const fresh = () => measureRun(ours(UNCONFINED), 'read', 1, file);
  await fresh();
  const bare = await first(fresh);
  for (let at = 0; at < 10_000; at += 1) {
    const name = `ses_${String(at).padStart(26, '0')}`;
    mkdirSync(join(home, 'users/local/sessions', name, '.session'), { recursive: true });
  }
  const crowded = await first(fresh);
  report({
    name: 'start-up with 10,000 old sessions',
    ours: crowded,
    floor: bare,
    unit: 'ms',
    goal: 1.1,
  });

  await measureRun(ours([...UNCONFINED, '--session', 'long']), 'bash', LONG_STEPS, file);
  const resume = ours(UNCONFINED, { command: ['resume', 'long', 'Go on.'] });
  const resumed = await first(() => measureRun(resume, 'bash', 1, file));
  report({
    name: 'resume of 10,000 events above a bare start',
    ours: Math.max(0, resumed - bare),
    floor: 60,
    unit: 'ms',
    goal: 1,
  });
}

/** About eight events a step. */
const LONG_STEPS = 1250;

const all: Readonly<Record<string, () => Promise<void>>> = {
  version,
  'first-request': firstRequest,
  'bash-shell': () => steps('bash', 'shell', 'bash step, persistent shell', 2),
  read: () => steps('read', 'shell', 'read step', 1.5),
  growth,
  sandbox: sandboxedCommand,
  grep,
  append: durableAppend,
  history,
};

const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(all);
console.log(`node ${process.version}, load ${loadavg()[0]?.toFixed(2)}; ours / floor, medians`);
for (const name of chosen) {
  const row = all[name];
  if (row === undefined)
    throw new Error(`No row ${name}; there are ${Object.keys(all).join(', ')}.`);
  await row();
}
mkdirSync(join(root, 'bench/results'), { recursive: true });
writeFileSync(join(root, 'bench/results/latest.json'), `${JSON.stringify(rows, null, 2)}\n`);
