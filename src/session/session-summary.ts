/**
 * A line about a stored session from the two ends of its log, without reading what lies between.
 */
import { open } from 'node:fs/promises';
import { decodeLine, lineEnd } from './event-line.ts';
import type { DurableEvent, StopReason } from './events.ts';
import { sessionPaths } from './paths.ts';

export interface SessionSummary {
  readonly session_id: string;
  /** ISO times of the first and last event seen; null for an empty log. */
  readonly started_at: string | null;
  readonly last_at: string | null;
  readonly agent_type: string | null;
  readonly workspace: string | null;
  /** Of the first run. */
  readonly task: string | null;
  /** Of the last run that ended; null when the last run has not ended. */
  readonly stop_reason: StopReason | null;
  readonly events: number;
}

const END_BYTES = 64 * 1024;

/** Whole, good lines in a part of the file; blobs stay references. */
function linesIn(bytes: Buffer, from: number): DurableEvent[] {
  const events: DurableEvent[] = [];
  let start = from;
  for (let end = lineEnd(bytes, start); end >= 0; end = lineEnd(bytes, start)) {
    const line = decodeLine(bytes, start, end);
    if (line !== null) events.push(JSON.parse(line.json));
    start = end + 1;
  }
  return events;
}

async function bothEnds(file: string): Promise<{ head: DurableEvent[]; tail: DurableEvent[] }> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    const length = Math.min(END_BYTES, size);
    const head = Buffer.alloc(length);
    await handle.read(head, 0, length, 0);
    const first = linesIn(head, 0);
    if (size === length) return { head: first, tail: first };
    const tail = Buffer.alloc(length);
    await handle.read(tail, 0, length, size - length);
    return { head: first, tail: linesIn(tail, lineEnd(tail, 0) + 1) };
  } finally {
    await handle.close();
  }
}

function stopReason(tail: readonly DurableEvent[]): StopReason | null {
  const last = tail.findLast(
    (event) =>
      event.parent_run_id === undefined &&
      (event.type === 'run_finished' || event.type === 'run_started'),
  );
  return last?.type === 'run_finished' ? last.stop_reason : null;
}

/** A value that stands in a blob is not looked up here. */
function plainText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Throws when the session has no readable log. */
export async function summariseSession(
  home: string,
  sessionId: string,
  user = 'local',
): Promise<SessionSummary> {
  const { head, tail } = await bothEnds(sessionPaths(home, sessionId, user).events);
  const started = head.find((event) => event.type === 'session_started');
  const run = head.find((event) => event.type === 'run_started');
  const last = tail.at(-1);
  return {
    session_id: sessionId,
    started_at: head[0]?.ts ?? null,
    last_at: last?.ts ?? null,
    agent_type: started?.agent_type ?? run?.agent_type ?? null,
    workspace: started?.workspace ?? null,
    task: plainText(run?.task),
    stop_reason: stopReason(tail),
    events: last?.seq ?? 0,
  };
}
