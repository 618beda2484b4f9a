import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insideRoots } from '../workspace/inside-roots.ts';
import { parseShellLine } from './shell-words.ts';
import { vetCommands } from './vetted.ts';
import { VETTED, VETTED_GIT } from './vetted-table.ts';

let root = '';
let outside = '';
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'vet-'));
  outside = mkdtempSync(join(tmpdir(), 'out-'));
  mkdirSync(join(root, 'src'));
  for (const name of ['a', 'b', 'src/a.ts', '.env']) writeFileSync(join(root, name), 'x\n');
  symlinkSync(outside, join(root, 'leak'));
  symlinkSync('/etc/passwd', join(root, 'pw'));
});
afterAll(() => {
  for (const folder of [root, outside]) rmSync(folder, { recursive: true });
});

function vetted(text: string, trusted = true): boolean {
  const line = parseShellLine(text);
  if (!line.analysable) return false;
  const roots = [root];
  const place = {
    cwd: root,
    roots,
    trusted,
    inside: (path: string) => insideRoots(path, roots),
  };
  return vetCommands(line.commands, place).every(Boolean);
}

describe('the vetted table', () => {
  it.each([...VETTED, ...VETTED_GIT].map((entry) => [entry.name, entry.examples] as const))(
    '%s keeps its examples',
    (_name, examples) => {
      for (const text of examples.match) expect(vetted(text), text).toBe(true);
      for (const text of examples.no) expect(vetted(text), text).toBe(false);
    },
  );

  it('does not trust git of an untrusted folder outside a sandbox', () => {
    expect(vetted('git status', false)).toBe(false);
    expect(vetted('git status', true)).toBe(true);
  });

  it('follows cd, and does not know whether it happened', () => {
    expect(vetted('cd src && cat a.ts')).toBe(true);
    expect(vetted('cd src && cat ../a')).toBe(false);
    expect(vetted('cd src && cat ../../a')).toBe(false);
    expect(vetted('cd .. && cat a')).toBe(false);
    expect(vetted('cd leak; ls')).toBe(false);
    expect(vetted('cd /tmp; ls')).toBe(false);
  });

  it('does not follow a link out of the roots', () => {
    expect(vetted('cat pw')).toBe(false);
    expect(vetted('ls leak/x')).toBe(false);
  });

  it('refuses what changes the shell before a look', () => {
    for (const text of ['alias ls=rm; ls', 'set -x; ls', 'export PATH=x; ls', 'source a; ls']) {
      expect(vetted(text), text).toBe(false);
    }
  });

  it('asks for fewer than one in twenty everyday looks', () => {
    const everyday = EVERYDAY.filter((text) => !vetted(text));
    expect(everyday.length / EVERYDAY.length, everyday.join('\n')).toBeLessThanOrEqual(0.05);
  });
});

