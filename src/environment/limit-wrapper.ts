import type { SpawnLimits } from './types.ts';

/** The descriptor on which the wrapper says that it runs, that is: that the sandbox stands. */
export const READY_DESCRIPTOR = 9;

const SET_LIMITS =
  'ulimit -c 0; for o in t f n; do case $1 in -) ;; *) ulimit -$o "$1" 2>/dev/null;; esac; shift; done; ';
const SAY_READY = `printf r >&${READY_DESCRIPTOR}; exec ${READY_DESCRIPTOR}>&-; `;
const RUN = 'exec "$@"';

/**
 * Puts a command behind a fixed shell text that sets CPU seconds, file size and descriptors (no core file) and
 * becomes the command. Values travel as positional parameters, never inside the text.
 */
export function withLimits(
  argv: readonly string[],
  limits: SpawnLimits,
  sayReady: boolean,
): string[] {
  const text = SET_LIMITS + (sayReady ? SAY_READY : '') + RUN;
  // File sizes are in blocks of 512 bytes.
  const blocks = limits.fileSizeMib === undefined ? undefined : limits.fileSizeMib * 2048;
  const values = [limits.cpuSeconds, blocks, limits.openFiles].map((value) =>
    value === undefined ? '-' : String(Math.floor(value)),
  );
  return ['/bin/sh', '-c', text, 'sh', ...values, ...argv];
}
