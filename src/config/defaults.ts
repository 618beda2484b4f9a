/** Values of keys nobody set: those of the table, and those that depend on the machine or the way of running. */
import { totalmem } from 'node:os';
import type { ConfigKey } from './keys.ts';

const MIB = 1024 * 1024;
const MOST_MEMORY_MIB = 4_096;

export function defaultOf(key: ConfigKey): unknown {
  if (key.key === 'limits.memory_mib')
    return Math.min(MOST_MEMORY_MIB, Math.floor(totalmem() / 2 / MIB));
  return key.default;
}

/**
 * What a project's value is compared with when nobody set the key. The permission mode has no default of its own in
 * the table, because it also depends on the sandbox; a project may not loosen what would hold at most.
 */
export function comparisonBase(key: ConfigKey, interactive: boolean): unknown {
  if (key.key === 'permissions.mode') return interactive ? 'ask' : 'auto';
  return defaultOf(key);
}
