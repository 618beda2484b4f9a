import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isLiveGrant } from '../workspace/grant.ts';
import {
  PERMISSION_CLASSES,
  type PermissionClass,
  type ResolvedPath,
  type Root,
} from '../workspace/types.ts';
import { createApprovals, unattendedGate } from './approvals.ts';
import { createPolicy } from './policy.ts';
import {
  PERMISSION_MODES,
  type PermissionMode,
  type PermissionRequest,
  type PolicyOptions,
  type RuleList,
  type RuleScope,
} from './types.ts';

let workspace = '';
beforeAll(() => {
  workspace = mkdtempSync(join(tmpdir(), 'policy-'));
  mkdirSync(join(workspace, 'src'));
  writeFileSync(join(workspace, 'a'), 'x');
});
afterAll(() => rmSync(workspace, { recursive: true }));

const TOOLS = [
  'bash',
  'read_file',
  'write_file',
  'edit_file',
  'web_fetch',
  'python_package',
  'Skill',
];

function policy(options: Partial<PolicyOptions> = {}) {
  return createPolicy({
    mode: 'ask',
    rules: [],
    sandboxed: true,
    network: false,
    person: true,
    workspace,
    home: '/home/nobody/.toolwright',
    knownTools: TOOLS,
    ...options,
  });
}

function rule(list: RuleList, text: string, scope: RuleScope = 'user') {
  return { list, text, scope };
}

function path(logical: string, intent: ResolvedPath['intent'] = 'write'): ResolvedPath {
  const root: Root = { kind: 'workspace', path: workspace, write: true, logicalPrefix: '' };
  const absolute = join(workspace, logical);
  return { root, segments: logical.split('/'), logical, absolute, intent };
}

function request(fields: Partial<PermissionRequest> = {}): PermissionRequest {
  const paths = fields.paths ?? [];
  return {
    callId: 'call_1',
    tool: 'write_file',
    class: 'write',
    arguments: {},
    paths,
    realPaths: paths.map((one) => one.absolute),
    cwd: workspace,
    beforeHashes: [],
    source: 'write_file',
    ...fields,
  };
}

const shell = (command: string, fields: Partial<PermissionRequest> = {}) =>
  request({ tool: 'bash', class: 'shell', arguments: { command }, command, ...fields });
const write = (logical: string) => request({ paths: [path(logical)] });

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

