/**
 * `sessions verify`: the audit chain, the event log and the blobs of a stored session. Changes nothing.
 */
import { readdir } from 'node:fs/promises';
import { isBlobName, loadBlob } from './blobs.ts';
import type { DurableEvent } from './events.ts';
import { type LogDamage, readEvents } from './read-log.ts';
import type { SessionPaths } from './types.ts';
import { type AuditAnchor, type AuditVerification, verifyAudit } from './verify-audit.ts';

export interface SessionVerification extends AuditVerification {
  /** The last line a finished run recorded; it may be kept elsewhere and compared later. */
  readonly anchor: AuditAnchor | null;
  readonly events: {
    readonly ok: boolean;
    readonly count: number;
    readonly damage: readonly LogDamage[];
  };
  readonly blobs: {
    readonly ok: boolean;
    readonly count: number;
    /** Names whose bytes are not what the name says. */
    readonly damaged: readonly string[];
  };
}

function anchorsOf(events: readonly DurableEvent[]): AuditAnchor[] {
  return events.flatMap((event) =>
    event.type === 'run_finished' && event.audit !== undefined ? [event.audit] : [],
  );
}

async function damagedBlobs(folder: string): Promise<{ count: number; damaged: string[] }> {
  const names = (await readdir(folder)).filter(isBlobName);
  const damaged: string[] = [];
  for (const name of names) {
    if ((await loadBlob(folder, name)) === null) damaged.push(name);
  }
  return { count: names.length, damaged };
}

/** Throws when the session's folders cannot be read. A torn tail of the event log is damage that the next start cuts. */
export async function verifySession(paths: SessionPaths): Promise<SessionVerification> {
  const { events, damage } = await readEvents(paths.events);
  const anchors = anchorsOf(events);
  const [audit, blobs] = await Promise.all([
    verifyAudit(paths.audit, anchors),
    damagedBlobs(paths.blobs),
  ]);
  const harmless: readonly LogDamage['reason'][] = ['torn_tail', 'stale_epoch'];
  return {
    ...audit,
    anchor: anchors.at(-1) ?? null,
    events: {
      ok: damage.every(({ reason }) => harmless.includes(reason)),
      count: events.length,
      damage,
    },
    blobs: { ok: blobs.damaged.length === 0, ...blobs },
  };
}
