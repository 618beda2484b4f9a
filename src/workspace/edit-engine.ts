import { ToolFailure } from '../errors.ts';
import { decodeForView, encodeText, requireText, type TextEncoding } from './encoding.ts';
import {
  breakBefore,
  breaksOf,
  type EolName,
  eolOf,
  lineNumberAt,
  majorityBreak,
} from './line-ends.ts';
import { findMatches, type Matches, type MatchKind, type Region } from './match.ts';
import { nearestRegions } from './nearest.ts';
import { placeholderLines } from './placeholder.ts';
import { type LineBreak, lineBreakBytes, toUnits } from './units.ts';

export interface TextEdit {
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll?: boolean;
}

export interface EditResult {
  readonly after: Buffer;
  /** Places changed, over all edits. */
  readonly replaced: number;
  /** `line-ends` when at least one edit matched only with other line breaks or blanks before them. */
  readonly matched: MatchKind;
  readonly encoding: TextEncoding;
  /** Line ends of the file before the edit. */
  readonly eol: EolName;
  /** Byte ranges of the new texts in `after`, in order; only for the last edit. */
  readonly ranges: readonly { readonly start: number; readonly end: number }[];
}

/**
 * Applies exact replacements in order, each on the result of the one before; all or nothing. Bytes outside the
 * replaced places never change. `logical` names the file in messages. Throws ToolFailure: no_match, ambiguous_match,
 * no_change, placeholder_text, unsupported_format, invalid_arguments.
 */
export function applyEdits(
  before: Buffer,
  edits: readonly TextEdit[],
  logical: string,
): EditResult {
  const encoding = requireText(before, logical);
  let body = before.subarray(encoding.bomBytes);
  const eol = eolOf(toUnits(body, encoding).text);
  let replaced = 0;
  let matched: MatchKind = 'exact';
  let ranges: EditResult['ranges'] = [];
  for (const [index, edit] of edits.entries()) {
    const name = edits.length > 1 ? `edit ${index}: ` : '';
    const step = applyOne(body, edit, encoding, { logical, name });
    body = step.body;
    ranges = step.ranges;
    replaced += step.ranges.length;
    if (step.kind === 'line-ends') matched = 'line-ends';
  }
  const after = Buffer.concat([before.subarray(0, encoding.bomBytes), body]);
  if (after.equals(before)) {
    throw new ToolFailure('no_change', `the edit leaves ${logical} as it is`);
  }
  const moved = ranges.map((range) => ({
    start: range.start + encoding.bomBytes,
    end: range.end + encoding.bomBytes,
  }));
  return { after, replaced, matched, encoding, eol, ranges: moved };
}

interface Naming {
  readonly logical: string;
  readonly name: string;
}

interface Step {
  readonly body: Buffer;
  readonly kind: MatchKind;
  readonly ranges: readonly { readonly start: number; readonly end: number }[];
}

function applyOne(body: Buffer, edit: TextEdit, encoding: TextEncoding, naming: Naming): Step {
  if (edit.oldText === '') {
    throw new ToolFailure('invalid_arguments', `${naming.name}the old text is empty`);
  }
  const units = toUnits(body, encoding);
  const fresh = encodeText(edit.newText, encoding, 'the new text');
  const matches = findMatches(units, edit.oldText, encoding);
  checkCount(matches, edit, units.text, naming, () => decodeForView(body, encoding));
  refusePlaceholders(edit.newText, () => decodeForView(body, encoding), naming.name);
  const parts: Buffer[] = [];
  const ranges: { start: number; end: number }[] = [];
  let from = 0;
  let length = 0;
  for (const region of matches.regions) {
    const kept = body.subarray(from * units.width, region.start * units.width);
    const text = withBreaksOf(units.text, region, fresh, encoding);
    parts.push(kept, text);
    ranges.push({ start: length + kept.length, end: length + kept.length + text.length });
    length += kept.length + text.length;
    from = region.end;
  }
  parts.push(body.subarray(from * units.width));
  return { body: Buffer.concat(parts), kind: matches.kind, ranges };
}

function checkCount(
  matches: Matches,
  edit: TextEdit,
  text: string,
  naming: Naming,
  view: () => string,
): void {
  const count = matches.regions.length;
  if (count === 0) throw noMatch(edit.oldText, naming, view());
  if (count === 1 || (edit.replaceAll === true && matches.kind === 'exact')) return;
  const lines = matches.regions.slice(0, 10).map((region) => lineNumberAt(text, region.start));
  const more = count > 10 ? ' and more' : '';
  const how =
    matches.kind === 'line-ends'
      ? ' (only with other line ends or blanks before them, where one place must be meant)'
      : '';
  throw new ToolFailure(
    'ambiguous_match',
    `${naming.name}the old text stands ${count} times in ${naming.logical}${how}, at lines ${lines.join(', ')}${more}`,
    { details: { lines, count } },
  );
}

function noMatch(oldText: string, naming: Naming, fileText: string): ToolFailure {
  const near = nearestRegions(fileText, oldText);
  const listed = near.map(
    (region) => `- lines ${region.startLine}-${region.endLine}: ${region.difference}`,
  );
  const content = listed.length === 0 ? undefined : `Nearest regions:\n${listed.join('\n')}`;
  return new ToolFailure(
    'no_match',
    `${naming.name}the old text is not in ${naming.logical}`,
    content === undefined ? { details: { near } } : { content, details: { near } },
  );
}

/** Throws ToolFailure `placeholder_text` for lines that stand for left-out text and are not in `oldContent`. */
export function refusePlaceholders(newText: string, oldContent: () => string, name = ''): void {
  const suspects = placeholderLines(newText, '');
  if (suspects.length === 0) return;
  const line = placeholderLines(newText, oldContent())[0];
  if (line === undefined) return;
  throw new ToolFailure(
    'placeholder_text',
    `${name}line ${line} of the new text only stands for text that was left out. To write it literally use python_exec or bash`,
    { details: { line } },
  );
}

/** The new text with the line breaks of its surroundings; where old and new have equally many, each keeps its own. */
function withBreaksOf(text: string, region: Region, fresh: Buffer, encoding: TextEncoding): Buffer {
  const units = toUnits(fresh, encoding);
  const own = breaksOf(units.text);
  if (own.length === 0) return fresh;
  const inside = breaksOf(text.slice(region.start, region.end));
  const style = inside[0] ?? breakBefore(text, region.start) ?? majorityBreak(text);
  const styles: readonly LineBreak[] = inside.length === own.length ? inside : own.map(() => style);
  if (own.every((one, at) => one === styles[at])) return fresh;
  return joinBreaks(fresh, units, styles, encoding);
}

/** Takes the text apart at its breaks and puts other ones in. */
function joinBreaks(
  fresh: Buffer,
  units: { readonly text: string; readonly width: number },
  styles: readonly LineBreak[],
  encoding: TextEncoding,
): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  let index = 0;
  for (const found of units.text.matchAll(/\r\n|\n|\r/g)) {
    parts.push(fresh.subarray(from * units.width, found.index * units.width));
    parts.push(lineBreakBytes(styles[index] ?? '\n', encoding));
    from = found.index + found[0].length;
    index += 1;
  }
  parts.push(fresh.subarray(from * units.width));
  return Buffer.concat(parts);
}

/** The same text with every break in the given style: for whole files that keep the style of what they replace. */
export function withLineBreak(text: string, style: LineBreak): string {
  return text.replace(/\r\n|\n|\r/g, () => style);
}
