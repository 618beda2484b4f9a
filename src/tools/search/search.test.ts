import { spawn } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Child } from '../../environment/types.ts';
import { isToolFailure } from '../../errors.ts';
import { issueGrant } from '../../workspace/grant.ts';
import { fileContext } from '../testing/file-context.ts';
import type { SpawnArgs } from '../types.ts';
import { parseGlob } from './glob-pattern.ts';
import { globSearch } from './glob-search.ts';
import { grepSearch } from './grep-search.ts';
import { findRipgrep } from './ripgrep-path.ts';

const ripgrep = await findRipgrep();
const withoutRipgrep = ripgrep === null;
if (withoutRipgrep) console.warn('skipped: ripgrep is not installed');

const grant = issueGrant({
  callId: 'c1',
  tool: 'grep_search',
  class: 'read',
  origin: 'gate',
  digest: '',
  protectedPaths: [],
});

/** What an environment does, without one. */
async function runPlainly(args: SpawnArgs): Promise<Child> {
  const [program = '', ...rest] = args.argv;
  const child = spawn(program, rest, { cwd: args.cwd });
  child.stdin.end(typeof args.stdin === 'object' ? args.stdin.bytes : undefined);
  const exited = new Promise<Awaited<Child['exited']>>((resolve) =>
    child.on('close', (code, signal) =>
      resolve({ code, signal, ended_by: 'exit', duration_ms: 0, leftovers: 0 }),
    ),
  );
  return {
    pid: child.pid ?? 0,
    stdin: null,
    stdout: child.stdout,
    stderr: child.stderr,
    pipes: [],
    exited,
    kill: async () => void child.kill('SIGKILL'),
  };
}

type Context = ReturnType<typeof fileContext>;
let ctx: Context;
let plain: Context['call'];
const made: Context[] = [];

beforeEach(() => {
  const settings: Record<string, unknown> = {};
  ctx = fileContext({ grant, spawn: runPlainly, settings });
  plain = async (tool, args) => {
    settings['search.engine'] = 'built-in';
    try {
      return await ctx.call(tool, args);
    } finally {
      delete settings['search.engine'];
    }
  };
  made.push(ctx);
});
afterEach(() => {
  for (const one of made.splice(0)) one.close();
});

function put(name: string | Buffer, content: string | Buffer = 'x'): void {
  const path = Buffer.concat([Buffer.from(`${ctx.workspace}/`), Buffer.from(name)]);
  mkdirSync(dirname(path.toString('latin1')), { recursive: true });
  writeFileSync(path, content);
}
async function both(args: Record<string, unknown>): Promise<string> {
  const one = await plain(grepSearch, args);
  expect(one.metadata?.engine).toBe('built-in');
  if (withoutRipgrep) return one.content;
  const other = await ctx.call(grepSearch, args);
  expect(other.metadata?.engine).toBe('ripgrep');
  expect(other.content).toBe(one.content);
  expect({ ...other.metadata, engine: '' }).toEqual({ ...one.metadata, engine: '' });
  return one.content;
}
async function kindOf(run: () => Promise<unknown>): Promise<string> {
  try {
    await run();
    return 'ok';
  } catch (error) {
    if (isToolFailure(error)) return error.kind;
    throw error;
  }
}

