import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { permissionFixture } from './testing/permission-fixture.ts';
import type { PermissionMode, RuleScope } from './types.ts';

let workspace = '';
beforeAll(() => {
  workspace = mkdtempSync(join(tmpdir(), 'policy-'));
  mkdirSync(join(workspace, 'src'));
  writeFileSync(join(workspace, 'a'), 'x');
});
afterAll(() => rmSync(workspace, { recursive: true }));

const { policy, rule, request, shell, write } = permissionFixture(() => workspace);

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
    ["env -S 'rm x'", true],
    ["env -iS'rm x'", true],
    ["env --split-string='rm x'", true],
    ["sh -c -- '-x; rm x'", true],
    ['prlimit --nofile=10 rm x', true],
    ["flock lock -c 'rm x'", true],
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
    const fromInput = ['echo rm x | sh', 'echo rm x | bash -s', 'echo rm x | xargs env'];
    for (const command of ['$X a', 'echo $(id)', "sh -c 'echo $x'", 'a &', ...fromInput]) {
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
