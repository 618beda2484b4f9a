import type { PermissionGate } from './types.ts';

const MINUTES_10 = 10 * 60 * 1000;

/**
 * Answers a person gave, by the digest of everything they saw. Each is good for one use within ten minutes; one
 * changed byte of the call is another digest and so a new question.
 */
export interface Approvals {
  give(digest: string, callId: string): void;
  /** True once per given answer, when it is for this call and still fresh. */
  take(digest: string, callId: string): boolean;
}

/** `now` is in monotonic milliseconds; `wallClock` too, so that the earlier of both clocks ends an answer. */
export function createApprovals(now: () => number, wallClock: () => number = Date.now): Approvals {
  const given = new Map<string, { readonly monotonic: number; readonly wall: number }>();
  const key = (digest: string, callId: string) => `${callId} ${digest}`;
  return {
    give(digest, callId) {
      given.set(key(digest, callId), { monotonic: now(), wall: wallClock() });
    },
    take(digest, callId) {
      const answer = given.get(key(digest, callId));
      given.delete(key(digest, callId));
      if (answer === undefined) return false;
      const age = Math.max(now() - answer.monotonic, wallClock() - answer.wall);
      return age <= MINUTES_10;
    },
  };
}

/** The gate when nobody can be asked: every question is refused at once. */
export const unattendedGate: PermissionGate = {
  person: false,
  ask: () => Promise.resolve({ decision: 'deny', scope: 'once', by: 'no_person' }),
};
