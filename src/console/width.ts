import stringWidth from 'string-width';

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const TAB = 8;

/** Columns a line takes on a terminal: wide and emoji 2, ambiguous 1, combining 0, tab to the next multiple of 8. */
export function displayWidth(line: string): number {
  if (!line.includes('\t')) return stringWidth(line);
  let width = 0;
  for (const { segment } of segmenter.segment(line)) width += columnsOf(segment, width);
  return width;
}

function columnsOf(segment: string, at: number): number {
  return segment === '\t' ? TAB - (at % TAB) : stringWidth(segment);
}

/** The line cut by grapheme to at most `columns`, with `…` where something was left out. Never throws. */
export function cutToWidth(line: string, columns: number): string {
  if (columns < 1) return '';
  if (displayWidth(line) <= columns) return line;
  let width = 0;
  let kept = '';
  for (const { segment } of segmenter.segment(line)) {
    const next = width + columnsOf(segment, width);
    if (next > columns - 1) break;
    kept += segment;
    width = next;
  }
  return `${kept}…`;
}
