import type { Tool, ToolOutput } from '../types.ts';
import { stripAnnotations } from '../wire-tools.ts';

const SELECT = /^\s*select:/i;
const DEFAULT_RESULTS = 5;

/** Words and, for Chinese, pairs of characters. */
export function searchTerms(text: string): string[] {
  const spaced = text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
  const words = spaced.match(/[a-z0-9]+/g) ?? [];
  const runs = spaced.match(/\p{Script=Han}+/gu) ?? [];
  const pairs = runs.flatMap((run) =>
    run.length === 1
      ? [run]
      : Array.from({ length: run.length - 1 }, (_, at) => run.slice(at, at + 2)),
  );
  return [...words, ...pairs];
}

function score(tool: Tool, terms: readonly string[]): number {
  const name = searchTerms(tool.name);
  const parameters = Object.keys((tool.parameters.properties ?? {}) as object).flatMap(searchTerms);
  const text = new Set(searchTerms(`${tool.description} ${tool.descriptionZh}`));
  let total = 0;
  for (const term of new Set(terms)) {
    if (name.includes(term)) total += 5;
    else if (term.length > 2 && tool.name.toLowerCase().includes(term)) total += 3;
    if (text.has(term)) total += 2;
    if (parameters.includes(term)) total += 1;
  }
  return total;
}

function entry(tool: Tool): string {
  const schema = JSON.stringify(stripAnnotations(tool.parameters));
  return `${tool.name}: ${tool.description}\nschema: ${schema}`;
}

/** The search over what a run can use but does not list. */
export function toolSearchTool(deferred: readonly Tool[]): Tool {
  const groups = [...new Set(deferred.map((tool) => tool.group))];
  const listed = groups.length === 0 ? 'none' : groups.join(', ');
  return {
    name: 'tool_search',
    group: 'agent',
    description: `Find more tools. Use when no listed tool fits; run a hit with call_tool. Not for files: grep_search. Groups: ${listed}.`,
    descriptionZh: `查找更多工具。现有工具不合适时使用，再用 call_tool 运行。不用于查文件：grep_search。分组：${listed}。`,
    parameters: {
      type: 'object',
      required: ['query'],
      properties: {
        query: { type: 'string', description: 'words, or select:name1,name2' },
        max_results: {
          type: 'integer',
          minimum: 1,
          maximum: 20,
          description: 'default 5',
          'x-clamp': true,
        },
      },
    },
    permission: 'read',
    runsIn: 'host',
    parallelSafe: true,
    timeout: { default: 10, max: 10 },
    alternatives: [],
    run: (args) => Promise.resolve(search(deferred, groups, args)),
  };
}

function search(
  deferred: readonly Tool[],
  groups: readonly string[],
  args: Readonly<Record<string, unknown>>,
): ToolOutput {
  const query = String(args.query);
  const most = typeof args.max_results === 'number' ? args.max_results : DEFAULT_RESULTS;
  const hits = SELECT.test(query) ? selected(deferred, query) : ranked(deferred, query);
  if (hits.length === 0)
    return { content: `No tool matches. Groups with more tools: ${groups.join(', ') || 'none'}.` };
  const shown = hits.slice(0, most);
  const more = hits.length - shown.length;
  const rest = more > 0 ? `\n\n${more} more match; raise max_results.` : '';
  return {
    content: `${shown.map(entry).join('\n\n')}${rest}\n\nRun one with call_tool.`,
    metadata: { found_tools: shown.map((tool) => tool.name) },
  };
}

function selected(deferred: readonly Tool[], query: string): Tool[] {
  const names = query
    .replace(SELECT, '')
    .split(',')
    .map((name) => name.trim().toLowerCase());
  return deferred.filter((tool) => names.includes(tool.name.toLowerCase()));
}

function ranked(deferred: readonly Tool[], query: string): Tool[] {
  const terms = searchTerms(query);
  return deferred
    .map((tool, index) => ({ tool, index, points: score(tool, terms) }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points || a.index - b.index)
    .map(({ tool }) => tool);
}
