import type { ToolResultRecord } from '../session/events.ts';

const MOST_CHARACTERS = 2000;

/** How often each tool failed in a row, over the steps of one run. */
export class FailureStreaks {
  private readonly counts = new Map<string, number>();

  add(results: readonly ToolResultRecord[]): ReadonlyMap<string, number> {
    for (const result of results) {
      if (result.success) this.counts.delete(result.name);
      else this.counts.set(result.name, (this.counts.get(result.name) ?? 0) + 1);
    }
    return this.counts;
  }
}

/** One line for each failed result; from the second failure in a row also the count and the advice to change course. */
export function reflectOnFailures(
  results: readonly ToolResultRecord[],
  ctx: { readonly failuresInRow: ReadonlyMap<string, number> },
): string | null {
  const lines = results
    .filter((result) => !result.success)
    .map((result) => failureLine(result, ctx));
  return lines.length === 0 ? null : lines.join('\n');
}

function failureLine(
  result: ToolResultRecord,
  ctx: { readonly failuresInRow: ReadonlyMap<string, number> },
): string {
  const line = `${result.name} failed: ${result.error_kind ?? 'failed'}.`;
  const count = ctx.failuresInRow.get(result.name) ?? 0;
  return count < 2 ? line : `${line} It failed ${count} times in a row; change the approach.`;
}

/**
 * The notes of a step as one text block for the model, or null when there are none. `long` notes (schemas,
 * instruction files) have their own limits and are not cut here.
 */
export function joinNotes(notes: readonly string[], long: readonly string[] = []): string | null {
  const short = notes.filter((note) => note !== '').join('\n');
  const parts = [short.length > MOST_CHARACTERS ? cut(short) : short, ...long];
  const text = parts.filter((part) => part !== '').join('\n');
  return text === '' ? null : `[note] ${text}`;
}

function cut(text: string): string {
  const mark = '\n[... notes cut ...]';
  return text.slice(0, MOST_CHARACTERS - mark.length).toWellFormed() + mark;
}
