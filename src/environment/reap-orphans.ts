import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { OWNER_VARIABLE, variableIn } from './call-marks.ts';
import { type ChildRecord, REGISTRY_FILE } from './child-registry.ts';
import { endProcesses } from './end-processes.ts';
import { ownerKey, parseOwnerKey, runFolders, thisBoot } from './owner.ts';
import { allPids, initialEnvironment, processTree, startTimeOf } from './process-table.ts';

function recordsIn(folder: string): ChildRecord[] {
  let text: string;
  try {
    text = readFileSync(join(folder, REGISTRY_FILE), 'utf8');
  } catch {
    return [];
  }
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as ChildRecord];
    } catch {
      return [];
    }
  });
}

function carriesMark(pid: number, owner: string): boolean {
  const environment = initialEnvironment(pid);
  return environment !== null && variableIn(environment, OWNER_VARIABLE) === owner;
}

/** Processes that are certainly the dead owner's: recorded ones whose start time and mark fit, and all with its mark. */
function survivorsOf(owner: string, records: readonly ChildRecord[]): number[] {
  const found = new Set(allPids().filter((pid) => carriesMark(pid, owner)));
  for (const record of records) {
    if (found.has(record.pid) && startTimeOf(record.pid) === record.start_time) {
      for (const pid of processTree(record.pid)) found.add(pid);
    }
  }
  return [...found];
}

function ownersIn(home: string): string[] {
  try {
    return readdirSync(runFolders(home));
  } catch {
    return [];
  }
}

function isDead(name: string): boolean {
  const owner = parseOwnerKey(name);
  return owner !== null && name !== ownerKey && startTimeOf(owner.pid) !== owner.startTime;
}

/**
 * Ends what earlier processes of this program left behind when they were killed, and removes their run folders.
 * A process is ended only when it carries the dead owner's mark; a foreign one that got an old pid lives.
 * Returns how many processes were ended.
 */
export async function reapOrphans(home: string): Promise<number> {
  let ended = 0;
  for (const owner of ownersIn(home).filter(isDead)) {
    const folder = join(runFolders(home), owner);
    const records = recordsIn(folder).filter((record) => record.boot_id === thisBoot);
    ended += survivorsOf(owner, records).length;
    await endProcesses({ find: () => survivorsOf(owner, records), graceMs: 0 });
    rmSync(folder, { recursive: true, force: true });
  }
  return ended;
}
