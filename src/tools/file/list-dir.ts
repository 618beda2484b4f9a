import { isSecretName } from '../../workspace/protected-names.ts';
import { showPath } from '../../workspace/show-path.ts';
import type { DirEntry, ResolvedPath } from '../../workspace/types.ts';
import { type FolderRules, IgnoreRules, ignores, isHiddenEntry } from '../search/ignore-rules.ts';
import type { Tool, ToolContext, ToolOutput } from '../types.ts';
import { withNearest } from './nearest-names.ts';
import { number, pathOf, text } from './parameters.ts';

export const listDir: Tool = {
  name: 'list_dir',
  group: 'file',
  description:
    'List the entries of one folder with type and size in bytes, folders first. Use to see what is in a folder. Not to find names by pattern (glob_search) and not for content (read_file, grep_search). Ignored and hidden entries are counted, not listed, unless include_ignored is set; links are not followed. At the workspace root the session folders are named in the last line.',
  descriptionZh:
    '列出一个文件夹的条目，含类型和字节大小，文件夹在前。用于查看文件夹里有什么。不用于按模式找文件名（glob_search），也不用于看内容（read_file、grep_search）。被忽略和隐藏的条目只计数不列出，除非设置 include_ignored；不跟随链接。在工作区根目录，最后一行列出会话文件夹。',
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'default "."', 'x-path': 'list' },
      depth: { type: 'integer', minimum: 1, maximum: 3, description: 'levels; default 1' },
      max_entries: {
        type: 'integer',
        minimum: 1,
        maximum: 1000,
        'x-clamp': true,
        description: 'default 200',
      },
      include_ignored: { type: 'boolean', description: 'also list ignored and hidden entries' },
    },
    required: [],
  },
  permission: 'read',
  runsIn: 'environment',
  parallelSafe: true,
  timeout: { default: 30, max: 30 },
  alternatives: ['read_file', 'glob_search'],
  keyAliases: { dir: 'path', directory: 'path' },
  title: (args) => `list ${showPath(text(args, 'path', '.'))}`,
  run,
};

interface Listing {
  readonly ctx: ToolContext;
  readonly rules: IgnoreRules;
  readonly includeIgnored: boolean;
  readonly depth: number;
  readonly max: number;
  readonly lines: string[];
  readonly partial: string[];
  hidden: number;
  ignored: number;
  secret: number;
  beyond: number;
}

async function run(args: Readonly<Record<string, unknown>>, ctx: ToolContext): Promise<ToolOutput> {
  const path = pathOf(ctx, args, 'list');
  const listing: Listing = {
    ctx,
    rules: new IgnoreRules(ctx.files, ctx.resolver),
    includeIgnored: args.include_ignored === true,
    depth: number(args, 'depth', 1),
    max: number(args, 'max_entries', 200),
    lines: [],
    partial: [],
    hidden: 0,
    ignored: 0,
    secret: 0,
    beyond: 0,
  };
  await withNearest(ctx.files, ctx.resolver, path, () => listFolder(listing, path, 1));
  const entries = listing.lines.length;
  const omitted = listing.hidden + listing.ignored + listing.secret + listing.beyond;
  const content = [
    ...(entries === 0 && omitted === 0 ? ['(empty directory)'] : listing.lines),
    ...notesOf(listing),
    ...(await sessionFolders(ctx, path)),
  ];
  return {
    content: content.join('\n'),
    metadata: { action: 'list', source: path.logical, path: path.logical, entries, omitted },
  };
}

async function listFolder(listing: Listing, folder: ResolvedPath, level: number): Promise<void> {
  const { ctx } = listing;
  const entries = await ctx.files.list(folder, {
    signal: ctx.signal,
    onPartial: (reason) => listing.partial.push(reason),
  });
  listing.rules.note(
    folder,
    entries.map((entry) => entry.segment),
  );
  const rules = await listing.rules.forFolder(folder);
  for (const entry of entries.sort(folderFirst)) {
    const path = ctx.resolver.child(folder, entry.segment);
    if (isOwnLink(folder, entry) || !isShown(listing, rules, path, entry)) continue;
    if (listing.lines.length >= listing.max) {
      listing.beyond += 1;
      continue;
    }
    listing.lines.push(lineOf(path, entry));
    if (entry.type === 'dir' && level < listing.depth) await listFolder(listing, path, level + 1);
  }
}

function isShown(
  listing: Listing,
  rules: FolderRules,
  path: ResolvedPath,
  entry: DirEntry,
): boolean {
  const directory = entry.type === 'dir';
  if (isSecretName(path.segments, { directory })) {
    listing.secret += 1;
    return false;
  }
  if (listing.includeIgnored) return true;
  if (isHiddenEntry(entry.segment)) {
    listing.hidden += 1;
    return false;
  }
  if (!ignores(rules, path.segments, directory)) return true;
  listing.ignored += 1;
  return false;
}

/** The links in the scratchpad that make logical names work in code; they are no entries of anybody's. */
const OWN_LINKS = new Set(['input', 'inputs', 'output', 'outputs', 'scratchpad', 'scratch']);

function isOwnLink(folder: ResolvedPath, entry: DirEntry): boolean {
  return (
    folder.root.kind === 'scratchpad' &&
    folder.segments.length === 0 &&
    entry.type === 'link' &&
    OWN_LINKS.has(entry.segment)
  );
}

function lineOf(path: ResolvedPath, entry: DirEntry): string {
  return `${entry.type}\t${showPath(path.logical)}\t${entry.type === 'dir' ? '-' : entry.size}`;
}

/** Folders first, then by case-folded name, then by code point. */
function folderFirst(a: DirEntry, b: DirEntry): number {
  const rank = (entry: DirEntry): number => (entry.type === 'dir' ? 0 : 1);
  const fold = (entry: DirEntry): string => entry.segment.toLowerCase();
  const compare = (x: string, y: string): number => (x < y ? -1 : x > y ? 1 : 0);
  return rank(a) - rank(b) || compare(fold(a), fold(b)) || compare(a.segment, b.segment);
}

function notesOf(listing: Listing): readonly string[] {
  const left = [
    listing.hidden > 0 ? `${listing.hidden} hidden` : '',
    listing.ignored > 0 ? `${listing.ignored} ignored` : '',
    listing.secret > 0 ? `${listing.secret} with names of secrets` : '',
    listing.beyond > 0 ? `${listing.beyond} beyond max_entries` : '',
  ].filter((part) => part !== '');
  return [
    ...(left.length > 0 ? [`[not listed: ${left.join(', ')}]`] : []),
    ...listing.partial.map((reason) => `[partial: ${reason}]`),
  ];
}

async function sessionFolders(ctx: ToolContext, path: ResolvedPath): Promise<readonly string[]> {
  if (path.root.kind !== 'workspace' || path.segments.length > 0) return [];
  const shown: string[] = [];
  for (const prefix of ctx.resolver.sessionPrefixes) {
    const folder = ctx.resolver.resolve(prefix, 'list');
    const entries = await ctx.files.list(folder, { signal: ctx.signal }).catch(() => []);
    const count = entries.filter(
      (entry) => !isOwnLink(folder, entry) && !isHiddenEntry(entry.segment),
    ).length;
    shown.push(`${prefix}/ (${count} entries)`);
  }
  return shown.length === 0 ? [] : [`[session folders: ${shown.join(', ')}]`];
}
