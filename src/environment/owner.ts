import { join } from 'node:path';
import { bootId, startTimeOf } from './process-table.ts';

/** `<pid>-<start time>` of this process: the name of its run folder and the value of its owner mark. */
export const ownerKey = `${process.pid}-${startTimeOf(process.pid) ?? Math.floor(performance.timeOrigin)}`;

/** Where the run folders of all processes stand. */
export function runFolders(home: string): string {
  return join(home, 'run');
}

/** This process's own run folder: registry, channels, temporary files. */
export function ownRunFolder(home: string): string {
  return join(runFolders(home), ownerKey);
}

export interface OwnerName {
  readonly pid: number;
  readonly startTime: string;
}

/** Reads the name of a run folder; null for a foreign name. */
export function parseOwnerKey(name: string): OwnerName | null {
  const match = /^(\d+)-(\d+)$/.exec(name);
  return match?.[1] && match[2] ? { pid: Number(match[1]), startTime: match[2] } : null;
}

export const thisBoot = bootId();
