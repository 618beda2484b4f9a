import { describe, expect, it } from 'vitest';
import { basicTools } from './basic/index.ts';
import { taskDoneTool } from './basic/task-done.ts';
import { offeredList } from './offered-list.ts';
import { createRegistry } from './registry.ts';
import { fakeTool } from './testing/fake-session.ts';
import type { Tool } from './types.ts';
import { wireBytes, wireTools } from './wire-tools.ts';

const registryOf = (...tools: Tool[]) => createRegistry([{ source: 'test', tools }]);
const anyPolicy = { impossible: () => false };
const names = (tools: readonly Tool[]) => tools.map((tool) => tool.name);

describe('createRegistry', () => {
  it('refuses two spellings of one name and names both sources', () => {
    const sources = [
      { source: 'one.ts', tools: [fakeTool({ name: 'Bash' })] },
      { source: 'two.ts', tools: [fakeTool({ name: 'ba_sh' })] },
    ];
    expect(() => createRegistry(sources)).toThrow(/ba_sh \(two\.ts\).*Bash \(one\.ts\)/);
  });

  it('leaves out a colliding tool of a server with a warning, wherever it stands', () => {
    const mcp = fakeTool({ name: 'bash', group: 'mcp', permission: 'mcp' });
    const registry = createRegistry([
      { source: 'server x', tools: [mcp] },
      { source: 'native', tools: [fakeTool({ name: 'Bash' })] },
    ]);
    expect(names(registry.tools)).toEqual(['Bash']);
    expect(registry.warnings[0]).toContain('server x');
  });

  it.each([
    ['a missing class', { permission: undefined as never }, 'permission class'],
    ['a missing place', { runsIn: undefined as never }, 'where it runs'],
    ['a missing description', { description: '' }, 'description is missing'],
    ['a missing Chinese text', { descriptionZh: '' }, 'Chinese description'],
    ['a bad name', { name: '1x' }, 'name'],
    [
      'a combinator',
      { parameters: { type: 'object', properties: { a: { anyOf: [] } } } as never },
      'anyOf',
    ],
    [
      'a null type',
      { parameters: { type: 'object', properties: { a: { type: ['string', 'null'] } } } as never },
      'type',
    ],
    [
      'a pattern',
      {
        parameters: {
          type: 'object',
          properties: { a: { type: 'string', pattern: 'x' } },
        } as never,
      },
      'pattern',
    ],
    ['a root that is no object', { parameters: { type: 'array' } as never }, 'root'],
    [
      'an unknown required name',
      { parameters: { type: 'object', required: ['x'], properties: {} } as never },
      'required x',
    ],
    [
      'an odd path intent',
      {
        parameters: {
          type: 'object',
          properties: { a: { type: 'string', 'x-path': 'eat' } },
        } as never,
      },
      'x-path',
    ],
  ])('refuses %s', (_what, fields, says) => {
    expect(() => registryOf(fakeTool({ name: 't', ...fields }))).toThrow(says);
  });
});

