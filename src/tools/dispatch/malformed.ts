/** Malformed calls in a row by tool name and run (agent.md 2.6). */
export interface MalformedCounts {
  /** Counts one more and returns the number. */
  add(runId: string, name: string): number;
  reset(runId: string, name: string): void;
}

export function createMalformedCounts(): MalformedCounts {
  let run = '';
  const counts = new Map<string, number>();
  const enter = (runId: string) => {
    if (run !== runId) counts.clear();
    run = runId;
  };
  return {
    add(runId, name) {
      enter(runId);
      const next = (counts.get(name) ?? 0) + 1;
      counts.set(name, next);
      return next;
    },
    reset(runId, name) {
      enter(runId);
      counts.delete(name);
    },
  };
}
