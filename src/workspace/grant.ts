import type { Grant } from './types.ts';

const issued = new WeakSet<Grant>();

/** Makes a live grant. Only `src/permissions` and the runtime's own starts may import this (checked in CI). */
export function issueGrant(fields: Grant): Grant {
  const grant = Object.freeze({
    ...fields,
    protectedPaths: Object.freeze([...fields.protectedPaths]),
  });
  issued.add(grant);
  return grant;
}

/** Ends a grant: after its call has finished nothing can be done in its name. */
export function revokeGrant(grant: Grant): void {
  issued.delete(grant);
}

/** True only for a grant that `issueGrant` made and nobody revoked; a look-alike object is not one. */
export function isLiveGrant(grant: Grant | undefined): grant is Grant {
  return grant !== undefined && issued.has(grant);
}
