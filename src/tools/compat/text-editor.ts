import { ToolFailure } from '../../errors.ts';
import { applyEdits } from '../../workspace/edit-engine.ts';
import { showPath } from '../../workspace/show-path.ts';
import { withNearest } from '../file/nearest-names.ts';
import { optionalText, pathOf, text } from '../file/parameters.ts';
import { unifiedDiff } from '../file/unified-diff.ts';
import type { PreviewContext, Tool } from '../types.ts';
import { create, insert, insertText, replace } from './editor-changes.ts';
import { view } from './editor-view.ts';

type Args = Readonly<Record<string, unknown>>;

/** trae-agent's editing tool: its names and outcomes, on the one edit engine. */
export const textEditor: Tool = {
  name: 'str_replace_based_edit_tool',
  group: 'compat',
  description:
    'View a file or folder; create one file, replace text in it or insert. Use for reading and editing code (edit_file only replaces). old_str must stand exactly once in the file. Not to search (grep_search) nor for long generated content (python_exec). create never overwrites.',
  descriptionZh:
    '查看文件或文件夹；新建一个文件，或在其中替换、插入文本。用于阅读和编辑代码（edit_file 只做替换）。old_str 必须在文件中恰好出现一次。不用于搜索（grep_search），也不用于生成的长内容（python_exec）。create 不会覆盖。',
  parameters: {
    type: 'object',
    properties: {
      command: { type: 'string', enum: ['view', 'create', 'str_replace', 'insert'] },
      path: { type: 'string', 'x-path': 'write' },
      file_text: { type: 'string', description: 'create: the whole text' },
      old_str: { type: 'string', description: 'str_replace: exact text, no line numbers' },
      new_str: { type: 'string', description: 'literal; absent deletes old_str' },
      insert_line: { type: 'integer', minimum: 0, description: 'insert after this line; 0 = top' },
      view_range: {
        type: 'array',
        items: { type: 'integer' },
        minItems: 2,
        maxItems: 2,
        description: 'view: [first, last], from 1; -1 = end',
      },
    },
    required: ['command', 'path'],
  },
  permission: 'write',
  classOf: (args) => (args.command === 'view' ? 'read' : 'write'),
  runsIn: 'environment',
  timeout: { default: 60, max: 60 },
  alternatives: ['python_exec', 'bash'],
  keyAliases: {
    file_path: 'path',
    old_string: 'old_str',
    new_string: 'new_str',
    content: 'file_text',
  },
  title: (args) => `${text(args, 'command')} ${showPath(text(args, 'path'))}`,
  check,
  preview,
  run: async (args, ctx) => {
    const path = pathOf(ctx, args, args.command === 'view' ? 'read' : 'write');
    return withNearest(ctx.files, ctx.resolver, path, () => {
      switch (args.command) {
        case 'view':
          return view(ctx, path, args.view_range);
        case 'create':
          return create(ctx, path, text(args, 'file_text'));
        case 'str_replace':
          return replace(ctx, path, text(args, 'old_str'), text(args, 'new_str'));
        default:
          return insert(ctx, path, Number(args.insert_line), text(args, 'new_str'));
      }
    });
  },
};

const NEEDED: Readonly<Record<string, readonly string[]>> = {
  create: ['file_text'],
  str_replace: ['old_str'],
  insert: ['insert_line', 'new_str'],
};

function check(args: Args): void {
  const command = text(args, 'command');
  for (const name of NEEDED[command] ?? []) {
    if (args[name] === undefined) {
      throw new ToolFailure('invalid_arguments', `${command} needs ${name}`);
    }
  }
}

async function preview(args: Args, { files, paths }: PreviewContext): Promise<string> {
  const path = paths.path;
  if (path === undefined || args.command === 'view') return JSON.stringify(args, null, 2);
  if (args.command === 'create') return text(args, 'file_text');
  const before = await files.read(path);
  const after =
    args.command === 'insert'
      ? insertText(before, Number(args.insert_line), text(args, 'new_str'), path.logical).after
      : applyEdits(
          before,
          [{ oldText: text(args, 'old_str'), newText: optionalText(args, 'new_str') ?? '' }],
          path.logical,
        ).after;
  return (await unifiedDiff(before, after, path.logical)).text;
}
