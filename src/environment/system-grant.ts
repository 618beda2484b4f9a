import { isLiveGrant, issueGrant, revokeGrant } from '../workspace/grant.ts';
import type { Grant } from '../workspace/types.ts';

export { isLiveGrant };

/** The grant of our own start of one process; `purpose` names it in records. */
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

/** Ends a system grant: nothing can be done in its name any more. */
export function endSystemGrant(grant: Grant): void {
  revokeGrant(grant);
}