describe('offeredList', () => {
  const tools = [
    ...basicTools,
    fakeTool({ name: 'read_file' }),
    fakeTool({ name: 'bash', group: 'exec', permission: 'shell' }),
    fakeTool({ name: 'grep_search' }),
    fakeTool({ name: 'rows', group: 'data' }),
    fakeTool({ name: 'worker', group: 'agent', aliases: ['delegate_agent'] }),
    fakeTool({ name: 'mcp__s__get', group: 'mcp', permission: 'mcp' }),
  ];
  const registry = registryOf(...tools);
  const offer = (fields: object) =>
    offeredList(registry, { profile: 'coding', policy: anyPolicy, ...fields });

  it('takes the core of a profile in its order, defers the rest, puts servers last', () => {
    const list = offer({});
    expect(names(list.offered)).toEqual([
      'bash',
      'grep_search',
      'sequentialthinking',
      'task_done',
      'tool_search',
      'call_tool',
      'mcp__s__get',
    ]);
    expect(names(list.deferred)).toEqual(['read_file', 'worker']);
    expect(names(offer({ profile: 'explore' }).offered)).toEqual([
      'read_file',
      'grep_search',
      'mcp__s__get',
    ]);
    expect(names(offer({ profile: 'data' }).deferred)).toContain('rows');
  });

  it('a list means exactly its tools and task_done', () => {
    const list = offer({
      tools: ['bash', 'str_replace_based_edit_tool', 'sequentialthinking', 'task_done'],
    });
    expect(names(list.offered)).toEqual(['bash', 'sequentialthinking', 'task_done', 'mcp__s__get']);
    expect(list.deferred).toEqual([]);
    expect(names(offer({ tools: ['group:file', '-read_file'] }).offered)).toEqual([
      'grep_search',
      'task_done',
      'mcp__s__get',
    ]);
    expect(names(offer({ tools: ['profile:explore', 'tool_search'] }).deferred)).toContain('bash');
    expect(list.leftOut).toEqual(['str_replace_based_edit_tool']);
    expect(() => offer({ tools: ['bsh'] })).toThrow('did you mean bash?');
    expect(() => offer({ tools: ['group:fil'] })).toThrow('did you mean file?');
    expect(() => offer({ tools: ['profile:codng'] })).toThrow('did you mean coding?');
    expect(() => offer({ profile: 'x' })).toThrow('unknown tool profile');
  });

  it('names of tools this program does not have are left out, not refused', () => {
    const missing = ['json_edit_tool', 'ckg', 'LSP', 'web_fetch', 'Skill', 'Agent', 'group:web'];
    const list = offer({ tools: ['bash', ...missing, '-multi_edit'] });
    expect(names(list.offered)).toEqual(['bash', 'task_done', 'mcp__s__get']);
    expect(list.leftOut).toEqual(missing);
    expect(offer({}).leftOut).toEqual([]);
    expect(() => offer({ tools: ['json_edit_tol'] })).toThrow('did you mean json_edit_tool?');
  });

  it('a list without tool_search takes no loaded tools', () => {
    const list = offer({ tools: ['bash'], loaded: ['worker'] });
    expect(names(list.offered)).toEqual(['bash', 'task_done', 'mcp__s__get']);
  });

  it('leaves out what is impossible or not available, and puts loaded tools behind the core', () => {
    const list = offer({
      policy: { impossible: (name: string) => name === 'bash' },
      loaded: ['worker'],
      available: (tool: Tool) => tool.name !== 'grep_search',
    });
    expect(names(list.offered)).toEqual([
      'sequentialthinking',
      'task_done',
      'tool_search',
      'call_tool',
      'worker',
      'mcp__s__get',
    ]);
    expect(list.find('bash')).toBeNull();
  });

  it('finds by each rung, the offered list first, and only when one matches', () => {
    const list = offer({});
    expect(list.find('bash')).toMatchObject({ resolvedFrom: null, deferred: false });
    for (const name of ['Bash', 'ba-sh', 'functions.bash', 'tools:BASH', 'a/b/bash']) {
      expect(list.find(name)).toMatchObject({ tool: { name: 'bash' }, resolvedFrom: name });
    }
    expect(list.find('delegate_agent')).toMatchObject({ tool: { name: 'worker' }, deferred: true });
    expect(list.find('get')).toMatchObject({ tool: { name: 'mcp__s__get' } });
    expect(list.find('rows')).toBeNull();
    expect(list.nearest('bahs')).toEqual(['bash']);
  });

  it('is the same bytes each time, within a small share of the budget', () => {
    const text = () => JSON.stringify(wireTools(offer({}).offered, 'en'));
    expect(text()).toBe(text());
    expect(text()).not.toContain('x-');
    expect(wireBytes(basicTools, 'en')).toBeLessThan(2300);
    expect(wireBytes(basicTools, 'zh')).toBeLessThan(2300);
  });

  it('offers the answer schema with task_done when there is one', () => {
    const answer = { type: 'object', properties: { n: { type: 'integer' } } };
    const list = offer({ replace: [taskDoneTool(answer)] });
    const done = list.offered.find((tool) => tool.name === 'task_done');
    expect(done?.parameters.properties).toMatchObject({ answer });
  });
});
