import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isToolFailure, type ToolFailure } from '../../errors.ts';
import { issueGrant } from '../../workspace/grant.ts';
import { fileContext } from '../testing/file-context.ts';
import type { Tool } from '../types.ts';
import { textEditor } from './text-editor.ts';

const grant = issueGrant({
  callId: 'c1',
  tool: 'write_file',
  class: 'write',
  origin: 'gate',
  digest: '',
  protectedPaths: [],
});
let ctx: ReturnType<typeof fileContext>;

beforeEach(() => {
  ctx = fileContext({ grant });
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

describe('str_replace_based_edit_tool', () => {
  const run = (args: Record<string, unknown>): Promise<string> => text(textEditor, args);

  it('views files with ranges and folders two levels deep', async () => {
    put('a.py', 'def f():\n\treturn 1\n');
    expect(await run({ command: 'view', path: 'a.py' })).toBe(
      '     1\tdef f():\n     2\t\treturn 1',
    );
    expect(await run({ command: 'view', path: on('a.py'), view_range: [2, -1] })).toBe(
      '     2\t\treturn 1',
    );
    for (const view_range of [
      [0, 1],
      [2, 1],
      [1, 3],
      [3, -1],
    ]) {
      const error = await failure(textEditor, { command: 'view', path: 'a.py', view_range });
      expect(error.kind).toBe('invalid_arguments');
      expect(error.message).toContain('2 lines');
    }
    mkdirSync(on('d; touch x/e/f'), { recursive: true });
    put('.hidden', '');
    expect(await run({ command: 'view', path: '.' })).toMatch(
      /:\na\.py\nd; touch x\/\nd; touch x\/e\/$/,
    );
    expect(
      (await failure(textEditor, { command: 'view', path: '.', view_range: [1, 2] })).kind,
    ).toBe('invalid_arguments');
    put('long', 'x'.repeat(99).concat('\n').repeat(400));
    expect(await run({ command: 'view', path: 'long' })).toMatch(
      /\[shown up to line \d+ of 400; continue with view_range \[\d+, 400\]\]$/,
    );
  });

  it('creates once, never over something', async () => {
    expect(
      await run({ command: 'create', path: 'n/e/w.py', file_text: "print('it''s')\n" }),
    ).toContain('+1 −0');
    expect(
      (await failure(textEditor, { command: 'create', path: 'n/e/w.py', file_text: 'x' })).kind,
    ).toBe('already_exists');
    expect(
      (await failure(textEditor, { command: 'create', path: 'n/e', file_text: 'x' })).kind,
    ).toBe('already_exists');
    expect((await failure(textEditor, { command: 'create', path: 'x' })).kind).toBe(
      'invalid_arguments',
    );
    expect(
      (await failure(textEditor, { command: 'create', path: 'x', file_text: 'y'.repeat(131_073) }))
        .kind,
    ).toBe('too_large');
    expect(get('n/e/w.py')).toBe("print('it''s')\n");
  });

  it('replaces exactly one place and shows its surroundings; tabs and CRLF survive', async () => {
    put('a.py', '\tone\r\n\ttwo\r\n\tthree\r\n');
    const shown = await run({
      command: 'str_replace',
      path: 'a.py',
      old_str: '\ttwo\n',
      new_str: '\tTWO\n\tmore\n',
    });
    expect(shown).toContain('     2\t\tTWO\n     3\t\tmore\n     4\t\tthree');
    expect(get('a.py')).toBe('\tone\r\n\tTWO\r\n\tmore\r\n\tthree\r\n');
    await run({ command: 'str_replace', path: 'a.py', old_str: '\tmore\n' });
    expect(get('a.py')).toBe('\tone\r\n\tTWO\r\n\tthree\r\n');
    expect(
      (
        await failure(textEditor, {
          command: 'str_replace',
          path: 'a.py',
          old_str: '\t',
          new_str: '',
        })
      ).kind,
    ).toBe('ambiguous_match');
  });

  it.each([
    ['a\nb\n', 1, 'x', 'a\nx\nb\n'],
    ['a\nb\n', 0, 'x', 'x\na\nb\n'],
    ['a\nb\n', 2, 'x', 'a\nb\nx\n'],
    ['a\nb', 2, 'x\ny', 'a\nb\nx\ny'],
    ['a\r\nb\r\n', 1, 'x\ny', 'a\r\nx\r\ny\r\nb\r\n'],
    ['', 0, 'x', 'x\n'],
    ['a\n', 1, '$& \\n', 'a\n$& \\n\n'],
  ])('inserts into %j after line %i', async (before, insert_line, new_str, after) => {
    put('f', before);
    await run({ command: 'insert', path: 'f', insert_line, new_str });
    expect(get('f')).toBe(after);
  });

  it('refuses to insert beyond the end and into unknown files', async () => {
    put('f', 'a\n');
    expect(
      (await failure(textEditor, { command: 'insert', path: 'f', insert_line: 2, new_str: 'x' }))
        .message,
    ).toContain('1 lines');
    expect(
      (await failure(textEditor, { command: 'insert', path: 'g', insert_line: 0, new_str: 'x' }))
        .kind,
    ).toBe('not_found');
  });
});