describe('rules', () => {
  it('puts deny before ask before allow, in any order and scope', () => {
    const texts = [
      rule('deny', 'bash(npm test)'),
      rule('ask', 'bash(npm test)'),
      rule('allow', 'bash(npm test)'),
    ];
    const scopes: RuleScope[] = ['managed', 'user', 'session', 'project'];
    for (const scope of scopes) {
      for (const order of [
        [0, 1, 2],
        [2, 1, 0],
        [1, 2, 0],
      ]) {
        const rules = order
          .flatMap((index) => texts[index] ?? [])
          .map((one) => ({ ...one, scope }));
        const decide = (list: typeof rules, mode: PermissionMode = 'auto') =>
          policy({ rules: list, mode }).decide(shell('npm test')).outcome;
        expect(decide(rules)).toBe('deny');
        expect(decide(rules.filter((one) => one.list !== 'deny'))).toBe('ask');
        expect(
          decide(
            rules.filter((one) => one.list === 'allow'),
            'ask',
          ),
        ).toBe(scope === 'project' ? 'ask' : 'allow');
      }
    }
  });

  it.each([
    ['bsh', 'bash'],
    ['class:wirte', 'write'],
    ['bash(npm "x)', 'plain command'],
    ['bash(a && b)', 'one simple command'],
    ['bash()', 'empty'],
    ['write_file(a[b)', 'malformed'],
    ['write_file(!a)', 'malformed'],
    ['write_file(../x)', 'malformed'],
    ['web_fetch(example.org)', 'domain:'],
    ['mcp(a/b/c)', 'server/tool'],
    ['class:state(x)', 'no pattern'],
    ['', 'is not'],
    ['bash(npm test', 'is not'],
  ])('refuses the rule %s at start', (text, says) => {
    for (const list of ['deny', 'ask', 'allow'] as const) {
      expect(() => policy({ rules: [rule(list, text)] })).toThrow(says);
    }
  });

  it('keeps broad command rules to user scope', () => {
    expect(() => policy({ rules: [rule('allow', 'bash(*)', 'session')] })).toThrow('any program');
    expect(() => policy().addSessionRule('bash(python *)')).toThrow('any program');
    const open = policy({ rules: [rule('allow', 'bash(*)')] });
    expect(open.decide(shell('anything $x')).outcome).toBe('allow');
  });

  it('matches other spellings of a tool name', () => {
    for (const text of ['Bash', 'bash_', 'functions.bash']) {
      expect(
        policy({ mode: 'bypass', rules: [rule('deny', text)] }).decide(shell('ls')).outcome,
      ).toBe('deny');
    }
  });

  it.each([
    ['rm -rf x', true],
    ['/bin/rm x', true],
    ['r""m x', true],
    ['ls; rm x', true],
    ['ls && env rm x', true],
    ["sh -c 'rm x'", true],
    ['find . -exec rm {} +', true],
    ['find . -exec rm {} \\;', true],
    ['xargs rm <a', true],
    ['timeout 5 nohup rm x', true],
    ['command -p rm x', true],
    ["bash -c 'ls; nohup /bin/rm x'", true],
    ['eval rm x', true],
    ['cat rm', false],
    ['echo "rm x"', false],
    ['find . -name rm', false],
    ['rmdir x', false],
  ])('bash(rm *) and %s', (command, covered) => {
    for (const mode of ['ask', 'auto', 'bypass'] as const) {
      const { outcome } = policy({ mode, rules: [rule('deny', 'bash(rm *)')] }).decide(
        shell(command),
      );
      if (covered) expect(['deny', 'ask'], command).toContain(outcome);
      else expect(outcome).not.toBe('deny');
    }
    const first = policy({ mode: 'bypass', rules: [rule('deny', 'bash(rm *)')] }).decide(
      shell(command),
    );
    if (covered && !command.includes('<')) expect(first.outcome).toBe('deny');
  });

  it('asks for a line it cannot check against a deny rule, in bypass too', () => {
    const strict = policy({ mode: 'bypass', rules: [rule('deny', 'bash(rm *)')] });
    for (const command of ['$X a', 'echo $(id)', "sh -c 'echo $x'", 'a &']) {
      expect(strict.decide(shell(command)).outcome, command).toBe('ask');
    }
    expect(policy({ mode: 'bypass' }).decide(shell('$X a')).outcome).toBe('allow');
  });

  it('an allow rule for one command never runs another', () => {
    const open = policy({
      rules: [rule('allow', 'bash(npm test)'), rule('allow', 'bash(npm run *)')],
    });
    for (const command of [
      'npm test',
      'npm run build',
      'npm run a -- b',
      'cat a && npm test',
      'npm test | tail -5',
      'npm test 2>&1',
    ]) {
      expect(open.decide(shell(command)).outcome, command).toBe('allow');
    }
    for (const command of [
      'npm test x',
      'npm tests',
      'npm',
      'npm test; rm a',
      'npm test && b',
      'npm test & b',
      'npm test\nb',
      'npm test | sh',
      'npm test > a',
      'npm test $(b)',
      './npm test',
      'env npm test',
      'A=1 npm test',
      'npm test || b',
      'npm run x `b`',
      'NPM test',
      'npm test <(b)',
      '(npm test)',
    ]) {
      expect(open.decide(shell(command)).outcome, command).toBe('ask');
    }
  });

  it('path rules: deny by either form, allow needs both', () => {
    const link = { ...write('src/a.ts'), realPaths: [join(workspace, 'other/a.ts')] };
    expect(policy({ rules: [rule('allow', 'write_file(src/**)')] }).decide(link).outcome).toBe(
      'ask',
    );
    expect(
      policy({ rules: [rule('allow', 'write_file(src/**)')] }).decide(write('src/b/c.ts')).outcome,
    ).toBe('allow');
    const denying = policy({ mode: 'bypass', rules: [rule('deny', 'write_file(other/**)')] });
    expect(denying.decide(link).outcome).toBe('deny');
    expect(denying.decide(write('src/other/x')).outcome).toBe('allow');
    const named = policy({ mode: 'bypass', rules: [rule('deny', 'class:write(*.lock)')] });
    expect(named.decide(write('deep/er/x.lock')).outcome).toBe('deny');
    const folder = policy({ mode: 'bypass', rules: [rule('deny', 'class:write(src)')] });
    expect(folder.decide(write('src/deep/x')).outcome).toBe('deny');
    const absolute = policy({
      mode: 'bypass',
      rules: [rule('deny', `class:write(${workspace}/src/**)`)],
    });
    expect(absolute.decide(write('src/x')).outcome).toBe('deny');
    expect(absolute.decide(write('srcx')).outcome).toBe('allow');
  });

  it('domains, packages, skills and MCP tools', () => {
    const fetch = (url: string) =>
      request({ tool: 'web_fetch', class: 'network', arguments: { url } });
    const open = policy({
      rules: [
        rule('allow', 'web_fetch(domain:example.org)'),
        rule('allow', 'web_fetch(domain:*.example.com)'),
        rule('allow', 'python_package(pandas)'),
        rule('allow', 'mcp(files/read)'),
      ],
    });
    expect(open.decide(fetch('https://example.org/x')).outcome).toBe('allow');
    expect(open.decide(fetch('https://a.example.org/x')).outcome).toBe('ask');
    expect(open.decide(fetch('https://a.example.com')).outcome).toBe('allow');
    expect(open.decide(fetch('https://example.org.evil.net')).outcome).toBe('ask');
    expect(open.decide(fetch('https://notexample.com')).outcome).toBe('ask');
    const install = (packages: string[]) =>
      request({ tool: 'python_package', class: 'package', arguments: { packages } });
    expect(open.decide(install(['pandas'])).outcome).toBe('allow');
    expect(open.decide(install(['pandas', 'evil'])).outcome).toBe('ask');
    const mcp = (tool: string) => request({ tool, class: 'mcp' });
    expect(open.decide(mcp('mcp__files__read')).outcome).toBe('allow');
    expect(open.decide(mcp('mcp__files__write')).outcome).toBe('ask');
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
