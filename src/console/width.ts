import { clustersOf, clusterWidth } from './cluster-width.ts';

const TAB = 8;
/** Tabs, and characters of one column: printable ASCII and what our own lines are made of. Nearly every line is such. */
const SIMPLE = /^[\t\x20-\x7e·…✓✗⏎]*$/;

/** A line in parts that may not be torn apart, and the columns each takes when it begins at `at`. */
interface Measured {
  readonly parts: Iterable<string>;
  columns(part: string, at: number): number;
}

function measured(line: string): Measured {
  const simple = SIMPLE.test(line);
  return {
    parts: simple ? line : clustersOf(line),
    columns(part, at) {
      if (part === '\t') return TAB - (at % TAB);
      return simple ? 1 : clusterWidth(part);
    },
  };
}

/** Columns a line takes on a terminal: wide and emoji 2, ambiguous 1, combining 0, tab to the next multiple of 8. */
export function displayWidth(line: string): number {
  const { parts, columns } = measured(line);
  let width = 0;
  for (const part of parts) width += columns(part, width);
  return width;
}

/** The line cut by grapheme to at most `columns`, with `…` where something was left out. Never throws. */
export function cutToWidth(line: string, columns: number): string {
  if (columns < 1) return '';
  if (displayWidth(line) <= columns) return line;
  const { parts, columns: columnsOf } = measured(line);
  let width = 0;
  let kept = '';
  for (const part of parts) {
    const next = width + columnsOf(part, width);
    if (next > columns - 1) break;
    kept += part;
    width = next;
  }
  return `${kept}…`;
}
