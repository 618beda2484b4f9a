import { ToolFailure } from '../../errors.ts';
import { showPath } from '../../workspace/show-path.ts';
import type { ResolvedPath } from '../../workspace/types.ts';
import type { Tool, ToolContext, ToolOutput } from '../types.ts';
import { imageSize } from './image-size.ts';
import { CharCollector, firstChars, LineCollector } from './line-collector.ts';
import { withNearest } from './nearest-names.ts';
import { notebookView } from './notebook-view.ts';
import { number, optionalText, pathOf, text } from './parameters.ts';
import { markRead, openText, type TextSource } from './text-source.ts';

const MAX_LINES = 2000;
const MAX_CHARS = 32_000;
const MAX_LINE_CHARS = 2000;
const IMAGE_BYTES = 5 * 1024 * 1024;
const IMAGE_PIXELS = 2000;
const IMAGE_PROBE_BYTES = 64 * 1024;

type Args = Readonly<Record<string, unknown>>;

export const readFile: Tool = {
  name: 'read_file',
  group: 'file',
  description:
    'Read one text file with line numbers; also notebooks, images and spilled outputs (tool-output/...). Use before editing a file and for any text content. Not for office files or archives (python_exec), not to search (grep_search). At most 2,000 lines or 32,000 characters per call; the last line names the start_line that continues. The number and tab before each line are not file content. For giant lines use offset_chars and limit_chars instead of a line range.',
  descriptionZh:
    '读取一个文本文件并带行号；也可读笔记本、图片和溢出的输出（tool-output/...）。在编辑文件之前以及查看任何文本内容时使用。不用于办公文档或压缩包（python_exec），不用于搜索（grep_search）。每次最多 2,000 行或 32,000 个字符；最后一行给出继续读取的 start_line。每行前的行号和制表符不是文件内容。超长行请用 offset_chars 和 limit_chars 代替行范围。',
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string', 'x-path': 'read' },
      start_line: { type: 'integer', minimum: 1, description: 'first line, from 1; default 1' },
      end_line: { type: 'integer', minimum: 1, description: 'last line, inclusive' },
      offset_chars: {
        type: 'integer',
        minimum: 0,
        description: 'characters to skip; not with lines',
      },
      limit_chars: {
        type: 'integer',
        minimum: 1,
        maximum: 50_000,
        'x-clamp': true,
        description: 'default 16000',
      },
      encoding: { type: 'string', description: 'WHATWG label; default: detected' },
    },
    required: ['path'],
  },
  permission: 'read',
  runsIn: 'environment',
  parallelSafe: true,
  timeout: { default: 60, max: 60 },
  outputChars: 52_000,
  alternatives: ['python_exec', 'list_dir'],
  keyAliases: { file_path: 'path', file: 'path', offset: 'start_line' },
  title: (args) => `read ${showPath(text(args, 'path'))}`,
  check: (args) => {
    const byLine = args.start_line !== undefined || args.end_line !== undefined;
    const byChar = args.offset_chars !== undefined || args.limit_chars !== undefined;
    if (byLine && byChar) {
      throw new ToolFailure(
        'invalid_arguments',
        'give a line range or offset_chars and limit_chars, not both',
      );
    }
    if (number(args, 'end_line', Number.MAX_SAFE_INTEGER) < number(args, 'start_line', 1)) {
      throw new ToolFailure('invalid_arguments', 'end_line lies before start_line');
    }
  },
  run: async (args, ctx) => {
    const path = pathOf(ctx, args, 'read');
    return withNearest(ctx.files, ctx.resolver, path, () => read(args, ctx, path));
  },
};

async function read(args: Args, ctx: ToolContext, path: ResolvedPath): Promise<ToolOutput> {
  const image = /\.(png|jpe?g|gif|webp)$/i.test(path.logical) ? await readImage(ctx, path) : null;
  if (image !== null) return image;
  const source = await openText(ctx, path, optionalText(args, 'encoding'));
  const output = await view(args, path, source);
  await markRead(ctx, path, source);
  return output;
}

async function view(args: Args, path: ResolvedPath, source: TextSource): Promise<ToolOutput> {
  if (args.offset_chars !== undefined || args.limit_chars !== undefined) {
    return viewChars(args, path, source);
  }
  const ranged = args.start_line !== undefined || args.end_line !== undefined;
  if (!ranged && source.content !== null && /\.ipynb$/i.test(path.logical)) {
    const notebook = await viewNotebook(path, source);
    if (notebook !== null) return notebook;
  }
  return viewLines(args, path, source);
}

