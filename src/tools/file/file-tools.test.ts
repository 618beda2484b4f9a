import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isToolFailure, type ToolFailure } from '../../errors.ts';
import { issueGrant } from '../../workspace/grant.ts';
import { sha256Of } from '../../workspace/write-file.ts';
import { fileContext } from '../testing/file-context.ts';
import type { Tool } from '../types.ts';
import { editFile } from './edit-file.ts';
import { listDir } from './list-dir.ts';
import { readFile } from './read-file.ts';
import { writeFile } from './write-file.ts';

const grant = issueGrant({
  callId: 'c1',
  tool: 'write_file',
  class: 'write',
  origin: 'gate',
  digest: '',
  protectedPaths: [],
});
const settings: Record<string, unknown> = {};
let ctx: ReturnType<typeof fileContext>;

beforeEach(() => {
  ctx = fileContext({ grant, settings });
});
afterEach(() => ctx.close());

const on = (name: string): string => join(ctx.workspace, name);
const put = (name: string, content: string | Buffer): void => writeFileSync(on(name), content);
const get = (name: string): string => readFileSync(on(name), 'utf8');
const text = async (tool: Tool, args: Record<string, unknown>): Promise<string> =>
  (await ctx.call(tool, args)).content;
async function failure(tool: Tool, args: Record<string, unknown>): Promise<ToolFailure> {
  try {
    await ctx.call(tool, args);
  } catch (error) {
    if (isToolFailure(error)) return error;
    throw error;
  }
  throw new Error('did not fail');
}

describe('list_dir', () => {
  it('lists folders first, counts hidden, ignored and secret entries, names the session folders', async () => {
    mkdirSync(on('src/deep'), { recursive: true });
    mkdirSync(on('Zoo'));
    for (const name of ['b.txt', 'A.txt', '.hidden', 'x.log', 'tls.key', 'src/in.ts'])
      put(name, 'abc');
    put('.gitignore', '*.log\n');
    symlinkSync('b.txt', on('l'));
    writeFileSync(join(ctx.session.output, 'o'), '');
    symlinkSync('../output', join(ctx.session.scratchpad, 'output'));
    expect(await text(listDir, {})).toBe(
      'dir\tsrc\t-\ndir\tZoo\t-\nfile\tA.txt\t3\nfile\tb.txt\t3\nlink\tl\t5\n[not listed: 2 hidden, 1 ignored, 1 with names of secrets]\n[session folders: output/ (1 entries), scratchpad/ (0 entries), input/ (0 entries)]',
    );
    expect(await text(listDir, { path: 'src', depth: 2 })).toBe(
      'dir\tsrc/deep\t-\nfile\tsrc/in.ts\t3',
    );
    expect(await text(listDir, { path: 'Zoo' })).toBe('(empty directory)');
    expect(await text(listDir, { path: 'scratch' })).toBe('(empty directory)');
    expect(await text(listDir, { include_ignored: true })).toContain('file\t.hidden\t3');
    expect(await text(listDir, { max_entries: 1 })).toContain('4 beyond max_entries');
    expect((await failure(listDir, { path: 'b.txt' })).kind).toBe('wrong_type');
    const missing = await failure(listDir, { path: 'scr' });
    expect(missing.kind).toBe('not_found');
    expect(missing.message).toContain('nearest: src');
  });
});

