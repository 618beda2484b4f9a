import { isToolFailure, ToolFailure } from '../../errors.ts';
import { refusePlaceholders, withLineBreak } from '../../workspace/edit-engine.ts';
import { detectEncoding, encodeText, type TextEncoding } from '../../workspace/encoding.ts';
import { eolOf } from '../../workspace/line-ends.ts';
import { showPath } from '../../workspace/show-path.ts';
import type { FileStat, ResolvedPath } from '../../workspace/types.ts';
import { toUnits } from '../../workspace/units.ts';
import type { Tool, ToolContext, ToolOutput } from '../types.ts';
import { commitChange } from './commit-change.ts';
import { pathOf, text } from './parameters.ts';
import { type FileInHand, refuseStale, statMark, takeIfThere } from './seen-file.ts';
import { unifiedDiff } from './unified-diff.ts';

const IN_PLACE_BYTES = 10 * 1024 * 1024;

export const writeFile: Tool = {
  name: 'write_file',
  group: 'file',
  description:
    'Create one SMALL UTF-8 text file, overwrite it, or append to it. Use for short Markdown, configuration, small JSON, JSONL or CSV. Not for long scripts, datasets or heavily quoted text: write those from python_exec with pathlib, json or csv; not for changes of an existing file: edit_file. At most 16,384 bytes per call. Overwriting needs the file to be read in this session first. Append adds exactly the content given. Missing folders are created.',
  descriptionZh:
    '新建、覆盖或追加一个小的 UTF-8 文本文件。用于简短的 Markdown、配置、小型 JSON、JSONL 或 CSV。不用于长脚本、数据集或含大量引号的文本：请在 python_exec 中用 pathlib、json 或 csv 写；不用于修改已有文件：用 edit_file。每次调用最多 16,384 字节。覆盖前必须在本会话中读过该文件。追加时原样写入给出的内容。缺少的文件夹会自动创建。',
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string', 'x-path': 'write' },
      content: { type: 'string', description: 'the whole text, literally' },
      append: { type: 'boolean', description: 'add to the end; default false' },
    },
    required: ['path', 'content'],
  },
  permission: 'write',
  runsIn: 'environment',
  timeout: { default: 60, max: 60 },
  alternatives: ['python_exec', 'edit_file'],
  keyAliases: { file_path: 'path', file_text: 'content', text: 'content' },
  title: (args) =>
    `${args.append === true ? 'append to' : 'write'} ${showPath(text(args, 'path'))}`,
  preview: async (args, { files, paths }) => {
    const path = paths.path;
    const content = Buffer.from(text(args, 'content'));
    if (path === undefined || args.append === true) return content.toString();
    const before = await files.read(path).catch((error: unknown) => {
      if (isToolFailure(error) && error.kind === 'not_found') return null;
      throw error;
    });
    return (await unifiedDiff(before, content, path.logical)).text;
  },
  run: async (args, ctx) => {
    const path = pathOf(ctx, args, 'write');
    const content = text(args, 'content');
    checkSize(ctx, content);
    return args.append === true ? append(ctx, path, content) : overwrite(ctx, path, content);
  },
};

function checkSize(ctx: ToolContext, content: string): void {
  const limit = ctx.session.limits.writeFileBytes;
  const bytes = Buffer.byteLength(content);
  if (bytes > limit) {
    throw new ToolFailure(
      'too_large',
      `the content has ${bytes} bytes; write_file takes at most ${limit}. Nothing was written. Write it from python_exec with pathlib, or in several appends`,
    );
  }
}

async function overwrite(
  ctx: ToolContext,
  path: ResolvedPath,
  content: string,
): Promise<ToolOutput> {
  const before = await takeIfThere(ctx, path);
  if (before !== null) {
    if (ctx.session.knowledge.seen(before.real) === undefined) {
      throw new ToolFailure(
        'stale_file',
        `${showPath(path.logical)} exists and was not read in this session; read it before you overwrite it`,
      );
    }
    await refuseStale(ctx, before);
  }
  refusePlaceholders(content, () => before?.content.toString('utf8') ?? '');
  const after = before === null ? utf8(content) : inStyleOf(before, content);
  if (before?.content.equals(after) === true) {
    throw new ToolFailure(
      'no_change',
      `${showPath(path.logical)} has exactly this content already`,
    );
  }
  return commitChange(ctx, {
    path,
    before,
    after,
    action: before === null ? 'create' : 'overwrite',
  });
}