async function viewLines(args: Args, path: ResolvedPath, source: TextSource): Promise<ToolOutput> {
  const start = number(args, 'start_line', 1);
  const end = Math.min(number(args, 'end_line', Number.MAX_SAFE_INTEGER), start + MAX_LINES - 1);
  const collector = new LineCollector({
    start,
    end,
    maxChars: MAX_CHARS,
    maxLineChars: MAX_LINE_CHARS,
  });
  for await (const piece of source.pieces()) collector.push(piece);
  collector.end();
  const total = collector.totalLines;
  if (start > Math.max(1, total)) {
    throw new ToolFailure(
      'invalid_arguments',
      `start_line ${start} is beyond the end: ${showPath(path.logical)} has ${total} lines`,
    );
  }
  const last = collector.lines.at(-1)?.number ?? 0;
  const wantedEnd = Math.min(total, number(args, 'end_line', total));
  const next = last < wantedEnd ? last + 1 : null;
  const range = total === 0 ? 'no lines' : `lines ${start}-${last} of ${total}`;
  const lines = collector.lines.map(({ number: at, text: line, cutFrom }) =>
    cutFrom === null
      ? `${at}\t${line}`
      : `${at}\t${line}[... line cut: it has ${cutFrom} characters; read it with offset_chars]`,
  );
  return {
    content: [
      header(path, range, source, collector.eol),
      ...lines,
      ...(next === null ? [] : [`[continue with start_line ${next}]`]),
    ].join('\n'),
    metadata: {
      ...facts(path, source),
      total_lines: total,
      start_line: start,
      end_line: last,
      eol: collector.eol,
      ...(next === null ? {} : { next_start_line: next }),
    },
    bounded: true,
  };
}

async function viewChars(args: Args, path: ResolvedPath, source: TextSource): Promise<ToolOutput> {
  const offset = number(args, 'offset_chars', 0);
  const collector = new CharCollector(offset, number(args, 'limit_chars', 16_000));
  const lines = new LineCollector({ start: 1, end: 0, maxChars: 0, maxLineChars: 0 });
  for await (const piece of source.pieces()) {
    collector.push(piece);
    lines.push(piece);
  }
  lines.end();
  const total = collector.totalChars;
  if (offset > total) {
    throw new ToolFailure(
      'invalid_arguments',
      `offset_chars ${offset} is beyond the end: ${showPath(path.logical)} has ${total} characters in ${lines.totalLines} lines`,
    );
  }
  const end = Math.min(total, offset + number(args, 'limit_chars', 16_000));
  return {
    content: [
      header(path, `characters ${offset}-${end} of ${total}`, source, lines.eol),
      collector.text,
      ...(end < total ? [`[continue with offset_chars ${end}]`] : []),
    ].join('\n'),
    metadata: {
      ...facts(path, source),
      total_lines: lines.totalLines,
      total_chars: total,
      eol: lines.eol,
      ...(end < total ? { next_offset_chars: end } : {}),
    },
    bounded: true,
  };
}

async function viewNotebook(path: ResolvedPath, source: TextSource): Promise<ToolOutput | null> {
  let whole = '';
  for await (const piece of source.pieces()) whole += piece;
  const notebook = notebookView(whole);
  if (notebook === null) return null;
  const shown = firstChars(notebook.text, MAX_CHARS);
  const more =
    shown.length < notebook.text.length
      ? '\n[cut; read the rest as JSON text with start_line]'
      : '';
  return {
    content: `[${showPath(path.logical)}, ${notebook.cells} cells, ${source.bytes} bytes, notebook]\n${shown}${more}`,
    metadata: { ...facts(path, source), cells: notebook.cells },
    bounded: true,
  };
}

function header(path: ResolvedPath, range: string, source: TextSource, eol: string): string {
  return `[${showPath(path.logical)}, ${range}, ${source.bytes} bytes, ${source.encoding}, ${eol}]`;
}

function facts(path: ResolvedPath, source: TextSource): Record<string, unknown> {
  return {
    action: 'read',
    source: path.logical,
    path: path.logical,
    bytes: source.bytes,
    encoding: source.encoding,
    ...(source.sha256 === null ? {} : { sha256: source.sha256 }),
  };
}

/** A picture for the model, or its measures; null when the bytes are none. */
async function readImage(ctx: ToolContext, path: ResolvedPath): Promise<ToolOutput | null> {
  const head = await ctx.files.readRange(path, 0, IMAGE_PROBE_BYTES, ctx.signal);
  const size = imageSize(head);
  if (size === null) return null;
  const { size: bytes } = await ctx.files.stat(path);
  const measures = `${size.mime}, ${size.width} x ${size.height} pixels, ${bytes} bytes`;
  const metadata = {
    action: 'read',
    source: path.logical,
    path: path.logical,
    bytes,
    width: size.width,
    height: size.height,
  };
  const fits = bytes <= IMAGE_BYTES && Math.max(size.width, size.height) <= IMAGE_PIXELS;
  if (!fits || ctx.session.settings['model.images'] !== true) {
    const why = fits ? 'this model takes no images' : 'too large to show';
    return { content: `[${showPath(path.logical)}, ${measures}; ${why}]`, metadata };
  }
  const data = (await ctx.files.read(path, { signal: ctx.signal })).toString('base64');
  return {
    content: `[${showPath(path.logical)}, ${measures}]`,
    metadata,
    images: [{ type: 'image', mime: size.mime, data, width: size.width, height: size.height }],
  };
}
