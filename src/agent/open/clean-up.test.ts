import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isRunning } from '../../environment/process-table.ts';
import type { EventOf, SessionEvent } from '../../session/events.ts';
import { Agent } from '../agent.ts';
import { done, reply, ScriptedClient } from '../testing/scripted-client.ts';
import { pendingWritesFolder } from './clean-up.ts';

const DEAD = '999999999-1';
let root = '';

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'clean-'));
  mkdirSync(join(root, 'work'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** A child with the mark of an owner that is gone, and the temporary file of a write it did not finish. */
function leaveBehind() {
  const home = join(root, 'home');
  mkdirSync(join(home, 'run', DEAD), { recursive: true });
  const child = spawn('sleep', ['60'], {
    detached: true,
    stdio: 'ignore',
    env: { PATH: process.env.PATH, TOOLWRIGHT_OWNER: DEAD },
  });
  const name = '.tw-0123456789abcdef';
  const file = join(root, 'work', name);
  writeFileSync(file, 'half');
  mkdirSync(pendingWritesFolder(home), { recursive: true });
  symlinkSync(file, join(pendingWritesFolder(home), `${DEAD}${name}`));
  return { pid: child.pid ?? 0, file };
}

it('any next session ends and removes what a killed one left, and tells so, without delaying the first request', async () => {
  const { pid, file } = leaveBehind();
  const events: SessionEvent[] = [];
  let early = false;
  const first = async () => {
    early = !existsSync(file);
    return reply({ calls: [done()] });
  };
  const agent = new Agent({
    workspace: join(root, 'work'),
    home: join(root, 'home'),
    sandbox: 'none',
    permissionMode: 'bypass',
    modelClient: new ScriptedClient([first]),
  });
  agent.on((event) => events.push(event));
  expect(await agent.run('x')).toMatchObject({ success: true });
  await agent.close();
  expect(early).toBe(false);
  expect(isRunning(pid)).toBe(false);
  expect(existsSync(file)).toBe(false);
  const warnings = events.filter((event): event is EventOf<'warning'> => event.type === 'warning');
  expect(warnings.map(({ code }) => code)).toEqual(
    expect.arrayContaining(['orphans_ended', 'temp_files_removed']),
  );
});
