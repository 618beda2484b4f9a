import { describe, expect, it } from 'vitest';
import { fakeExecutor, fakeTool, toolCall } from '../testing/fake-session.ts';
import { basicTools } from './index.ts';
import { searchTerms } from './tool-search.ts';

describe('sequentialthinking', () => {
  it('counts thoughts and branches of one task, and raises the total', async () => {
    const fake = fakeExecutor({ tools: basicTools });
    const think = async (args: object, runId = 'run_1') => {
      const base = {
        thought: 't',
        next_thought_needed: true,
        thought_number: 1,
        total_thoughts: 2,
      };
      const [done] = await fake.run([toolCall('sequentialthinking', { ...base, ...args })], {
        runId,
      });
      return JSON.parse(done?.modelText ?? '');
    };
    expect(await think({})).toEqual({
      thought_number: 1,
      total_thoughts: 2,
      next_thought_needed: true,
      branches: [],
      thought_history_length: 1,
    });
    expect(
      await think({
        thought_number: 5,
        branch_from_thought: 1,
        branch_id: 'b',
        revises_thought: 0,
      }),
    ).toMatchObject({
      total_thoughts: 5,
      branches: ['b'],
      thought_history_length: 2,
    });
    expect(await think({}, 'run_2')).toMatchObject({ thought_history_length: 1, branches: [] });
  });
});

describe('tool_search', () => {
  const far = [
    fakeTool({
      name: 'web_fetch',
      group: 'web',
      description: 'Fetch one page.',
      descriptionZh: '抓取一个网页。',
    }),
    fakeTool({
      name: 'plan_get',
      group: 'plan',
      description: 'Show the plan.',
      descriptionZh: '显示计划。',
    }),
  ];
  const fake = fakeExecutor({
    tools: [...basicTools, ...far],
    offer: ['tool_search', 'call_tool'],
  });
  const search = async (query: string, more = {}) => {
    const [done] = await fake.run([toolCall('tool_search', { query, ...more })]);
    return done?.modelText ?? '';
  };

  it('ranks by words in both languages and gives the schema', async () => {
    expect(await search('fetch a page')).toMatch(
      /^web_fetch: Fetch one page\.\nschema: \{"type":"object"/,
    );
    expect(await search('网页')).toMatch(/^web_fetch/);
    expect(await search('计划')).toMatch(/^plan_get/);
    expect(await search('select:plan_get, web_fetch')).toMatch(/web_fetch[\s\S]*plan_get/);
    expect(await search('page plan', { max_results: 1 })).toContain('1 more match');
  });

  it('succeeds without a hit and names the groups', async () => {
    const groups = await search('zzz');
    expect(groups).toContain('web, plan');
  });

  it('takes Chinese in pairs and names apart', () => {
    expect(searchTerms('readFile 抓取网页')).toEqual(['read', 'file', '抓取', '取网', '网页']);
  });
});