function utf8(content: string): Buffer {
  return encodeText(content, { name: 'utf-8', bomBytes: 0 }, 'the content');
}

/** The new text with the byte order mark, encoding and line ends of the file it replaces. */
function inStyleOf(before: FileInHand, content: string): Buffer {
  const encoding: TextEncoding = detectEncoding(before.content) ?? { name: 'utf-8', bomBytes: 0 };
  const bare = content.startsWith('\ufeff') ? content.slice(1) : content;
  const eol = eolOf(toUnits(before.content.subarray(encoding.bomBytes), encoding).text);
  const styled =
    eol === 'crlf' ? withLineBreak(bare, '\r\n') : eol === 'cr' ? withLineBreak(bare, '\r') : bare;
  const mark = before.content.subarray(0, encoding.bomBytes);
  return Buffer.concat([mark, encodeText(styled, encoding, 'the content')]);
}

async function append(ctx: ToolContext, path: ResolvedPath, content: string): Promise<ToolOutput> {
  const stat = await statIfThere(ctx, path);
  if (stat !== null && stat.size > IN_PLACE_BYTES) return appendLarge(ctx, path, content);
  const before = await takeIfThere(ctx, path);
  if (before === null) {
    refusePlaceholders(content, () => '');
    return commitChange(ctx, { path, before, after: utf8(content), action: 'create' });
  }
  await refuseStale(ctx, before);
  refusePlaceholders(content, () => before.content.toString('utf8'));
  const encoding = detectEncoding(before.content) ?? { name: 'legacy', bomBytes: 0 };
  const added = encodeText(content, encoding, 'the content');
  if (added.length === 0) throw new ToolFailure('no_change', 'nothing to append');
  const last = toUnits(before.content, encoding).text.at(-1);
  const open = last !== undefined && last !== '\n' && last !== '\r';
  return commitChange(ctx, {
    path,
    before,
    after: Buffer.concat([before.content, added]),
    action: 'append',
    notes: open
      ? ['The file did not end with a line break; the content continues its last line.']
      : [],
  });
}

async function statIfThere(ctx: ToolContext, path: ResolvedPath): Promise<FileStat | null> {
  try {
    return await ctx.files.stat(path);
  } catch (error) {
    if (isToolFailure(error) && error.kind === 'not_found') return null;
    throw error;
  }
}

/** A large file is added to in place, without reading it whole. */
async function appendLarge(
  ctx: ToolContext,
  path: ResolvedPath,
  content: string,
): Promise<ToolOutput> {
  const added = utf8(content);
  const { size } = await ctx.files.stat(path);
  const [lastByte] = await ctx.files.readRange(path, size - 1, 1, ctx.signal);
  const outcome = await ctx.files.append(path, added, { grant: ctx.grant, signal: ctx.signal });
  const after = await ctx.files.stat(path);
  const real = await ctx.files.realPath(path);
  ctx.session.knowledge.record(real, statMark(after), after.size, after.mtimeNs, after.ino);
  const open = lastByte !== 10 && lastByte !== 13;
  const note = open
    ? '\nThe file did not end with a line break; the content continues its last line.'
    : '';
  return {
    content: `${showPath(path.logical)}: ${added.length} bytes appended at the end, ${after.size} bytes now${note}`,
    metadata: {
      action: 'append',
      source: path.logical,
      path: path.logical,
      created: false,
      before_sha256: null,
      after_sha256: outcome.afterSha256,
      before_bytes: size,
      after_bytes: after.size,
    },
    filesChanged: [{ path: path.logical, before: null, after: outcome.afterSha256 }],
  };
}
