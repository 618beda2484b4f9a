/** Rows that measure one room against its own floor instead of a whole run. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createBwrapEnvironment } from '../src/environment/bwrap.ts';
import { noFiles } from '../src/environment/no-files.ts';
import { probeSandbox } from '../src/environment/probe.ts';
import { systemGrant } from '../src/environment/system-grant.ts';
import { openEventLog } from '../src/session/event-log.ts';
import { acquireLock } from '../src/session/lock.ts';
import { createSessionFolders, sessionPaths } from '../src/session/paths.ts';
import { createRedactor } from '../src/session/redact.ts';
import { findRipgrep } from '../src/tools/search/ripgrep-path.ts';
import { startFakeModel } from '../test/fake-llm/server.ts';
import { median, paired, wallMs } from './measure.ts';
import { base, home, launcher, UNCONFINED } from './programs.ts';
import { report, skip } from './report.ts';

const BARE_BWRAP = [
  ...[
    'bwrap',
    '--unshare-user',
    '--unshare-ipc',
    '--unshare-pid',
    '--unshare-net',
    '--unshare-uts',
  ],
  ...[
    '--disable-userns',
    '--die-with-parent',
    '--ro-bind',
    '/usr',
    '/usr',
    '--symlink',
    'usr/bin',
    '/bin',
  ],
  ...[
    '--symlink',
    'usr/lib',
    '/lib',
    '--symlink',
    'usr/lib64',
    '/lib64',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
  ],
  ...['--tmpfs', '/tmp', 'true'],
];

export async function sandboxedCommand(): Promise<void> {
  const probe = await probeSandbox('bwrap', home);
  if (!probe.works)
    return skip('sandboxed command', probe.reason ?? 'bubblewrap does not work here');
  const folder = (name: string) => {
    const path = join(base, 'sandbox', name);
    mkdirSync(path, { recursive: true });
    return path;
  };
  const paths = {
    workspace: folder('workspace'),
    scratchpad: folder('scratchpad'),
    output: folder('output'),
    input: folder('input'),
    stateDir: folder('state'),
    venv: join(base, 'sandbox/venv'),
  };
  const environment = createBwrapEnvironment({
    home,
    paths,
    files: noFiles,
    limits: {},
    network: false,
  });
  await environment.start();
  const inSandbox = async () => {
    const started = performance.now();
    const child = await environment.spawn({
      callId: 'bench',
      grant: systemGrant('bench'),
      argv: ['true'],
      cwd: paths.workspace,
      stdin: 'closed',
      profile: 'command',
    });
    child.stdout.resume();
    child.stderr.resume();
    await child.exited;
    return performance.now() - started;
  };
  const figures = await paired(30, inSandbox, () => wallMs(BARE_BWRAP));
  await environment.stop();
  report({
    name: 'sandboxed command',
    ours: median(figures.ours),
    floor: median(figures.floor),
    unit: 'ms',
    goal: 1.2,
  });
}

/** Main-thread time of one durable append, against the goal of 20 us. */
export async function durableAppend(): Promise<void> {
  const paths = sessionPaths(home, 'append');
  await createSessionFolders(paths);
  const lock = await acquireLock(paths);
  const { log } = await openEventLog({
    paths,
    sessionId: 'append',
    redactor: createRedactor(),
    lock,
  });
  log.subscribe(() => undefined);
  const round = async () => {
    const before = process.cpuUsage();
    for (let at = 0; at < 2000; at += 1) {
      log.append({ run_id: 'r' }, 'warning', {
        code: 'bench',
        message: `line ${at} of some length`,
      });
      if (at % 4 === 3) await new Promise((resolve) => setImmediate(resolve));
    }
    await log.flush();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 2000;
  };
  await round();
  const figures = [await round(), await round(), await round()];
  await log.close();
  await lock.release();
  report({
    name: 'durable append, CPU of all threads',
    ours: median(figures),
    floor: 20,
    unit: 'us',
    goal: 1,
  });
}

function bigTree(): string {
  const tree = join(base, 'tree');
  for (let folder = 0; folder < 200; folder += 1) {
    const path = join(tree, `d${folder % 20}`, `e${folder}`);
    mkdirSync(path, { recursive: true });
    for (let at = 0; at < 100; at += 1) {
      writeFileSync(join(path, `f${at}.txt`), `line of file ${at}\n`.repeat(40));
    }
  }
  writeFileSync(join(tree, 'd7/e7/f7.txt'), 'the needle\n');
  return tree;
}

/** grep_search through the whole program, against ripgrep alone on the same 20,000 files. */
export async function grep(): Promise<void> {
  const rg = await findRipgrep();
  if (rg === null) return skip('grep on 20,000 files', 'there is no ripgrep');
  const tree = bigTree();
  const patterns = Array.from(
    { length: 9 },
    (_, at) => `the needle${at === 0 ? '' : `|absent${at}`}`,
  );
  const model = await startFakeModel({
    script: [
      ...patterns.map((pattern) => ({ calls: [{ name: 'grep_search', arguments: { pattern } }] })),
      { calls: [{ name: 'task_done', arguments: {} }] },
    ],
  });
  const trajectory = join(base, 'grep.json');
  const flags = [
    '--provider',
    'openai_compatible',
    '--model',
    'bench',
    '--model-base-url',
    `${model.url}/v1`,
  ];
  await wallMs(
    [
      process.execPath,
      launcher,
      'run',
      'Search.',
      ...flags,
      ...UNCONFINED,
      '--trajectory-file',
      trajectory,
    ],
    { cwd: tree, env: { ...process.env, TOOLWRIGHT_HOME: home } },
  );
  await model.close();
  const steps = JSON.parse(readFileSync(trajectory, 'utf8')).agent_steps as {
    tool_results: { duration_ms: number }[] | null;
  }[];
  const ours = steps.slice(1, -1).map((step) => step.tool_results?.[0]?.duration_ms ?? Number.NaN);
  const bare = patterns.map((pattern) => {
    const started = performance.now();
    execFileSync(rg, ['--no-config', '--line-number', pattern, tree]);
    return performance.now() - started;
  });
  report({
    name: 'grep on 20,000 files',
    ours: median(ours),
    floor: median(bare),
    unit: 'ms',
    goal: 1.2,
  });
}
