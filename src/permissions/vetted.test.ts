import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { placeInRoots } from '../workspace/inside-roots.ts';
import { parseShellLine } from './shell-words.ts';
import { commandList } from './testing/command-lists.ts';
import { vetCommands } from './vetted.ts';
import { VETTED, VETTED_GIT } from './vetted-table.ts';

const EVERYDAY = commandList('everyday');
const HIDDEN = commandList('hidden');

let root = '';
let outside = '';
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'vet-'));
  outside = mkdtempSync(join(tmpdir(), 'out-'));
  mkdirSync(join(root, 'src'));
  for (const name of ['a', 'b', 'src/a.ts', '.env']) writeFileSync(join(root, name), 'x\n');
  symlinkSync(outside, join(root, 'leak'));
  symlinkSync('/etc/passwd', join(root, 'pw'));
  symlinkSync('.env', join(root, 'plain'));
  symlinkSync('..', join(root, 'src/top'));
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
    behindLinks: (path: string) => placeInRoots(path, roots),
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

  it('takes .. from where a link leads, as the kernel does', () => {
    expect(vetted('cat src/../a')).toBe(true);
    for (const text of ['cat leak/../x', 'cat src/top/../x', 'cd -P leak/..; cat x']) {
      expect(vetted(text), text).toBe(false);
    }
  });

  it('does not read a secret behind a link with an innocent name', () => {
    expect(vetted('cat plain')).toBe(false);
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
      .map((list) => `echo ${list.join('')}`)
      .filter((text) => text.includes('CANARY') && vetted(text));
    const script = [...new Set(texts)].slice(0, 200);
    expect(script.length).toBeGreaterThan(50);
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
