import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bwrapProblem } from '../../environment/testing/environments.ts';
import type { ToolCall } from '../../llm/types.ts';
import type { ToolResultRecord } from '../../session/events.ts';
import { Agent } from '../agent.ts';
import { call, done, reply, ScriptedClient } from '../testing/scripted-client.ts';

let root = '';
let workspace = '';

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sandboxed-'));
  workspace = join(root, 'work');
  mkdirSync(workspace);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const bash = (command: string) => call('bash', { command });

/** The results of calls, one in each step, of a session in bwrap that may do everything. */
async function results(...calls: readonly ToolCall[]): Promise<readonly ToolResultRecord[]> {
  const script = [...calls.map((one) => reply({ calls: [one] })), reply({ calls: [done()] })];
  const agent = new Agent({
    workspace,
    home: join(root, 'home'),
    sandbox: 'bwrap',
    permissionMode: 'bypass',
    modelClient: new ScriptedClient(script),
  });
  const execution = await agent.run('x');
  await agent.close();
  expect(execution.success).toBe(true);
  return execution.steps.slice(0, calls.length).flatMap((step) => step.tool_results ?? []);
}

describe.skipIf(bwrapProblem !== null)('protected names in a sandboxed session', () => {
  it.each([
    ['before the shell starts', []],
    ['while the shell runs', [bash('true')]],
  ])(
    'what an approved file tool writes %s stays, what a command makes does not',
    async (_, first) => {
      const found = await results(
        ...first,
        call('str_replace_based_edit_tool', {
          command: 'create',
          path: '.vscode/settings.json',
          file_text: '{}',
        }),
        bash('mkdir -p .idea && echo x > .idea/x'),
        bash('echo x > .vscode/x'),
      );
      const [written, made, after] = found.slice(first.length);
      expect(written).toMatchObject({ success: true });
      expect(made).toMatchObject({ success: false, error_kind: 'path_denied' });
      expect(existsSync(join(workspace, '.idea'))).toBe(false);
      expect(after).toMatchObject({ success: false });
      expect(existsSync(join(workspace, '.vscode', 'x'))).toBe(false);
      expect(readFileSync(join(workspace, '.vscode', 'settings.json'), 'utf8')).toBe('{}');
    },
  );

  it('a command that makes one in a folder without it gets path_denied', async () => {
    const [made] = await results(bash('mkdir .vscode && echo x > .vscode/x'));
    expect(made).toMatchObject({ success: false, error_kind: 'path_denied' });
    expect(existsSync(join(workspace, '.vscode'))).toBe(false);
  });
});

describe.skipIf(bwrapProblem !== null)('git in the shell of a sandboxed session', () => {
  const identity = '-c user.name=t -c user.email=t@t';

  it('commits, branches and stashes in a repository of the user, whose configuration stays', async () => {
    execFileSync('git', ['init', '-q'], { cwd: workspace });
    writeFileSync(join(workspace, 'a.txt'), '1\n');
    const configuration = readFileSync(join(workspace, '.git', 'config'), 'utf8');
    const found = await results(
      bash(`git add -A && git ${identity} commit -qm one`),
      bash('git checkout -q -b new'),
      bash(`echo 2 > a.txt && git ${identity} stash -q && git stash pop -q && cat a.txt`),
      bash('git init -q inner && git -C inner status'),
      bash('git config core.fsmonitor ./evil'),
    );
    expect(found.map(({ success }) => success)).toEqual([true, true, true, true, false]);
    expect(found[2]?.result).toContain('2');
    expect(readFileSync(join(workspace, '.git', 'config'), 'utf8')).toBe(configuration);
  });

  it('makes a repository and works in it', async () => {
    const found = await results(
      bash('git init -q && git config user.name t && git config user.email t@t'),
      bash('echo 1 > a.txt && git add -A && git commit -qm one && git checkout -q -b new'),
      bash('echo 2 > a.txt && git stash -q && git stash pop -q && git log --oneline'),
      bash('git config core.fsmonitor ./evil'),
    );
    expect(found.map(({ success }) => success)).toEqual([true, true, true, false]);
    expect(found[3]).toMatchObject({ error_kind: 'path_denied' });
    expect(readFileSync(join(workspace, '.git', 'config'), 'utf8')).not.toContain('evil');
  });
});
