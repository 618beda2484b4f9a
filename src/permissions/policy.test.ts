import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isLiveGrant } from '../workspace/grant.ts';
import { PERMISSION_CLASSES, type PermissionClass } from '../workspace/types.ts';
import { createApprovals, unattendedGate } from './approvals.ts';
import { permissionFixture } from './testing/permission-fixture.ts';
import { PERMISSION_MODES, type PermissionMode } from './types.ts';

let workspace = '';
beforeAll(() => {
  workspace = mkdtempSync(join(tmpdir(), 'policy-'));
  mkdirSync(join(workspace, 'src'));
  writeFileSync(join(workspace, 'a'), 'x');
});
afterAll(() => rmSync(workspace, { recursive: true }));

const { policy, rule, path, request, shell, write } = permissionFixture(() => workspace);

describe('the matrix', () => {
  const expected: Record<PermissionClass, string> = {
    read: 'allow allow allow allow allow',
    state: 'allow allow allow allow allow',
    user: 'allow allow allow allow allow',
    write: 'deny ask allow allow allow',
    shell: 'deny ask ask allow allow',
    python: 'deny ask ask allow allow',
    package: 'deny ask ask allow allow',
    network: 'deny ask ask allow allow',
    mcp: 'deny ask ask ask allow',
    config: 'deny ask ask allow allow',
    agent: 'deny allow allow allow allow',
    review: 'deny ask ask ask ask',
  };
  it.each(PERMISSION_CLASSES)('class %s in every mode, with and without a person', (name) => {
    const outcomes = (person: boolean) =>
      PERMISSION_MODES.map((mode) => {
        const asked = request({ tool: 'bash', class: name, command: 'npm install' });
        return policy({ mode, person }).decide(asked).outcome;
      }).join(' ');
    expect(outcomes(true)).toBe(expected[name]);
    expect(outcomes(false)).toBe(expected[name].replaceAll('ask', 'deny'));
  });

  it('auto without a sandbox is no looser than accept-edits', () => {
    const loose = policy({ mode: 'auto', sandboxed: false });
    expect(loose.decide(shell('npm install')).outcome).toBe('ask');
    expect(loose.decide(shell('cat a')).outcome).toBe('allow');
  });

  it('allows vetted commands in ask, and says who refused when nobody can be asked', () => {
    expect(policy().decide(shell('cat a | wc -l'))).toMatchObject({
      outcome: 'allow',
      by: 'mode:vetted',
    });
    const decision = policy({ person: false }).decide(shell('npm test'));
    expect(decision).toMatchObject({ outcome: 'deny', errorKind: 'permission_denied' });
    expect(decision.reason).toContain('mode ask');
    expect(decision.reason).toContain('bash(npm test)');
  });

  it.each([
    'rm -rf .',
    'rm -r *',
    `rm -rf .git`,
    'cd src; git push',
    'git reset --hard',
    'git clean -fd',
    'git checkout .',
    'git restore -- .',
    'git stash drop',
    'dd if=a of=/dev/sda',
    'mkfs.ext4 x',
    'reboot',
    'echo $X; git push',
    'X=1 git -C a push',
    'sudo reboot',
    "bash -c 'git push'",
    'rm -rf /',
    'rm --recursive ../',
  ])('auto asks for the destructive %s, bypass does not', (command) => {
    expect(policy({ mode: 'auto' }).decide(shell(command)).outcome).toBe('ask');
    expect(policy({ mode: 'bypass' }).decide(shell(command)).outcome).toBe('allow');
  });

  it.each([
    'rm -rf dist',
    'git commit -m x',
    'git checkout main',
    'echo git push',
    'rm a',
    'git stash',
  ])('auto does not ask for %s', (command) => {
    expect(policy({ mode: 'auto' }).decide(shell(command)).outcome).toBe('allow');
  });
});

