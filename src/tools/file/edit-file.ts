import { applyEdits } from '../../workspace/edit-engine.ts';
import { showPath } from '../../workspace/show-path.ts';
import type { Tool } from '../types.ts';
import { commitChange } from './commit-change.ts';
import { withNearest } from './nearest-names.ts';
import { pathOf, text } from './parameters.ts';
import { refuseStale, takeInHand } from './seen-file.ts';
import { unifiedDiff } from './unified-diff.ts';

export const editFile: Tool = {
  name: 'edit_file',
  group: 'file',
  description:
    'Replace an exact piece of text in one file. Use for changes of an existing file; read the region with read_file first and copy it exactly, without line-number prefixes. Not for a new file (write_file). old_text must stand exactly once unless replace_all is set; give surrounding lines to make it unique. Line ends, encoding and all other bytes stay as they are. Unlike str_replace_based_edit_tool it does nothing else.',
  descriptionZh:
    '在一个文件中替换一段完全一致的文本。用于修改已有文件；先用 read_file 读取该区域并原样复制，不带行号前缀。不用于新建文件（write_file）。old_text 必须恰好出现一次，除非设置 replace_all；可加上前后行使其唯一。换行符、编码和其余字节保持不变。与 str_replace_based_edit_tool 不同，它只做替换。',
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string', 'x-path': 'write' },
      old_text: { type: 'string', description: 'exact text to replace' },
      new_text: { type: 'string', description: 'literal replacement; may be empty' },
      replace_all: { type: 'boolean', description: 'every place; default false' },
    },
    required: ['path', 'old_text', 'new_text'],
  },
  permission: 'write',
  runsIn: 'environment',
  timeout: { default: 60, max: 60 },
  alternatives: ['write_file', 'python_exec'],
  keyAliases: {
    file_path: 'path',
    old_string: 'old_text',
    new_string: 'new_text',
    old_str: 'old_text',
    new_str: 'new_text',
  },
  title: (args) => `edit ${showPath(text(args, 'path'))}`,
  preview: async (args, { files, paths }) => {
    const path = paths.path;
    if (path === undefined) return JSON.stringify(args, null, 2);
    const before = await files.read(path);
    const { after } = applyEdits(before, [editOf(args)], path.logical);
    return (await unifiedDiff(before, after, path.logical)).text;
  },
  run: async (args, ctx) => {
    const path = pathOf(ctx, args, 'write');
    const before = await withNearest(ctx.files, ctx.resolver, path, () => takeInHand(ctx, path));
    await refuseStale(ctx, before);
    const edit = applyEdits(before.content, [editOf(args)], showPath(path.logical));
    return commitChange(ctx, { path, before, action: 'edit', ...edit });
  },
};

function editOf(args: Readonly<Record<string, unknown>>) {
  return {
    oldText: text(args, 'old_text'),
    newText: text(args, 'new_text'),
    replaceAll: args.replace_all === true,
  };
}
