import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { release } from 'node:os';
import { join } from 'node:path';

interface CachedProbe {
  readonly key: string;
  readonly version: string;
}

function cacheFile(home: string): string {
  return join(home, 'cache', 'sandbox-probe.json');
}

/** What a probe's result depends on: the program, the kernel, and who we are. */
export function probeKey(program: string): string {
  const { mtimeMs, size } = statSync(program);
  return [program, mtimeMs, size, release(), process.getuid?.() ?? -1].join(':');
}

/** The version a successful probe found earlier under the same key, or null. */
export function cachedVersion(home: string, key: string): string | null {
  try {
    const value = JSON.parse(readFileSync(cacheFile(home), 'utf8')) as Partial<CachedProbe>;
    return value.key === key && typeof value.version === 'string' ? value.version : null;
  } catch {
    return null;
  }
}

/** Remembers a success. A home that cannot be written only means that the next start probes again. */
export function rememberProbe(home: string, key: string, version: string): void {
  const file = cacheFile(home);
  try {
    mkdirSync(join(home, 'cache'), { recursive: true, mode: 0o700 });
    const temporary = `${file}.${process.pid}`;
    writeFileSync(temporary, JSON.stringify({ key, version } satisfies CachedProbe), {
      mode: 0o600,
    });
    renameSync(temporary, file);
  } catch {
    // The probe itself succeeded, which is what counts.
  }
}
