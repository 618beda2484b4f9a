import { ToolFailure } from '../../errors.ts';
import { compareNames } from '../../workspace/list-directory.ts';
import { showPath } from '../../workspace/show-path.ts';
import type { WalkEntry } from '../../workspace/types.ts';
import { withNearest } from '../file/nearest-names.ts';
import { number, pathOf, text } from '../file/parameters.ts';
import type { Tool, ToolContext, ToolOutput } from '../types.ts';
import { parseGlob } from './glob-pattern.ts';
import { searchTree } from './search-tree.ts';

export const globSearch: Tool = {
  name: 'glob_search',
  group: 'file',
  description:
    'Find files by name pattern, sorted by path. Use to locate files: `**/*.test.ts`, `src/*.{js,ts}`. Not for file content: grep_search. `*` stays within one folder. Ignored files are skipped, hidden ones unless the pattern names them; links are not followed.',
  descriptionZh:
    '按文件名模式查找文件，按路径排序。用于定位文件：`**/*.test.ts`、`src/*.{js,ts}`。不用于文件内容：grep_search。`*` 不跨文件夹。跳过被忽略的文件；隐藏文件需在模式中写明；不跟随链接。',
  parameters: {
    type: 'object',
    properties: {
      pattern: { type: 'string', description: '`*`, `?`, `**`, `{a,b}`, `[x]`' },
      path: { type: 'string', description: 'folder to search; default "."', 'x-path': 'list' },
      max_results: {
        type: 'integer',
        minimum: 1,
        maximum: 1000,
        'x-clamp': true,
        description: 'default 200',
      },
      sort: { type: 'string', enum: ['path', 'mtime'], description: 'mtime: newest first' },
      include_ignored: { type: 'boolean' },
    },
    required: ['pattern'],
  },
  permission: 'read',
  runsIn: 'environment',
  parallelSafe: true,
  timeout: { default: 60, max: 60 },
  alternatives: ['list_dir', 'grep_search'],
  keyAliases: { glob: 'pattern', limit: 'max_results' },
  title: (args) => `glob ${showPath(text(args, 'pattern'))}`,
  check: (args) => {
    parseGlob(text(args, 'pattern'), { anyDepth: false });
  },
  run,
};

async function run(args: Readonly<Record<string, unknown>>, ctx: ToolContext): Promise<ToolOutput> {
  const pattern = text(args, 'pattern');
  if (pattern.startsWith('/') || pattern.split('/').includes('..')) {
    throw new ToolFailure(
      'path_outside',
      `the pattern ${showPath(pattern)} must be relative to path, without ..`,
    );
  }
  const start = pathOf(ctx, args, 'list');
  const glob = parseGlob(pattern, { anyDepth: false });
  const byTime = args.sort === 'mtime';
  const partial: string[] = [];
  let secret = 0;
  const tree = searchTree(ctx.files, ctx.resolver, start, {
    includeIgnored: args.include_ignored === true,
    includeHidden: args.include_ignored === true || glob.namesHidden,
    stat: byTime,
    signal: ctx.signal,
    onPartial: (reason) => partial.push(reason),
    onSecret: (path) => {
      if (glob.matches(path.segments.slice(start.segments.length))) secret += 1;
    },
  });
  const found = await withNearest(ctx.files, ctx.resolver, start, async () => {
    const matching: WalkEntry[] = [];
    for await (const entry of tree) {
      const below = entry.path.segments.slice(start.segments.length);
      const visible = args.include_ignored === true || hiddenIsNamed(below, pattern);
      if (entry.type === 'file' && visible && glob.matches(below)) matching.push(entry);
    }
    return matching;
  });
  found.sort((a, b) =>
    byTime && a.mtimeNs !== b.mtimeNs
      ? a.mtimeNs > b.mtimeNs
        ? -1
        : 1
      : compareNames(a.path.logical, b.path.logical),
  );
  return describe(args, start.logical, found, { secret, partial, pattern });
}

/** A hidden component matches only where the pattern writes a dot; `*` and `**` do not stand for one. */
function hiddenIsNamed(below: readonly string[], pattern: string): boolean {
  const hidden = below.filter((name) => name.startsWith('.'));
  if (hidden.length === 0) return true;
  const dotted = pattern.split(/[/{},]/).filter((part) => /^\[?\./.test(part));
  return hidden.every((name) =>
    dotted.some((part) => parseGlob(part, { anyDepth: false }).matches([name])),
  );
}

function describe(
  args: Readonly<Record<string, unknown>>,
  start: string,
  found: readonly WalkEntry[],
  facts: { readonly secret: number; readonly partial: readonly string[]; readonly pattern: string },
): ToolOutput {
  const max = number(args, 'max_results', 200);
  const lines = found.slice(0, max).map((entry) => showPath(entry.path.logical));
  if (found.length === 0) lines.push(noMatches(facts.pattern));
  if (found.length > max) {
    lines.push(`[${max} of ${found.length} files shown; narrow the pattern or raise max_results]`);
  }
  if (facts.secret > 0) lines.push(`[${facts.secret} files with names of secrets left out]`);
  if (facts.partial.length > 0) lines.push(`[partial: ${facts.partial.join('; ')}]`);
  return {
    content: lines.join('\n'),
    metadata: {
      action: 'glob',
      source: start,
      count: found.length,
      partial: facts.partial.length > 0,
    },
  };
}

function noMatches(pattern: string): string {
  if (pattern.includes('/') || pattern.includes('**')) return '(no matches)';
  return `(no matches)\n[${showPath(pattern)} was compared with the names right in this folder; for all folders below write **/${showPath(pattern)}]`;
}