/** Everyday looking commands in the closed grammar. */
const EVERYDAY = [
  'ls',
  'ls -la',
  'ls -la src',
  'ls -R src',
  'ls src && ls -l a',
  'pwd',
  'pwd && ls',
  'cat a',
  'cat -n src/a.ts',
  'cat a b',
  'head a',
  'head -n 20 a',
  'head -50 src/a.ts',
  'tail a',
  'tail -n 100 a',
  'tail -5 a',
  'wc -l a',
  'wc a b',
  'cat a | wc -l',
  'cat a | head -5',
  'sort a | uniq -c',
  'sort a | uniq -c | sort -rn | head -20',
  'sort -u a',
  'sort -k2 -n a',
  'cut -d , -f 1,2 a',
  "cut -d ':' -f1 a",
  "tr -d '\\n' </dev/null",
  'nl a',
  'grep x a',
  'grep -n x a',
  'grep -rn "export function" src',
  "grep -rn 'a|b' src",
  'grep -rin todo src',
  'grep -rl foo .',
  'grep -c x a',
  "grep -E '^(import|export)' src/a.ts",
  'grep -v x a',
  'grep -A 3 -B 2 x a',
  "grep -rn --include='*.ts' foo src",
  'grep -rn foo src | head -20',
  'grep -rn foo src 2>/dev/null',
  'grep -w x a',
  'grep "foo; rm -rf x" a',
  'grep "a && b" a',
  "grep '$HOME' a",
  "grep '`id`' a",
  'grep "x$" a',
  'rg foo',
  'rg -n foo src',
  "rg -g '*.ts' foo",
  'rg -l foo src',
  'rg -i foo | head',
  'rg --files',
  'rg -C 2 foo',
  'rg -t ts foo',
  'egrep x a',
  'fgrep x a',
  'stat a',
  'stat -c %s a',
  'file a',
  'file -b src/a.ts',
  'du -sh .',
  'du -h src',
  'du -d 1 .',
  'df -h',
  'basename src/a.ts .ts',
  'dirname src/a.ts',
  'diff a b',
  'diff -u a b',
  'cmp a b',
  'md5sum a',
  'sha256sum a b',
  'sha1sum a',
  'date',
  'date +%s',
  'date -u +%Y',
  'uname -a',
  'uname',
  'whoami',
  'which node',
  'which -a python3',
  'echo hello',
  'echo "a b"',
  "echo 'it; is'",
  'echo a && echo b',
  "printf '%s\\n' a",
  "printf 'x\\n'",
  'true',
  'false',
  'test -f a',
  'test -d src && echo yes',
  'test -f a || echo no',
  'cd src && ls',
  'cd src && cat a.ts',
  'cd src; pwd',
  'git status',
  'git status -s',
  'git status --short',
  'git status --porcelain',
  'git log',
  'git log --oneline',
  'git log --oneline -10',
  'git log -n 3',
  'git log --stat -2',
  'git log --oneline --graph --all',
  'git log -p -1',
  'git log -- src/a.ts',
  'git log --author=me',
  'git show',
  'git show HEAD',
  'git show HEAD~1',
  'git show --stat HEAD',
  'git show HEAD:a',
  'git diff',
  'git diff --stat',
  'git diff --cached',
  'git diff HEAD',
  'git diff HEAD~1 HEAD',
  'git diff main',
  'git diff -- src',
  'git diff --name-only',
  'git diff --name-status main',
  'git branch',
  'git branch -a',
  'git branch --show-current',
  'git branch -vv',
  'git rev-parse HEAD',
  'git rev-parse --show-toplevel',
  'git rev-parse --abbrev-ref HEAD',
  'git ls-files',
  'git ls-files src',
  'git ls-files -m',
  'git blame a',
  'git blame -L 1,10 src/a.ts',
  'git diff | head -50',
  'git log --oneline | head -5',
  'ls; git status',
  'cat a 2>&1 | head',
  'cat a || true',
  'ls -la\ncat a',
  'ls -1',
  'ls -lt | head',
  'ls -lh src',
  'ls --color=never',
  'cat src/a.ts | grep export',
  'cat a | tr a-z A-Z',
  'cat a | cut -c 1-80',
  'cat a | sort -n',
  'cat a | tail -3',
  'head -c 100 a',
  'tail -c 100 a',
  'wc -c a',
  'ls nonexistent',
  'cat ./a',
  'cat src/../a',
  'ls ./src/',
  'ls .',
];

