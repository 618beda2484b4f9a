import { isToolFailure, ToolFailure } from '../../errors.ts';
import { applyEdits, refusePlaceholders } from '../../workspace/edit-engine.ts';
import { decodeForView, encodeText, requireText } from '../../workspace/encoding.ts';
import { ANY_BREAK, breaksOf, lineNumberAt, majorityBreak } from '../../workspace/line-ends.ts';
import { showPath } from '../../workspace/show-path.ts';
import type { ResolvedPath } from '../../workspace/types.ts';
import { lineBreakBytes, toUnits } from '../../workspace/units.ts';
import { commitChange } from '../file/commit-change.ts';
import { refuseStale, takeInHand } from '../file/seen-file.ts';
import type { ToolContext, ToolOutput } from '../types.ts';
import { numbered } from './editor-view.ts';

const CREATE_BYTES = 128 * 1024;
const SNIPPET_LINES = 4;

/** Never overwrites. */
export async function create(
  ctx: ToolContext,
  path: ResolvedPath,
  content: string,
): Promise<ToolOutput> {
  const bytes = encodeText(content, { name: 'utf-8', bomBytes: 0 }, 'file_text');
  if (bytes.length > CREATE_BYTES) {
    throw new ToolFailure(
      'too_large',
      `file_text has ${bytes.length} bytes; create takes at most ${CREATE_BYTES}. Nothing was written`,
    );
  }
  if (await exists(ctx, path)) {
    throw new ToolFailure(
      'already_exists',
      `${showPath(path.logical)} exists; create does not overwrite`,
      {
        details: { path: path.logical },
      },
    );
  }
  refusePlaceholders(content, () => '');
  return commitChange(ctx, { path, before: null, after: bytes, action: 'create' });
}

async function exists(ctx: ToolContext, path: ResolvedPath): Promise<boolean> {
  try {
    await ctx.files.stat(path, { noFollow: true });
    return true;
  } catch (error) {
    if (isToolFailure(error) && error.kind === 'not_found') return false;
    throw error;
  }
}

export async function replace(
  ctx: ToolContext,
  path: ResolvedPath,
  oldText: string,
  newText: string,
): Promise<ToolOutput> {
  const before = await takeInHand(ctx, path);
  await refuseStale(ctx, before);
  const edit = applyEdits(before.content, [{ oldText, newText }], showPath(path.logical));
  const [range] = edit.ranges;
  const notes = range === undefined ? [] : [snippet(edit.after, range)];
  return commitChange(ctx, { path, before, action: 'str_replace', notes, ...edit });
}

export async function insert(
  ctx: ToolContext,
  path: ResolvedPath,
  line: number,
  newText: string,
): Promise<ToolOutput> {
  const before = await takeInHand(ctx, path);
  await refuseStale(ctx, before);
  refusePlaceholders(newText, () => before.content.toString('utf8'));
  const { after, range } = insertText(before.content, line, newText, showPath(path.logical));
  const notes = [snippet(after, range)];
  return commitChange(ctx, { path, before, after, action: 'insert', replaced: 1, notes });
}

/**
 * Puts a text after a line, on lines of its own, in the file's encoding and line ends; a break at its end is an empty
 * line more. Whether the file ends with a break stays as it was. Throws ToolFailure.
 */
export function insertText(
  before: Buffer,
  line: number,
  newText: string,
  logical: string,
): { readonly after: Buffer; readonly range: { readonly start: number; readonly end: number } } {
  const encoding = requireText(before, logical);
  const body = before.subarray(encoding.bomBytes);
  const units = toUnits(body, encoding);
  const starts = lineStarts(units.text);
  const total = starts.length - 1;
  if (line > total) {
    throw new ToolFailure(
      'invalid_arguments',
      `insert_line ${line} is beyond the end: ${logical} has ${total} lines`,
    );
  }
  if (newText === '')
    throw new ToolFailure('no_change', 'new_str is empty; nothing would be inserted');
  const at = starts[line] ?? units.text.length;
  const style = breaksOf(
    units.text.slice(starts[line - 1] ?? 0, starts[line + 1] ?? units.text.length),
  )[0];
  const lineBreak = lineBreakBytes(style ?? majorityBreak(units.text), encoding);
  const lines = newText.split(ANY_BREAK).map((one) => encodeText(one, encoding, 'new_str'));
  const openLine = at > 0 && at === units.text.length && !/[\r\n]$/.test(units.text.slice(-1));
  const fresh = lines.flatMap((one) => (openLine ? [lineBreak, one] : [one, lineBreak]));
  const inserted = Buffer.concat(fresh);
  const offset = encoding.bomBytes + at * units.width;
  return {
    after: Buffer.concat([before.subarray(0, offset), inserted, before.subarray(offset)]),
    range: {
      start: offset + (openLine ? lineBreak.length : 0),
      end: offset + inserted.length,
    },
  };
}

/** Where each line begins; the last entry is the end of the text. */
function lineStarts(text: string): number[] {
  const starts = [0];
  for (const found of text.matchAll(/\r\n|\n|\r/g)) starts.push(found.index + found[0].length);
  if (starts.at(-1) !== text.length) starts.push(text.length);
  return starts;
}

/** The changed place with 4 lines around it, numbered. */
function snippet(after: Buffer, range: { readonly start: number; readonly end: number }): string {
  const encoding = requireText(after, 'the file');
  const units = toUnits(after, encoding);
  const firstLine = lineNumberAt(units.text, range.start / units.width);
  const lastLine = lineNumberAt(units.text, Math.max(range.start, range.end - 1) / units.width);
  const view = decodeForView(after.subarray(encoding.bomBytes), encoding).split(ANY_BREAK);
  if (view.at(-1) === '') view.pop();
  const from = Math.max(1, firstLine - SNIPPET_LINES);
  const shown = view.slice(from - 1, lastLine + SNIPPET_LINES);
  const cut = shown.length > 60 ? [...shown.slice(0, 30), ...shown.slice(-30)] : shown;
  const lines = cut.map((line, index) => {
    const skipped = index >= 30 ? shown.length - cut.length : 0;
    return numbered(
      from + index + skipped,
      line.length > 500 ? `${line.slice(0, 500).toWellFormed()}...` : line,
    );
  });
  if (shown.length > 60) lines.splice(30, 0, '   ...');
  return `The file around the change:\n${lines.join('\n')}`;
}
