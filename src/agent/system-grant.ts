import { issueGrant, revokeGrant } from '../workspace/grant.ts';
import type { Grant } from '../workspace/types.ts';

/** A grant for a start of our own, tied to one purpose; the caller ends it with `endSystemGrant`. */
export function systemGrant(purpose: string): Grant {
  return issueGrant({
    callId: purpose,
    tool: purpose,
    class: 'shell',
    origin: 'system',
    digest: '',
    protectedPaths: [],
  });
}

export function endSystemGrant(grant: Grant): void {
  revokeGrant(grant);
}
