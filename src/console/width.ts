import { clustersOf, clusterWidth } from './cluster-width.ts';

const TAB = 8;
/** One column for each unit: printable ASCII, and what our own lines are made of. Nearly every line is of this kind. */
const NARROW = /^[\x20-\x7e·…✓✗⏎]*$/;

/** Columns a line takes on a terminal: wide and emoji 2, ambiguous 1, combining 0, tab to the next multiple of 8. */
export function displayWidth(line: string): number {
  if (NARROW.test(line)) return line.length;
  let width = 0;
  for (const cluster of clustersOf(line)) width += columnsOf(cluster, width);
  return width;
}

function columnsOf(cluster: string, at: number): number {
  return cluster === '\t' ? TAB - (at % TAB) : clusterWidth(cluster);
}

/** The line cut by grapheme to at most `columns`, with `…` where something was left out. Never throws. */
export function cutToWidth(line: string, columns: number): string {
  if (columns < 1) return '';
  if (NARROW.test(line)) return line.length <= columns ? line : `${line.slice(0, columns - 1)}…`;
  if (displayWidth(line) <= columns) return line;
  let width = 0;
  let kept = '';
  for (const cluster of clustersOf(line)) {
    const next = width + columnsOf(cluster, width);
    if (next > columns - 1) break;
    kept += cluster;
    width = next;
  }
  return `${kept}…`;
}