describe('grep_search, with and without ripgrep', () => {
  it('agrees on content, files, counts, context, case, literals and globs', async () => {
    put('a.ts', 'one\nfoo bar\ntwo\nthree\nfour\nFoo again\n');
    put('src/b.ts', 'import foo\r\nfoo()\r\n');
    put('src/deep/c.py', 'foo = 1 # foo\nx.y(z)\n');
    put('src/none.txt', 'nothing');
    expect(await both({ pattern: 'foo' })).toBe(
      'a.ts:2: foo bar\nsrc/b.ts:1: import foo\nsrc/b.ts:2: foo()\nsrc/deep/c.py:1: foo = 1 # foo',
    );
    expect(await both({ pattern: 'foo', mode: 'files' })).toBe('a.ts\nsrc/b.ts\nsrc/deep/c.py');
    expect(await both({ pattern: 'foo', mode: 'count' })).toBe(
      'a.ts: 1\nsrc/b.ts: 2\nsrc/deep/c.py: 1',
    );
    expect(await both({ pattern: 'foo', ignore_case: true, path: 'a.ts', context_lines: 1 })).toBe(
      'a.ts-1- one\na.ts:2: foo bar\na.ts-3- two\n--\na.ts-5- four\na.ts:6: Foo again',
    );
    expect(await both({ pattern: 'x.y(', literal: true })).toBe('src/deep/c.py:2: x.y(z)');
    expect(await both({ pattern: 'foo', glob: '*.py' })).toBe('src/deep/c.py:1: foo = 1 # foo');
    expect(await both({ pattern: 'foo', glob: '!*.ts', mode: 'files' })).toBe('src/deep/c.py');
    expect(await both({ pattern: 'foo', path: 'src', glob: 'deep/*.py', mode: 'files' })).toBe(
      'src/deep/c.py',
    );
    expect(await both({ pattern: '^foo\\(\\)$' })).toBe('src/b.ts:2: foo()');
    expect(await both({ pattern: 'absent' })).toBe('(no matches)');
    expect(await both({ pattern: 'foo', max_matches: 2 })).toContain(
      '[2 of 4 matching lines shown',
    );
  });

  it('honours ignore files at every depth, skips hidden ones, and .git always', async () => {
    put('.gitignore', 'dist\n*.log\n!keep.log\n/top.txt\n');
    put('sub/.gitignore', 'local/\n');
    put('sub/.ignore', '!special.log\n');
    for (const name of [
      'dist/a',
      'a.log',
      'keep.log',
      'top.txt',
      'sub/top.txt',
      'sub/local/x',
      'sub/special.log',
      'sub/inner/deep.log',
      '.hidden',
      '.git/x',
      '.github/w.yml',
      'sub/ok',
    ])
      put(name, 'needle\n');
    expect(await both({ pattern: 'needle', mode: 'files' })).toBe(
      'keep.log\nsub/ok\nsub/special.log\nsub/top.txt',
    );
    expect(await both({ pattern: 'needle', mode: 'files', path: 'sub' })).toBe(
      'sub/ok\nsub/special.log\nsub/top.txt',
    );
    expect(await both({ pattern: 'needle', mode: 'files', path: 'sub/inner' })).toBe(
      '(no matches)',
    );
    expect(await both({ pattern: 'needle', mode: 'files', path: 'dist' })).toBe('dist/a');
    expect(await both({ pattern: 'needle', mode: 'files', path: '.github' })).toBe('.github/w.yml');
    expect(await both({ pattern: 'needle', mode: 'files', glob: '*.log' })).toBe(
      'keep.log\nsub/special.log',
    );
    const all = await both({ pattern: 'needle', mode: 'files', include_ignored: true });
    expect(all).toContain('dist/a\n');
    expect(all).toContain('.hidden\n');
    expect(all).not.toContain('.git/x');
  });

  it('never looks into secrets, binaries, giants and links that lead out, and counts them', async () => {
    put('ok.txt', 'needle');
    put('secrets.yaml', 'needle');
    put('.ignore', '!secrets.yaml\n!credentials.json\n');
    put('credentials.json', 'needle');
    put('credentials.py', 'needle');
    put('tls.key', 'needle');
    put('data.bin', Buffer.concat([Buffer.from('needle\n\0'), Buffer.alloc(100)]));
    put(
      'late.bin',
      Buffer.concat([Buffer.from('needle\n'), Buffer.alloc(200_000, 'a\n'), Buffer.from('\0')]),
    );
    put('big.txt', 'needle\n');
    truncateSync(join(ctx.workspace, 'big.txt'), 51 << 20);
    writeFileSync(join(ctx.base, 'canary'), 'needle');
    symlinkSync('../canary', join(ctx.workspace, 'out'));
    symlinkSync('ok.txt', join(ctx.workspace, 'in'));
    const found = await both({ pattern: 'needle' });
    expect(found).toBe(
      'credentials.py:1: needle\nok.txt:1: needle\n[not searched: 1 binary, 3 with names of secrets, 1 over 50 MiB, 1 links that lead outside]',
    );
    expect(await kindOf(() => ctx.call(grepSearch, { pattern: 'x', path: 'tls.key' }))).toBe(
      'path_denied',
    );
    expect(await kindOf(() => ctx.call(grepSearch, { pattern: 'x', path: 'data.bin' }))).toBe(
      'unsupported_format',
    );
    expect(await kindOf(() => ctx.call(grepSearch, { pattern: 'x', path: 'out' }))).toBe(
      'path_outside',
    );
    expect(await both({ pattern: 'needle', path: 'in' })).toBe('in:1: needle');
  });

  it('shows 500 characters around a match and reads other encodings', async () => {
    put('long.js', `${'a'.repeat(9000)}NEEDLE${'b'.repeat(9000)}\n`);
    put('wide.txt', Buffer.from('\ufeffgr\u00fc\u00dfe NEEDLE\r\n', 'utf16le'));
    put('latin.txt', Buffer.from('caf\xe9 NEEDLE\n', 'latin1'));
    const lines = (await both({ pattern: 'NEEDLE' })).split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toBe('latin.txt:1: caf\ufffd NEEDLE');
    expect(lines[1]?.length).toBe('long.js:1: '.length + 506);
    expect(lines[1]).toContain('aNEEDLEb');
    expect(lines[2]).toBe('wide.txt:1: gr\u00fc\u00dfe NEEDLE');
  });

  it('agrees on hundreds of odd names and contents', async () => {
    const name = fc.oneof(
      fc.constantFrom(
        '-e',
        'a b',
        'new\nline',
        'caf\u00e9',
        'cafe\u0301',
        '$(x)',
        "q'uote",
        '[x]',
        '*',
        '{a}',
        '!b',
        '#c',
        '~d',
        'e\\f',
        '\u{1f600}',
      ),
      fc
        .string({ minLength: 1, maxLength: 6 })
        .filter((text) => !/[/\0.]/.test(text) && text.trim() !== ''),
    );
    const names = fc.sample(fc.tuple(name, name), { numRuns: 500, seed: 7 });
    for (const [index, [folder, file]] of names.entries()) {
      try {
        put(`d${folder}/${file}`, `line ${index}\n  hit ${index % 7} \u00e9\t\n`);
      } catch {
        // A folder of one sample is a file of another.
      }
    }
    put(Buffer.from([0x64, 0xff, 0xfe]), 'hit bytes\n');
    for (const pattern of [
      'hit [3-5]',
      '\\bhit\\b.*\\d',
      '[[:digit:]]+ \\w',
      'h(?P<x>i)t',
      '(?i)HIT 6',
      '\\u00e9',
    ]) {
      await both({ pattern, max_matches: 500 });
    }
    await both({ pattern: 'hit', mode: 'count', max_matches: 500 });
  });

  it('refuses a pattern that no command line holds', async () => {
    const pattern = 'x'.repeat(200_000);
    expect(await kindOf(() => ctx.call(grepSearch, { pattern }))).toBe('invalid_arguments');
  });

  it.each(['(?=x)', '(?<!a)b', '(a)\\1', '(', 'a{2', '*a', '[z-a]', 'a\\nb'])(
    'refuses %s in both',
    async (pattern) => {
      put('a.txt', 'aa');
      expect(await kindOf(() => plain(grepSearch, { pattern }))).toBe('invalid_arguments');
      if (!withoutRipgrep)
        expect(await kindOf(() => ctx.call(grepSearch, { pattern }))).toBe('invalid_arguments');
    },
  );

  it('ends an expression that would run for ever, and says so', async () => {
    put('a.txt', `${'a'.repeat(40)}!\n`);
    const found = await plain(grepSearch, { pattern: '(a+)+$' });
    expect(found.metadata?.partial).toBe(true);
    expect(found.content).toContain('took more than 5 seconds');
  }, 15_000);

  it('finds text in stored results, which no command may see', async () => {
    writeFileSync(join(ctx.session.toolOutput, 'c9.txt'), 'a\nneedle\n');
    expect(
      (await ctx.call(grepSearch, { pattern: 'needle', path: 'tool-output/c9.txt' })).content,
    ).toBe('tool-output/c9.txt:2: needle');
  });

  it.skipIf(withoutRipgrep)('stops a flood of matches and still answers in order', async () => {
    for (let i = 0; i < 600; i += 1) put(`f${String(i).padStart(3, '0')}`, 'x\n'.repeat(200));
    const found = await ctx.call(grepSearch, { pattern: 'x', max_matches: 150 });
    expect(found.content.split('\n')[149]).toBe('f000:150: x');
    expect(found.content).toMatch(/\[150 of at least \d+ matching lines shown/);
  });
});

describe('glob_search', () => {
  it('finds by pattern, sorted, within the rules for hidden and ignored entries', async () => {
    put('.gitignore', 'dist/\n');
    for (const name of [
      'a.ts',
      'src/b.ts',
      'src/c.tsx',
      'src/x/d.ts',
      'dist/e.ts',
      '.github/w.yml',
      '.env',
      'secrets.ts',
      'secrets.yaml',
    ])
      put(name);
    const find = async (args: Record<string, unknown>): Promise<string> =>
      (await ctx.call(globSearch, args)).content;
    expect(await find({ pattern: '**/*.ts' })).toBe('a.ts\nsecrets.ts\nsrc/b.ts\nsrc/x/d.ts');
    expect(await find({ pattern: 'src/*.{ts,tsx}' })).toBe('src/b.ts\nsrc/c.tsx');
    expect(await find({ pattern: '*.ts', path: 'src' })).toBe('src/b.ts');
    expect(await find({ pattern: '.github/**' })).toBe('.github/w.yml');
    expect(await find({ pattern: '**/*.yml' })).toBe('(no matches)');
    expect(await find({ pattern: '**/*.yaml' })).toBe(
      '(no matches)\n[1 files with names of secrets left out]',
    );
    expect(await find({ pattern: '**/e.ts', include_ignored: true })).toBe('dist/e.ts');
    expect(await find({ pattern: '**', max_results: 1 })).toContain('[1 of 5 files shown');
    expect(await find({ pattern: 'b.ts' })).toContain('**/b.ts');
    for (const pattern of ['/etc/*', '../*', 'a/../../b']) {
      expect(await kindOf(() => ctx.call(globSearch, { pattern }))).toBe('path_outside');
    }
    expect(await kindOf(() => ctx.call(globSearch, { pattern: '*', path: 'a.ts' }))).toBe(
      'wrong_type',
    );
    expect(await kindOf(() => ctx.call(globSearch, { pattern: '*', path: 'srd' }))).toBe(
      'not_found',
    );
  });

  it('matches like the shell and is never slow', () => {
    const is = (pattern: string, path: string): boolean =>
      parseGlob(pattern, { anyDepth: false }).matches(path.split('/'));
    for (const [pattern, path] of [
      ['**', 'a/b'],
      ['**/b', 'b'],
      ['a/**/c', 'a/c'],
      ['a/**', 'a/x/y'],
      ['[!a]?', 'bc'],
      ['{a,b{c,d}}', 'bd'],
      ['\\*', '*'],
      ['**/x/**/y', 'q/x/w/y'],
      ['*.{ts,js}', 'a.js'],
      ['./a', 'a'],
    ] as const) {
      expect(is(pattern, path), pattern).toBe(true);
    }
    for (const [pattern, path] of [
      ['*', 'a/b'],
      ['a/**', 'b'],
      ['[!a]', 'a'],
      ['?', 'ab'],
      ['a/*/c', 'a/c'],
    ] as const) {
      expect(is(pattern, path), pattern).toBe(false);
    }
    const start = performance.now();
    expect(is(`${'*a'.repeat(100)}b`, 'a'.repeat(255))).toBe(false);
    expect(performance.now() - start).toBeLessThan(500);
  });
});
