import { nativeSources } from '../tools/native.ts';
import { createRegistry, type Registry } from '../tools/registry.ts';

/** The registry of all native tools. Throws ConfigError when two of them collide. */
export function nativeRegistry(): Registry {
  return createRegistry(nativeSources);
}
