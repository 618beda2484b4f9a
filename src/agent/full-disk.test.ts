import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Agent } from './agent.ts';
import { call, done, reply, type Script, ScriptedClient } from './testing/scripted-client.ts';

const root = mkdtempSync(join(tmpdir(), 'full-disk-'));
const home = join(root, 'home');
mkdirSync(home);
mkdirSync(join(root, 'work'));

/** A small file system of its own; only root may mount one. */
function mounted(): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'none', home], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
const possible = mounted();
if (!possible) console.warn('skipped: mounting a small file system needs root');

afterAll(() => {
  if (possible) execFileSync('umount', ['-l', home]);
  rmSync(root, { recursive: true, force: true });
});

function agentOver(script: readonly Script[]): Agent {
  return new Agent({
    workspace: join(root, 'work'),
    home,
    sessionId: 'full',
    sandbox: 'none',
    permissionMode: 'bypass',
    modelClient: new ScriptedClient(script),
  });
}

function fill(file: string): void {
  for (let bytes = 64 * 1024; bytes >= 512; ) {
    try {
      writeFileSync(file, Buffer.alloc(bytes), { flag: 'a' });
    } catch {
      bytes /= 2;
    }
  }
}

describe('a full disk', () => {
  it.skipIf(!possible)(
    'ends the run with its end on disk; with space again the session goes on',
    async () => {
      const filler = join(home, 'filler');
      const state = join(home, 'users/local/sessions/full/.session');
      const filling = async () => {
        const reserve = join(state, 'reserve');
        await expect.poll(() => statSync(reserve).size, { timeout: 5000 }).toBe(1024 * 1024);
        fill(filler);
        return reply({ text: 'x'.repeat(20_000), calls: [call('bash', { command: 'true' })] });
      };
      const first = agentOver([filling, reply({ calls: [done()] })]);
      expect(await first.run('the task')).toMatchObject({
        success: false,
        stop_reason: 'internal_error',
        error: { kind: 'log_failed' },
      });
      await first.close();
      expect(readFileSync(join(state, 'events.jsonl'), 'utf8')).toContain('"run_finished"');
      rmSync(filler);
      const second = agentOver([reply({ calls: [done({ summary: 'there is space' })] })]);
      expect(await second.resume()).toMatchObject({
        success: true,
        task: 'the task',
        final_result: 'there is space',
      });
      await second.close();
    },
    20_000,
  );
});
