import { editDistance } from '../nearest-name.ts';

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
    return { name, score: part ? 1 : editDistance(wanted, other), longest: other.length };
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
