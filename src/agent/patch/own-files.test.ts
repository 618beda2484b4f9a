import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Agent } from '../agent.ts';
import {
  call,
  done,
  reply,
  type Script,
  ScriptedClient,
  wireError,
} from '../testing/scripted-client.ts';
import type { AgentOptions } from '../types.ts';

let root = '';
const open: Agent[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'own-'));
  mkdirSync(join(root, 'work'));
  git('init', '-q');
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((agent) => agent.close()));
  rmSync(root, { recursive: true, force: true });
});

function git(...args: string[]): void {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@t'];
  execFileSync('git', [...identity, ...args], { cwd: join(root, 'work') });
}

function agent(script: readonly Script[], over: Partial<AgentOptions> = {}): Agent {
  const made = new Agent({
    workspace: join(root, 'work'),
    home: join(root, 'home'),
    sandbox: 'none',
    permissionMode: 'bypass',
    modelClient: new ScriptedClient(script),
    trajectoryFile: join(root, 'work', 'trajectories', 't.json'),
    ...over,
  });
  open.push(made);
  return made;
}

const act = (command = 'true') => reply({ calls: [call('bash', { command })] });
const end = () => reply({ calls: [done({ summary: 'ok' })] });

describe('files the session itself writes into the workspace', () => {
  it('each task of a chat leaves out its own trajectory and those of the tasks before', async () => {
    const one = agent([
      act(),
      end(),
      act('sleep 2.1'),
      act(),
      end(),
      act('echo x > new.txt'),
      end(),
    ]);
    expect((await one.run('first')).patch).toMatchObject({ files: 0 });
    expect((await one.run('second')).patch).toMatchObject({ files: 0 });
    expect((await one.run('third')).patch).toMatchObject({ files: 1, non_test_files: 1 });
    expect(readdirSync(join(root, 'work', 'trajectories'))).toEqual([
      't.json',
      't_1.json',
      't_2.json',
    ]);
  });

  it('a resumed task leaves out what the killed run wrote, also when the agent committed it', async () => {
    const patchPath = join(root, 'work', 'out.diff');
    const options = { sessionId: 'again', patchPath };
    const first = agent([act('echo x > new.txt'), wireError('network')], options);
    await first.run('change');
    await first.close();
    const commit =
      'git add -A && git -c user.name=t -c user.email=t@t commit -qm all && git ls-files';
    const second = agent([act(commit), end()], { sessionId: 'again' });
    const execution = await second.resume();
    expect(execution.steps[0]?.tool_results?.[0]?.result).toContain('trajectories/t.json');
    expect(execution.patch).toMatchObject({ files: 1 });
  });

  it('a file of the user with the name of the trajectory is none of them', async () => {
    mkdirSync(join(root, 'work', 'trajectories'));
    writeFileSync(join(root, 'work', 'trajectories', 't.json'), '{}');
    const one = agent([act('echo 1 > trajectories/t.json'), end()]);
    const execution = await one.run('change it');
    expect(execution.trajectory_file).toBe(join(root, 'work', 'trajectories', 't_1.json'));
    expect(execution.patch).toMatchObject({ files: 1 });
  });

  it('they do not count as a change for must_patch', async () => {
    const one = agent([act(), end(), end(), end(), act('sleep 2.1'), act(), end(), end(), end()], {
      mustPatch: true,
    });
    await one.run('nothing');
    expect(await one.run('nothing again')).toMatchObject({ success: false });
    expect(existsSync(join(root, 'work', 'trajectories', 't_1.json'))).toBe(true);
  });
});
