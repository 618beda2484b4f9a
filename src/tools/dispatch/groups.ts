import type { Prepared } from './prepare.ts';

/** Adjacent calls without side effects run together; every other call alone, in order (agent.md 2.5). */
export function groupCalls<T extends { readonly prepared: Prepared }>(
  calls: readonly T[],
  serial: boolean,
): T[][] {
  const groups: T[][] = [];
  let open: T[] | null = null;
  for (const entry of calls) {
    const parallel = !serial && entry.prepared.ready?.tool.parallelSafe === true;
    if (parallel && open !== null) open.push(entry);
    else {
      open = [entry];
      groups.push(open);
    }
    if (!parallel) open = null;
  }
  return groups;
}

/** Runs tasks in order of start, at most `limit` at once; resolves when all have ended. */
export async function runAtMost(
  limit: number,
  tasks: readonly (() => Promise<void>)[],
): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < tasks.length) {
      const task = tasks[next];
      next += 1;
      await task?.();
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, tasks.length) }, worker));
}
