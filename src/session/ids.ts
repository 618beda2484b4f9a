/**
 * Ids of stored things: a prefix that says what it is, and a ULID, so that ids made later sort later, also within
 * one millisecond and when the clock goes back.
 */
import { randomFillSync } from 'node:crypto';
import { monotonicFactory } from 'ulid';

const pool = new Uint8Array(4096);
let used = pool.length;

/** Uniform in [0, 1). Bytes are drawn in stock: an id takes sixteen, and each draw of its own costs a system call. */
function pooledRandom(): number {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const byte = pool[used] ?? 0;
  used += 1;
  return byte / 256;
}

const nextUlid = monotonicFactory(pooledRandom);

export function newSessionId(): string {
  return `ses_${nextUlid()}`;
}

export function newRunId(): string {
  return `run_${nextUlid()}`;
}

export function newCallId(): string {
  return `call_${nextUlid()}`;
}

export function newMessageId(): string {
  return `msg_${nextUlid()}`;
}

export function newApprovalId(): string {
  return `apr_${nextUlid()}`;
}

/**
 * Id of the message that holds the results of a reply's calls. It is derived, because that message is no event of its
 * own: whoever folds the log gets the same id as the run that made it.
 */
export function resultsMessageId(replyMessageId: string): string {
  return `${replyMessageId}_results`;
}
