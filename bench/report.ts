export interface Row {
  readonly name: string;
  readonly ours: number;
  readonly floor: number;
  readonly unit: string;
  /** The ratio that should hold. */
  readonly goal: number;
}

export const rows: Row[] = [];

export function report(row: Row): void {
  rows.push(row);
  const ratio = row.ours / row.floor;
  const mark = ratio <= row.goal ? 'holds ' : 'MISSED';
  const figures = `${row.ours.toFixed(1)} / ${row.floor.toFixed(1)} ${row.unit}`;
  const shown = `${ratio.toFixed(2).padStart(6)}x (goal ${row.goal}x)`;
  console.log(`${mark} ${row.name.padEnd(46)} ${shown}  ${figures}`);
}

export function skip(name: string, reason: string): void {
  console.log(`skipped ${name}: ${reason}`);
}
