/** Edit distance with insertions, deletions, substitutions and swaps of neighbours, over code units. */
function distance(left: string, right: string): number {
  const width = right.length + 1;
  let beforeLast = new Array<number>(width).fill(0);
  let last = Array.from({ length: width }, (_, column) => column);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column < width; column += 1) {
      const same = left[row - 1] === right[column - 1];
      let best = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (row > 1 && column > 1 && swapped) {
        best = Math.min(best, (beforeLast[column - 2] ?? 0) + 1);
      }
      current.push(best);
    }
    beforeLast = last;
    last = current;
  }
  return last[right.length] ?? 0;
}

const plain = (name: string) => name.toLowerCase().replace(/[_\- ]/g, '');

/** Names worth suggesting for a mistyped one, nearest first; none when nothing is near. */
export function nearestNames(
  written: string,
  candidates: readonly string[],
  count: number,
): string[] {
  const wanted = plain(written.slice(0, 80));
  const scored = candidates.map((name) => {
    const other = plain(name);
    const part = wanted.length > 2 && (other.includes(wanted) || wanted.includes(other));
    return { name, score: part ? 1 : distance(wanted, other), longest: other.length };
  });
  return scored
    .filter(({ score, longest }) => score <= Math.max(2, Math.ceil(longest * 0.4)))
    .sort((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1))
    .slice(0, count)
    .map(({ name }) => name);
}

/** `; did you mean x?` or nothing, for the end of an error sentence. */
export function didYouMean(written: string, candidates: readonly string[]): string {
  const [nearest] = nearestNames(written, candidates, 1);
  return nearest === undefined ? '' : `; did you mean ${nearest}?`;
}
