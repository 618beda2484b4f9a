import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isRunning, startTimeOf } from './process-table.ts';
import { reapOrphans } from './reap-orphans.ts';

let home: string;
let started: ChildProcess[] = [];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'tw-reap-'));
});
afterEach(() => {
  for (const child of started) child.kill('SIGKILL');
  started = [];
  rmSync(home, { recursive: true, force: true });
});

function start(argv: readonly string[], env: Record<string, string> = {}): ChildProcess {
  const [file = '', ...args] = argv;
  const child = spawn(file, args, {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, ...env },
  });
  started.push(child);
  return child;
}

describe('reapOrphans', () => {
  it('ends what a killed process of ours left, double forks included', async () => {
    const environment = import.meta.dirname;
    const text = `
      import { mkdirSync } from 'node:fs';
      import { createHostEnvironment } from '${environment}/host.ts';
      import { systemGrant } from '${environment}/system-grant.ts';
      const home = process.env.TEST_HOME;
      const paths = {};
      for (const name of ['workspace', 'scratchpad', 'output', 'input', 'stateDir', 'venv']) {
        paths[name] = home + '/' + name;
        mkdirSync(paths[name], { recursive: true });
      }
      const host = createHostEnvironment({ home, paths, files: {}, limits: {}, network: false });
      const child = await host.spawn({
        callId: 'c', grant: systemGrant('test'), cwd: paths.workspace, stdin: 'closed', profile: 'command',
        argv: ['bash', '-c', "trap '' TERM; setsid sleep 48.5 & sleep 48.5"],
      });
      console.log(child.pid);
      setInterval(() => {}, 1000);
    `;
    const file = join(home, 'owner.mjs');
    writeFileSync(file, text);
    const owner = start([process.execPath, file], { TEST_HOME: home });
    const [bytes] = owner.stdout === null ? [''] : await once(owner.stdout, 'data');
    const pid = Number(String(bytes));
    await wait(200);
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    expect(isRunning(pid)).toBe(true);
    expect(await reapOrphans(home)).toBeGreaterThanOrEqual(3);
    expect(isRunning(pid)).toBe(false);
    expect(readdirSync(join(home, 'run'))).toEqual([]);
    expect(await reapOrphans(home)).toBe(0);
  });

  it('leaves alone a foreign process that got the pid of a child, and a living owner', async () => {
    const foreign = start(['sleep', '20']);
    const pid = foreign.pid ?? 0;
    const dead = join(home, 'run', '999999999-1');
    const living = join(home, 'run', `${pid}-${startTimeOf(pid)}`);
    for (const folder of [dead, living]) {
      mkdirSync(folder, { recursive: true });
      const record = {
        pid,
        start_time: startTimeOf(pid),
        boot_id: 'x',
        kind: 'command',
        call: 'c',
      };
      writeFileSync(join(folder, 'children.jsonl'), `${JSON.stringify(record)}\nnot json\n`);
    }
    expect(await reapOrphans(home)).toBe(0);
    expect(isRunning(pid)).toBe(true);
    expect(readdirSync(join(home, 'run'))).toEqual([`${pid}-${startTimeOf(pid)}`]);
  });

  it('does nothing without a run folder', async () => {
    expect(await reapOrphans(join(home, 'none'))).toBe(0);
  });
});