describe('hard denials and protected paths', () => {
  it('never touches the records of the runtime, whatever rules and modes say', () => {
    const open = policy({
      mode: 'bypass',
      rules: [rule('allow', 'class:write(**)'), rule('allow', 'write_file')],
    });
    for (const name of ['.session/x', 'a/.data_agent/y', 'x/docker.sock']) {
      expect(open.decide(write(name))).toMatchObject({ outcome: 'deny', errorKind: 'path_denied' });
    }
    const home = policy({ mode: 'bypass', home: join(workspace, 'h') });
    expect(home.decide(write('h/config.yaml')).outcome).toBe('deny');
    const through = { ...write('src/x'), realPaths: [join(workspace, 'h/config.yaml')] };
    expect(home.decide(through).outcome).toBe('deny');
  });

  it('opens a secret name only by a user rule that names it', () => {
    const read = request({ tool: 'read_file', class: 'read', paths: [path('.env', 'read')] });
    expect(policy({ mode: 'bypass' }).decide(read)).toMatchObject({ errorKind: 'path_denied' });
    expect(policy({ rules: [rule('allow', 'read_file')] }).decide(read).outcome).toBe('deny');
    expect(policy({ rules: [rule('allow', 'read_file(.env)')] }).decide(read).outcome).toBe(
      'allow',
    );
    expect(
      policy({ rules: [rule('allow', 'read_file(.env)', 'session')] }).decide(read).outcome,
    ).toBe('deny');
  });

  it('a rule on everything names no secret, one on the name does, for file access too', () => {
    const read = request({ tool: 'read_file', class: 'read', paths: [path('a/.env', 'read')] });
    const opened = (text: string) => {
      const one = policy({ rules: [rule('allow', text)] });
      return [one.decide(read).outcome, one.opensSecret?.(join(workspace, 'a/.env'))];
    };
    expect(opened('read_file(**)')).toEqual(['deny', false]);
    expect(opened('read_file(a/**)')).toEqual(['deny', false]);
    expect(opened('read_file(.env)')).toEqual(['allow', true]);
    expect(opened('class:read(a/.env)')).toEqual(['allow', true]);
    expect(opened('class:write(a/.env)')).toEqual(['deny', true]);
  });

  it('asks before a protected write in every mode but bypass, allow rules or not', () => {
    const rules = [rule('allow', 'class:write(**)')];
    const outcome = (mode: PermissionMode) =>
      policy({ mode, rules }).decide(write('.git/hooks/pre-commit')).outcome;
    expect(PERMISSION_MODES.map(outcome)).toEqual(['deny', 'ask', 'ask', 'ask', 'allow']);
  });

  it('an exception in the check is a denial', () => {
    const broken = shell('ls');
    Object.defineProperty(broken, 'paths', {
      get: () => {
        throw new Error('boom');
      },
    });
    expect(policy({ mode: 'bypass' }).decide(broken)).toMatchObject({
      outcome: 'deny',
      by: 'hard:exception',
    });
  });
});

describe('approvals and grants', () => {
  it('binds a digest to everything the person saw', () => {
    const one = policy();
    const base = write('a');
    const digest = one.digest(base);
    const changed = [
      { ...base, arguments: { content: 'x' } },
      { ...base, cwd: '/' },
      { ...base, beforeHashes: ['00'] },
      { ...base, realPaths: ['/elsewhere'] },
      write('b'),
      { ...base, tool: 'edit_file' },
    ];
    for (const other of changed) expect(one.digest(other)).not.toBe(digest);
    expect(policy({ sandboxed: false }).digest(base)).not.toBe(digest);
    expect(policy({ network: true }).digest(base)).not.toBe(digest);
    expect(one.digest(write('a'))).toBe(digest);
  });

  it('is used once, by its call, within ten minutes of either clock', () => {
    let monotonic = 0;
    let wall = 0;
    const approvals = createApprovals(
      () => monotonic,
      () => wall,
    );
    approvals.give('d', 'c');
    expect(approvals.take('d', 'other')).toBe(false);
    expect(approvals.take('d', 'c')).toBe(true);
    expect(approvals.take('d', 'c')).toBe(false);
    approvals.give('d', 'c');
    monotonic = 600_001;
    expect(approvals.take('d', 'c')).toBe(false);
    approvals.give('d', 'c');
    wall = 600_001;
    expect(approvals.take('d', 'c')).toBe(false);
  });

  it('grants are live and name what was approved; nobody is there unattended', async () => {
    const grant = policy().grantFor(write('a'), ['/x']);
    expect(isLiveGrant(grant)).toBe(true);
    expect(grant).toMatchObject({ callId: 'call_1', class: 'write', protectedPaths: ['/x'] });
    const card = {} as Parameters<typeof unattendedGate.ask>[0];
    const answer = await unattendedGate.ask(card, new AbortController().signal);
    expect(answer).toMatchObject({ decision: 'deny', by: 'no_person' });
  });

  it('offers narrow rules that then hold', () => {
    const one = policy();
    const asked = one.decide(shell('npm test'));
    expect(asked).toMatchObject({ offeredRule: 'bash(npm test)', alwaysPossible: true });
    one.addSessionRule(asked.offeredRule ?? '');
    expect(one.decide(shell('npm test')).outcome).toBe('allow');
    const edit = one.decide(write('src/a.ts'));
    one.addSessionRule(edit.offeredRule ?? '');
    expect(one.decide(write('src/b.ts')).outcome).toBe('allow');
    expect(one.decide(write('other.ts')).outcome).toBe('ask');
    for (const command of ['python x.py', 'sudo ls', 'a && b', 'echo $x > y']) {
      expect(one.decide(shell(command)).offeredRule, command).toBeNull();
    }
  });

  it('knows which tools a mode or a bare deny rule makes impossible', () => {
    expect(policy({ mode: 'read-only' }).impossible('bash', ['shell'])).toBe(true);
    expect(policy({ mode: 'read-only' }).impossible('x', ['write', 'read'])).toBe(false);
    expect(policy({ rules: [rule('deny', 'Bash')] }).impossible('bash', ['shell'])).toBe(true);
    expect(policy({ rules: [rule('deny', 'bash(rm *)')] }).impossible('bash', ['shell'])).toBe(
      false,
    );
    expect(policy({ rules: [rule('deny', 'class:shell')] }).impossible('bash', ['shell'])).toBe(
      true,
    );
  });
});
