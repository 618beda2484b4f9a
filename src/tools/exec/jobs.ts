import type { ToolSession } from '../types.ts';

/** Processes a finished command left running. */
export interface Job {
  readonly id: string;
  readonly callId: string;
  readonly command: string;
  readonly pids: readonly number[];
}

const SLOT = 'jobs';

function jobsOf(session: ToolSession): Map<string, Job> {
  const known = session.slots.get(SLOT);
  if (known instanceof Map) return known as Map<string, Job>;
  const fresh = new Map<string, Job>();
  session.slots.set(SLOT, fresh);
  return fresh;
}

/** Gives what a call left behind a number of the session: `j1`, `j2` … */
export function addJob(session: ToolSession, job: Omit<Job, 'id'>): Job {
  const jobs = jobsOf(session);
  const added = { id: `j${jobs.size + 1}`, ...job };
  jobs.set(added.id, added);
  return added;
}

/** One line for the model. */
export function jobLine({ id, pids }: Job): string {
  const what =
    pids.length === 1 ? `process ${pids[0]} goes on` : `processes ${pids.join(', ')} go on`;
  return `job_id=${id}: ${what} in the background and will be ended at the end of the run`;
}