describe('read_file', () => {
  it('shows numbered lines and facts, and pages without loss or overlap', async () => {
    put('a.ts', 'one\r\ntwo\r\nthree');
    expect(await text(readFile, { path: 'a.ts' })).toBe(
      '[a.ts, lines 1-3 of 3, 15 bytes, utf-8, crlf]\n1\tone\n2\ttwo\n3\tthree',
    );
    const lines = Array.from({ length: 5000 }, (_, n) => `line ${n + 1}`);
    put('long', `${lines.join('\n')}\n`);
    const seen: string[] = [];
    for (let start: number | undefined = 1; start !== undefined; ) {
      const output = await ctx.call(readFile, { path: 'long', start_line: start });
      const body = output.content
        .split('\n')
        .slice(1)
        .filter((line) => !line.startsWith('['));
      seen.push(...body.map((line) => line.replace(/^\d+\t/, '')));
      start = output.metadata?.next_start_line as number | undefined;
    }
    expect(seen).toEqual(lines);
    const beyond = await failure(readFile, { path: 'long', start_line: 5001 });
    expect(beyond.kind).toBe('invalid_arguments');
    expect(beyond.message).toContain('5000 lines');
    expect((await failure(readFile, { path: 'long', start_line: 3, offset_chars: 1 })).kind).toBe(
      'invalid_arguments',
    );
  });

  it('pages through a giant line by characters', async () => {
    const giant = '😀x'.repeat(30_000);
    put('giant', giant);
    expect(await text(readFile, { path: 'giant' })).toContain(
      '[... line cut: it has 60000 characters',
    );
    let whole = '';
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const output = await ctx.call(readFile, {
        path: 'giant',
        offset_chars: offset,
        limit_chars: 50_000,
      });
      whole += output.content.split('\n')[1] ?? '';
      offset = output.metadata?.next_offset_chars as number | undefined;
    }
    expect(whole).toBe(giant);
  });

  it('reads a range of a large file without holding it whole', async () => {
    put('large', Buffer.alloc(60 << 20, 'a line of text here\n'));
    const before = process.memoryUsage().rss;
    const output = await ctx.call(readFile, {
      path: 'large',
      start_line: 3_000_000,
      end_line: 3_000_001,
    });
    expect(output.content).toContain('3000000\ta line of text here\n3000001\ta line of text here');
    expect(output.metadata).not.toHaveProperty('sha256');
    expect(process.memoryUsage().rss - before).toBeLessThan(60 << 20);
  });

  it('names encodings, guesses legacy ones, takes a label, refuses binary', async () => {
    put('gb', Buffer.from([0xc4, 0xe3, 0xba, 0xc3]));
    expect(await text(readFile, { path: 'gb' })).toContain('gb18030 (guessed), none]\n1\t你好');
    put('latin', Buffer.from('caf\xe9!', 'latin1'));
    expect(await text(readFile, { path: 'latin' })).toContain(
      'windows-1252 (guessed), none]\n1\tcafé!',
    );
    put('wide', Buffer.from('\ufeffhé\r\n', 'utf16le'));
    expect(await text(readFile, { path: 'wide' })).toContain('utf-16le, crlf]\n1\thé');
    put('sjis', Buffer.from([0x83, 0x5c]));
    expect(await text(readFile, { path: 'sjis', encoding: 'shift_jis' })).toContain('1\tソ');
    expect((await failure(readFile, { path: 'sjis', encoding: 'klingon' })).kind).toBe(
      'invalid_arguments',
    );
    put('doc.docx', Buffer.from('PK\x03\x04\0\0\xff', 'latin1'));
    const binary = await failure(readFile, { path: 'doc.docx' });
    expect(binary.kind).toBe('unsupported_format');
    expect(binary.message).toContain('office document of 7 bytes');
    put('empty', '');
    expect(await text(readFile, { path: 'empty' })).toBe('[empty, no lines, 0 bytes, utf-8, none]');
    expect((await failure(readFile, { path: 'emtpy' })).message).toContain('nearest: empty');
    expect((await failure(readFile, { path: '.' })).kind).toBe('wrong_type');
  });

  it('shows notebooks by cell and pictures as pictures where the model takes them', async () => {
    const cells = [
      {
        cell_type: 'code',
        id: 'c1',
        source: ['x = 1\n', 'x'],
        outputs: [{ text: ['1'] }, { data: { 'image/png': 'AAAA' } }],
      },
    ];
    put('n.ipynb', JSON.stringify({ cells, nbformat: 4 }));
    expect(await text(readFile, { path: 'n.ipynb' })).toContain(
      '[cell 0, id c1, code]\nx = 1\nx\n[output]\n1\n[also: image/png]',
    );
    const png = Buffer.alloc(30);
    png.write('\x89PNG\r\n\x1a\n', 'latin1');
    png.writeUInt32BE(640, 16);
    png.writeUInt32BE(480, 20);
    put('p.png', png);
    expect((await ctx.call(readFile, { path: 'p.png' })).images).toBeUndefined();
    settings['model.images'] = true;
    expect((await ctx.call(readFile, { path: 'p.png' })).images).toMatchObject([
      { mime: 'image/png', width: 640, height: 480 },
    ]);
    delete settings['model.images'];
  });
});

