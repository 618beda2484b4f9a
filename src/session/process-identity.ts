/**
 * Who this process is, so that another one can tell a live holder of a lock from a dead one whose pid was given
 * to somebody else.
 */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { errorCode } from './fs-error.ts';

export interface ProcessIdentity {
  readonly pid: number;
  /** Start time in clock ticks since boot (Linux); null where the system does not tell. */
  readonly start_time: string | null;
  /** Changes with each boot (Linux); null where the system does not tell. */
  readonly boot_id: string | null;
  readonly host: string;
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** Fields of /proc/PID/stat after the command name, which may itself hold spaces and parentheses. */
function processStat(pid: number): { state: string; startTime: string } | null {
  const text = readText(`/proc/${pid}/stat`);
  if (text === null) return null;
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state] = fields;
  const startTime = fields[19];
  return state === undefined || startTime === undefined ? null : { state, startTime };
}

export function ownIdentity(): ProcessIdentity {
  return {
    pid: process.pid,
    start_time: processStat(process.pid)?.startTime ?? null,
    boot_id: readText('/proc/sys/kernel/random/boot_id')?.trim() ?? null,
    host: hostname(),
  };
}

function pidExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** Does the process that wrote this identity, on this host, still run? A zombie or a reused pid does not count. */
export function isAlive(other: ProcessIdentity, own: ProcessIdentity): boolean {
  if (other.boot_id !== null && own.boot_id !== null && other.boot_id !== own.boot_id) return false;
  if (!pidExists(other.pid)) return false;
  if (other.start_time === null) return true;
  const stat = processStat(other.pid);
  if (stat === null) return true;
  return stat.startTime === other.start_time && stat.state !== 'Z' && stat.state !== 'X';
}
