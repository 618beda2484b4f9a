import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isToolFailure } from '../../errors.ts';
import { issueGrant } from '../../workspace/grant.ts';
import { compatTools } from '../compat/index.ts';
import { lintSchema } from '../schema-lint.ts';
import { searchTools } from '../search/index.ts';
import { fileContext } from '../testing/file-context.ts';
import type { Tool } from '../types.ts';
import { fileTools } from './index.ts';

const grant = issueGrant({
  callId: 'c1',
  tool: 'any',
  class: 'write',
  origin: 'gate',
  digest: '',
  protectedPaths: [],
});
const tools = [...fileTools, ...searchTools, ...compatTools];
const named = (name: string): Tool => {
  const found = tools.find((tool) => tool.name === name);
  if (found === undefined) throw new Error(name);
  return found;
};

let ctx: ReturnType<typeof fileContext>;
beforeEach(() => {
  ctx = fileContext({ grant, settings: { 'search.engine': 'built-in' } });
});
afterEach(() => ctx.close());

const SURFACES: readonly (readonly [string, (path: string) => Record<string, unknown>])[] = [
  ['list_dir', (path) => ({ path })],
  ['read_file', (path) => ({ path })],
  ['write_file', (path) => ({ path, content: 'EVIL' })],
  ['write_file', (path) => ({ path, content: 'EVIL', append: true })],
  ['edit_file', (path) => ({ path, old_text: 'CANARY', new_text: 'EVIL' })],
  ['glob_search', (path) => ({ pattern: '**', path })],
  ['glob_search', (path) => ({ pattern: path || 'x', include_ignored: true })],
  ['grep_search', (path) => ({ pattern: 'CANARY', path })],
  ['grep_search', (path) => ({ pattern: 'CANARY', glob: path || 'x' })],
  ['str_replace_based_edit_tool', (path) => ({ command: 'view', path })],
  ['str_replace_based_edit_tool', (path) => ({ command: 'create', path, file_text: 'EVIL' })],
  [
    'str_replace_based_edit_tool',
    (path) => ({ command: 'str_replace', path, old_str: 'CANARY', new_str: 'EVIL' }),
  ],
  [
    'str_replace_based_edit_tool',
    (path) => ({ command: 'insert', path, insert_line: 0, new_str: 'EVIL' }),
  ],
];

describe('B1, B2: what a path parameter can say', () => {
  it('reads and changes nothing outside, on any surface', async () => {
    const canaries = [
      'canary',
      'ws-sibling/canary',
      's/.session/canary',
      's/.data_agent/canary',
    ].map((name) => join(ctx.base, name));
    for (const folder of ['ws-sibling', 's/.data_agent']) mkdirSync(join(ctx.base, folder));
    for (const canary of canaries) writeFileSync(canary, 'CANARY');
    mkdirSync(join(ctx.workspace, 'sub'));
    symlinkSync('../canary', join(ctx.workspace, 'link'));
    symlinkSync('..', join(ctx.workspace, 'up'));
    symlinkSync(join(ctx.base, 'canary'), join(ctx.workspace, 'sub/abs'));
    symlinkSync('../new-outside', join(ctx.workspace, 'dangling'));
    const { base } = ctx;
    const payloads = [
      '../canary',
      '..',
      '../../../../../../etc/passwd',
      'sub/../../canary',
      './../canary',
      '..//canary',
      'sub/..//../canary',
      `${base}/canary`,
      `${base}/ws/../canary`,
      `${base}/ws-sibling/canary`,
      `//${base}/canary`,
      `${base}/ws/./.././canary`,
      'link',
      'up/canary',
      'up/ws-sibling/canary',
      'sub/abs',
      'dangling',
      'up',
      'up/s/.session/canary',
      '../ws-sibling/canary',
      'output/../../canary',
      'scratchpad/../../canary',
      'output/../.session/canary',
      '.session/canary',
      'workspace:../canary',
      `workspace:/${base}/canary`,
      'tool-output/../canary',
      'tool-output/../../.data_agent/canary',
      '..\\canary',
      '..%2fcanary',
      '%2e%2e/canary',
      '..%252fcanary',
      '..%c0%afcanary',
      '....//canary',
      '..;/canary',
      '.. /canary',
      '../canary\0.txt',
      '~/../canary',
      '~root/canary',
      `file://${base}/canary`,
      '/proc/self/root/etc/passwd',
      '/proc/self/environ',
      '/dev/zero',
      '\u2025/canary',
      '．．/canary',
      'skills/../../canary',
      '',
      ' ',
      '/',
      './/../canary',
      '{../canary,x}',
      '[.][.]/canary',
    ];
    for (const [name, args] of SURFACES) {
      for (const payload of payloads) {
        const given = args(payload);
        try {
          const output = await ctx.call(named(name), given);
          const seen = output.content.replaceAll(payload, '');
          expect(seen, `${name} ${JSON.stringify(given)}`).not.toMatch(/CANARY|root:x:|PATH=/);
        } catch (error) {
          if (!isToolFailure(error)) throw error;
          expect(`${error.message}${error.content ?? ''}`).not.toMatch(/root:x:|PATH=/);
        }
      }
    }
    for (const canary of canaries) expect(readFileSync(canary, 'utf8')).toBe('CANARY');
    expect(() => readFileSync(join(base, 'new-outside'))).toThrow();
  });
});

describe('what the model is told of these tools', () => {
  const core = ['str_replace_based_edit_tool', 'glob_search', 'grep_search'];
  it.each(tools.map((tool) => [tool.name, tool] as const))(
    '%s: short, with use and not, in both languages',
    (name, tool) => {
      const [english, chinese] = core.includes(name) ? [300, 200] : [640, 400];
      expect(tool.description.length).toBeLessThanOrEqual(english);
      expect(tool.descriptionZh.length).toBeLessThanOrEqual(chinese);
      expect(tool.description).toMatch(/^[A-Z][^.]*\..*\bUse\b.*\bNot\b/s);
      expect(tool.descriptionZh).toMatch(/用于|时使用/);
      expect(lintSchema(tool)).toEqual([]);
      const properties = tool.parameters.properties as Record<string, { description?: string }>;
      for (const one of Object.values(properties))
        expect((one.description ?? '').length).toBeLessThanOrEqual(80);
      const numbers = (text: string): string[] => (text.match(/\d[\d,]*/g) ?? []).sort();
      expect(numbers(tool.descriptionZh)).toEqual(numbers(tool.description));
      const names = (text: string): string[] =>
        [...new Set(text.match(/[a-z]+(?:_[a-z]+)+/g) ?? [])].sort();
      expect(names(tool.descriptionZh)).toEqual(names(tool.description));
    },
  );
});
