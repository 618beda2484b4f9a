/**
 * Reads of `/proc`. Every function answers for a process that may be gone by now: null or empty, never an error.
 */
import { closeSync, existsSync, openSync, readdirSync, readSync } from 'node:fs';

/** Nearly every file of `/proc` fits; whoever reads must be done with it before the next read. */
const page = Buffer.allocUnsafe(16 * 1024);

function readAll(descriptor: number): string {
  let text = '';
  for (;;) {
    const length = readSync(descriptor, page, 0, page.length, null);
    if (length === 0) return text;
    text += page.toString('latin1', 0, length);
  }
}

function readProc(path: string): string | null {
  try {
    const descriptor = openSync(path, 'r');
    try {
      return readAll(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return null;
  }
}

/** Is there a process with this pid, or a thread with this number? */
export function exists(pid: number): boolean {
  return existsSync(`/proc/${pid}`);
}

/** Fields of `/proc/PID/stat` from the third on; the second (the name) may hold spaces and parentheses. */
function statFields(pid: number): readonly string[] | null {
  const text = readProc(`/proc/${pid}/stat`);
  if (text === null) return null;
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** Start time in clock ticks since boot (field 22), which together with the pid names one process for good. */
export function startTimeOf(pid: number): string | null {
  return statFields(pid)?.[19] ?? null;
}

/** False for a process that is gone and for a zombie nobody has waited for. */
export function isRunning(pid: number): boolean {
  const state = statFields(pid)?.[0];
  return state !== undefined && state !== 'Z' && state !== 'X';
}

/** The parent, or 0. */
export function parentOf(pid: number): number {
  return Number(statFields(pid)?.[1] ?? 0);
}

/** Resident memory in KiB. */
export function residentKib(pid: number): number {
  const pages = readProc(`/proc/${pid}/statm`)?.split(' ')[1];
  return pages === undefined ? 0 : Number(pages) * 4;
}

/** The environment a process was started with, entries separated by NUL; null when it may not be read. */
export function initialEnvironment(pid: number): string | null {
  return readProc(`/proc/${pid}/environ`);
}

export function allPids(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => name.charCodeAt(0) >= 48 && name.charCodeAt(0) <= 57)
      .map(Number);
  } catch {
    return [];
  }
}

/** The pid given out last by the kernel; it falls when the numbers wrap around. */
export function lastPid(): number {
  const text = readProc('/proc/loadavg');
  return text === null ? 0 : Number(text.trim().split(' ').at(-1));
}

/** Pids are below this number. */
export function pidLimit(): number {
  return Number(readProc('/proc/sys/kernel/pid_max')?.trim() ?? 32_768);
}

/** False for the number of a thread that is not the first of its process. */
export function leadsProcess(pid: number): boolean {
  return readProc(`/proc/${pid}/status`)?.includes(`\nTgid:\t${pid}\n`) === true;
}

export function bootId(): string {
  return readProc('/proc/sys/kernel/random/boot_id')?.trim() ?? 'unknown';
}

function threadIds(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

const hasChildrenFiles = readProc(`/proc/${process.pid}/task/${process.pid}/children`) !== null;

function childrenByParentField(parents: ReadonlySet<number>): number[] {
  return allPids().filter((pid) => parents.has(parentOf(pid)));
}

/** Direct children of one process. */
export function childrenOf(pid: number): number[] {
  if (!hasChildrenFiles) return childrenByParentField(new Set([pid]));
  return threadIds(pid).flatMap((thread) => {
    const text = readProc(`/proc/${pid}/task/${thread}/children`);
    return text === null ? [] : text.split(' ').filter(Boolean).map(Number);
  });
}

/** The process and everything below it, parents before children. */
export function processTree(root: number): number[] {
  const seen = new Set([root]);
  for (const pid of seen) {
    for (const child of childrenOf(pid)) seen.add(child);
  }
  return [...seen];
}