/** Texts that hide a second command, a write or a look outside by a trick. */
const HIDDEN = [
  'ls $(rm a)',
  'ls `rm a`',
  'ls "$(rm a)"',
  'ls "`rm a`"',
  'ls & rm a',
  'ls &\nrm a',
  'ls; rm a',
  'ls && rm a',
  'ls || rm a',
  'ls | rm a',
  'ls\nrm a',
  'ls\r\nrm a',
  'ls |& rm a',
  'ls <(rm a)',
  'ls >(rm a)',
  'ls > a',
  'ls >> a',
  'ls >| a',
  'ls 1> a',
  'ls &> a',
  'ls >& a',
  'ls <> a',
  'ls 2> a',
  'cat <<E\n$(rm a)\nE',
  'cat <<<$(rm a)',
  '{ rm a; }',
  '(rm a)',
  '! rm a',
  'if rm a; then ls; fi',
  'while rm a; do ls; done',
  'for i in $(rm a); do ls; done',
  'ls() { rm a; }; ls',
  'alias ls=rm; ls a',
  'eval rm a',
  "eval 'rm a'",
  'command rm a',
  'builtin cd /',
  'exec rm a',
  'env rm a',
  'xargs rm',
  'nohup rm a',
  'timeout 1 rm a',
  'nice rm a',
  "sh -c 'rm a'",
  "bash -c 'rm a'",
  'find . -delete',
  'find . -exec rm {} +',
  'source a',
  '. a',
  "trap 'rm a' EXIT",
  'PATH=. ls',
  'LD_PRELOAD=./a ls',
  'A=1 ls',
  'ls $IFS',
  'ls ${x:=$(rm a)}',
  'ls $((a[$(rm a)]))',
  "ls $'\\x3b' a",
  'r""m a',
  "'rm' a",
  'r\\m a',
  '/bin/rm a',
  './ls',
  'src/ls',
  'sort -o a b',
  'sort -oa b',
  'sort --outpu=a b',
  'sort --compress-program=./a b',
  'uniq a b',
  'date -s x',
  'date 010100002030',
  'git -c core.pager=x log',
  'git log --output=a',
  'git diff --ext-diff',
  'git -C /tmp status',
  'git --git-dir=x status',
  'git branch new',
  'git branch -D a',
  'git status; git push',
  'rg --pre ./a x',
  'rg --hostname-bin ./a x',
  'grep x /etc/passwd',
  'cat ../../etc/passwd',
  'cat src/../../x',
  'cat ~/x',
  'cat .env',
  'cat ./src/../.env',
  'cat /proc/self/environ',
  "printf -v 'a[$(rm a)]' x",
  "printf '%n' 'a[$(rm a)]'",
  "test -v 'a[$(rm a)]'",
  'tail -f a',
  'wc --files0-from=/etc/passwd',
  'md5sum -c a',
  'file -C -m a',
  'ls -- $x',
  'time rm a',
  'coproc rm a',
  'echo a > b',
  'echo `rm a`',
  'ls\u0000rm a',
  'ls\u202e rm',
  'ls;\u200brm a',
  'ls \u00a0',
  'cat a\\\n; rm a',
  'ls "a" \'b\' ; rm a',
  "grep 'x' a; rm 'b'",
  'cd / && cat etc/passwd',
  'cd ..; cat x',
  'cd - && ls',
  'pushd /; cat etc/passwd',
  'set -f; ls',
  'hash -p ./a ls; ls',
  'enable -f ./a x; ls',
  'git show HEAD:.env',
  'sudo ls',
];

describe('hidden commands', () => {
  it(`none of ${HIDDEN.length} hiding texts is vetted`, () => {
    for (const text of HIDDEN) expect(vetted(text), JSON.stringify(text)).toBe(false);
  });

  it('no mutant of them is vetted', () => {
    const around = fc.constantFrom('', ' ', '\t', 'ls; ', 'true && ', 'cat a | ', '( ', '"x" ');
    const behind = fc.constantFrom(
      '',
      ' ',
      '\n',
      ' ; ls',
      ' && true',
      ' | cat',
      ' 2>/dev/null',
      ' #',
    );
    fc.assert(
      fc.property(fc.constantFrom(...HIDDEN), around, behind, (text, before, after) => {
        expect(vetted(`${before}${text}${after}`)).toBe(false);
      }),
      { numRuns: 3000, seed: 7 },
    );
  });

  it('bash runs a vetted line without starting or writing anything else', () => {
    const pieces = fc.constantFrom(
      'echo',
      'a',
      'true',
      ' ',
      ';',
      '&&',
      '|',
      '"',
      "'",
      '\\',
      '$',
      '(',
      ')',
      'CANARY',
      '`',
      '>',
      '&',
      '\n',
      '{',
      '}',
      '=',
      '#',
      '!',
    );
    const texts = fc
      .sample(fc.array(pieces, { minLength: 3, maxLength: 12 }), { numRuns: 20_000, seed: 11 })
      .map((list) => list.join(''))
      .filter((text) => text.includes('CANARY') && vetted(text));
    const script = [...new Set(texts)].slice(0, 200);
    const empty = mkdtempSync(join(tmpdir(), 'canary-'));
    const trace = 'CANARY() { : > ran; }; command_not_found_handle() { : > ran; };';
    for (const text of script) {
      execFileSync('bash', ['--noprofile', '--norc', '-c', `${trace}\n${text}\ntrue`], {
        cwd: empty,
        stdio: ['ignore', 'ignore', 'ignore'],
      });
      expect(readdirSync(empty), JSON.stringify(text)).toEqual([]);
    }
    rmSync(empty, { recursive: true });
  }, 20_000);
});
