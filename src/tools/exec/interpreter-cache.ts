import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Interpreter {
  /** The real program, never a version manager's shim. */
  readonly executable: string;
  /** `3.11.7`. */
  readonly version: string;
  readonly basePrefix: string;
}

interface Entry extends Interpreter {
  readonly stamp: string;
}

function cacheFile(home: string): string {
  return join(home, 'cache', 'python.json');
}

function stampOf(path: string): string | null {
  try {
    const { mtimeMs, size } = statSync(path);
    return `${mtimeMs}:${size}`;
  } catch {
    return null;
  }
}

function read(home: string): Record<string, Entry> {
  try {
    const value: unknown = JSON.parse(readFileSync(cacheFile(home), 'utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, Entry>) : {};
  } catch {
    return {};
  }
}

/** What a candidate answered earlier, when neither it nor the real program changed since. */
export function cachedInterpreter(home: string, candidate: string): Interpreter | null {
  const entry = read(home)[candidate];
  if (entry === undefined || typeof entry.executable !== 'string') return null;
  const stamp = `${stampOf(candidate)} ${stampOf(entry.executable)}`;
  return entry.stamp === stamp ? entry : null;
}

/** Remembers an answer; a home that cannot be written only means that the candidate is asked again. */
export function rememberInterpreter(home: string, candidate: string, found: Interpreter): void {
  const stamp = `${stampOf(candidate)} ${stampOf(found.executable)}`;
  try {
    mkdirSync(join(home, 'cache'), { recursive: true, mode: 0o700 });
    const temporary = `${cacheFile(home)}.${process.pid}`;
    const entries = { ...read(home), [candidate]: { ...found, stamp } };
    writeFileSync(temporary, JSON.stringify(entries), { mode: 0o600 });
    renameSync(temporary, cacheFile(home));
  } catch {
    // Found all the same.
  }
}
