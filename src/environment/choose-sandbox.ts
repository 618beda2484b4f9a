import { ConfigError } from '../errors.ts';
import { probeSandbox } from './probe.ts';
import type { SandboxKind } from './types.ts';

export interface ChooseSandboxOptions {
  readonly requested: 'auto' | SandboxKind;
  /** TOOLWRIGHT_HOME. */
  readonly home: string;
}

export interface ChosenSandbox {
  readonly kind: SandboxKind;
  /** Why `auto` ended without a sandbox; null otherwise. */
  readonly reason: string | null;
}

/**
 * The sandbox to use. `auto` takes bwrap where it works, else none with the reason. A sandbox asked for by name that
 * does not work is a ConfigError with the remedy: nothing degrades silently.
 */
export async function chooseSandbox(options: ChooseSandboxOptions): Promise<ChosenSandbox> {
  const { requested, home } = options;
  if (requested === 'docker') {
    throw new ConfigError(
      'docker environments are not supported by this build; use --sandbox bwrap or none',
      { sandbox: requested },
    );
  }
  if (requested === 'none') return { kind: 'none', reason: null };
  const probe = await probeSandbox('bwrap', home);
  if (probe.works) return { kind: 'bwrap', reason: null };
  const reason = probe.reason ?? 'the sandbox check failed';
  if (requested === 'auto') return { kind: 'none', reason };
  throw new ConfigError(`--sandbox bwrap does not work here: ${reason}`, { sandbox: requested });
}