describe('write_file', () => {
  it('creates with folders up to the limit, and nothing above it', async () => {
    const made = await ctx.call(writeFile, { path: 'n/a.md', content: 'hi\n' });
    expect(made.content).toBe(
      'n/a.md: +1 −0 lines\n--- /dev/null\n+++ b/n/a.md\n@@ -0,0 +1,1 @@\n+hi',
    );
    expect(made).toMatchObject({
      metadata: {
        created: true,
        before_sha256: null,
        after_sha256: sha256Of(Buffer.from('hi\n')),
        after_bytes: 3,
      },
    });
    expect(made.filesChanged).toEqual([
      { path: 'n/a.md', before: null, after: sha256Of(Buffer.from('hi\n')) },
    ]);
    await ctx.call(writeFile, { path: 'max', content: 'x'.repeat(16_384) });
    const large = await failure(writeFile, { path: 'over', content: 'x'.repeat(16_385) });
    expect(large.kind).toBe('too_large');
    expect(large.message).toContain('python_exec');
    expect((await failure(readFile, { path: 'over' })).kind).toBe('not_found');
    expect(
      (await failure(writeFile, { path: 'p.py', content: 'def f():\n    # ... rest unchanged\n' }))
        .kind,
    ).toBe('placeholder_text');
  });

  it('overwrites only what was read, and keeps mark, line ends and mode', async () => {
    put('a.txt', '\ufeffone\r\ntwo\r\n');
    chmodSync(on('a.txt'), 0o755);
    expect((await failure(writeFile, { path: 'a.txt', content: 'x' })).kind).toBe('stale_file');
    await ctx.call(readFile, { path: 'a.txt' });
    await ctx.call(writeFile, { path: 'a.txt', content: 'new\ntext\n' });
    expect(get('a.txt')).toBe('\ufeffnew\r\ntext\r\n');
    expect(statSync(on('a.txt')).mode & 0o777).toBe(0o755);
    expect((await failure(writeFile, { path: 'a.txt', content: 'new\ntext\n' })).kind).toBe(
      'no_change',
    );
  });

  it('appends exactly, telling of an open last line, in place when the file is large', async () => {
    put('log', 'a');
    expect(await text(writeFile, { path: 'log', content: 'b\n', append: true })).toContain(
      'did not end with a line break',
    );
    expect(get('log')).toBe('ab\n');
    put('big', Buffer.alloc(11 << 20, 10));
    expect(await text(writeFile, { path: 'big', content: 'end', append: true })).toContain(
      '3 bytes appended',
    );
    expect(statSync(on('big')).size).toBe((11 << 20) + 3);
  });

  it('refuses secret, protected and read-only places', async () => {
    for (const path of ['.env', '.git/hooks/x', 'toolwright.yaml', 'input/x', 'tool-output/x']) {
      expect((await failure(writeFile, { path, content: 'x' })).kind, path).toBe('path_denied');
    }
  });
});

describe('edit_file', () => {
  it('shows what changed, keeps the before-image, warns of broken JSON', async () => {
    put('a.json', '{"a": 1,\r\n"b": 2}\r\n');
    const output = await ctx.call(editFile, {
      path: 'a.json',
      old_text: '"b": 2}',
      new_text: '"b": 2',
    });
    expect(output.content).toContain('a.json: +1 −1 lines\n--- a/a.json\n+++ b/a.json\n');
    expect(output.content).toContain('-"b": 2}\n+"b": 2');
    expect(output.content).toContain('Warning: the file is not valid JSON now');
    expect(output.metadata).toMatchObject({
      replaced: 1,
      matched: 'exact',
      encoding: 'utf-8',
      eol: 'crlf',
      created: false,
    });
    expect(ctx.blobs.get(String(output.metadata?.before_sha256))?.toString()).toBe(
      '{"a": 1,\r\n"b": 2}\r\n',
    );
    expect(get('a.json')).toBe('{"a": 1,\r\n"b": 2\r\n');
  });

  it('R26: refuses a file that changed since, shows the change, and then lets the edit be repeated', async () => {
    put('a.txt', 'one\ntwo\n');
    await ctx.call(readFile, { path: 'a.txt' });
    put('a.txt', 'one\nTWO\n');
    const edit = { path: 'a.txt', old_text: 'one', new_text: '1' };
    const stale = await failure(editFile, edit);
    expect(stale.kind).toBe('stale_file');
    expect(stale.content).toContain('-two\n+TWO');
    await ctx.call(editFile, edit);
    expect(get('a.txt')).toBe('1\nTWO\n');
  });

  it('cuts a long diff in the middle and stays quick on large files', async () => {
    put('big', Array.from({ length: 200_000 }, (_, n) => `line ${n}\n`).join(''));
    const one = await ctx.call(editFile, {
      path: 'big',
      old_text: 'line 100000\n',
      new_text: 'x\n',
    });
    expect(one.content).toContain('@@ -99998,7 +99998,7 @@');
    const all = await ctx.call(editFile, {
      path: 'big',
      old_text: 'line 199',
      new_text: 'y',
      replace_all: true,
    });
    expect(all.content.length).toBeLessThan(4300);
    expect(all.content).toMatch(/characters of the diff omitted/);
    expect(all.content).toContain('+1111 −1111');
  });

  it('leaves a file whole that it may not change', async () => {
    put('.env', 'K=1');
    put('target', 'x');
    symlinkSync('.env', on('innocent'));
    for (const path of ['.env', 'innocent']) {
      expect((await failure(editFile, { path, old_text: 'K', new_text: 'L' })).kind).toBe(
        'path_denied',
      );
    }
    expect(get('.env')).toBe('K=1');
  });
});
