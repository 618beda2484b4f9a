import type { ConfigScope, LoadedConfig } from '../config/types.ts';
import type { ChosenSandbox } from '../environment/choose-sandbox.ts';
import { ConfigError } from '../errors.ts';
import type { ModelClient } from '../llm/types.ts';
import { nearest } from '../nearest-name.ts';
import { PERMISSION_MODES, type PermissionMode } from '../permissions/types.ts';
import type { AgentOptions } from './types.ts';

export type SandboxRequest = NonNullable<AgentOptions['sandbox']>;

/** What was asked for, before the sandbox was tried. */
export interface SafetyRequest {
  readonly sandbox: SandboxRequest;
  readonly network: boolean;
  /** The mode the user gave; null when nobody with the right to did. */
  readonly mode: PermissionMode | null;
  /** The strictest a project file demands; null when it says nothing. */
  readonly projectMode: PermissionMode | null;
  readonly bypassAllowed: boolean;
  readonly person: boolean;
}

const SANDBOXES: readonly string[] = ['auto', 'bwrap', 'docker', 'none'];
const USER_SCOPES: readonly ConfigScope[] = ['managed', 'flag', 'environment', 'user'];

/** Reads options and configuration. Throws ConfigError for an unknown sandbox or mode. */
export function safetyRequest(options: AgentOptions, config: LoadedConfig): SafetyRequest {
  const sandbox = options.sandbox ?? config.text('sandbox.kind') ?? 'auto';
  if (!isSandbox(sandbox))
    throw new ConfigError(`Unknown sandbox "${sandbox}"; use auto, bwrap, docker or none.`, {
      sandbox,
    });
  const given = options.permissionMode;
  const configured = config.text('permissions.mode');
  const byUser = USER_SCOPES.includes(config.origin('permissions.mode').scope);
  const explicit = given ?? (byUser ? configured : undefined);
  const typed =
    (options.sandbox === 'none' || config.origin('sandbox.kind').scope === 'flag') &&
    (given === 'bypass' || config.origin('permissions.mode').scope === 'flag');
  return {
    sandbox,
    network: options.network ?? config.text('sandbox.network') === 'on',
    mode: explicit === undefined ? null : permissionMode(explicit),
    projectMode:
      config.origin('permissions.mode').scope === 'project' && configured !== undefined
        ? permissionMode(configured)
        : null,
    bypassAllowed: typed || config.flag('permissions.allow_bypass_without_sandbox') === true,
    person: options.permissionGate?.person === true,
  };
}

/**
 * The permission mode in force. Without a sandbox an unattended run needs a mode given by the user, `auto` is
 * impossible, and `bypass` needs the user's express word. Throws ConfigError with the remedies.
 */
export function permissionModeFor(request: SafetyRequest, chosen: ChosenSandbox): PermissionMode {
  const sandboxed = chosen.kind !== 'none';
  const reason = chosen.reason ?? 'the sandbox is switched off';
  if (request.mode === null && !sandboxed && !request.person)
    throw new ConfigError(
      `There is nobody to ask and no sandbox (${reason}). Install bubblewrap; or give --permission-mode read-only; or both --sandbox none --permission-mode bypass.`,
      { sandbox: 'none' },
    );
  const wanted = request.mode ?? (request.person ? 'ask' : 'auto');
  const mode = request.projectMode === null ? wanted : stricter(wanted, request.projectMode);
  if (mode === 'auto' && !sandboxed)
    throw new ConfigError(
      `Permission mode auto needs a sandbox (${reason}). Install bubblewrap, or choose --permission-mode ask, accept-edits or read-only.`,
      { mode },
    );
  if (mode === 'bypass' && !sandboxed && !request.bypassAllowed)
    throw new ConfigError(
      `Permission mode bypass without a sandbox (${reason}) needs both --sandbox none and --permission-mode bypass on the command line, or permissions.allow_bypass_without_sandbox in the user file.`,
      { mode },
    );
  return mode;
}

/** Throws ConfigError for a name that is no mode, with the nearest one. */
export function permissionMode(name: string): PermissionMode {
  const found = PERMISSION_MODES.find((mode) => mode === name);
  if (found !== undefined) return found;
  throw new ConfigError(
    `Unknown permission mode "${name}"; did you mean "${nearest(name, PERMISSION_MODES)}"?`,
    { mode: name },
  );
}

/** A cost limit is worth nothing when nobody knows what a call costs. */
export function checkPrice(
  client: ModelClient,
  maxCost: number | null,
  modelKey: string | null,
): void {
  if (maxCost === null || client.prices !== null) return;
  throw new ConfigError(
    `A cost limit is set, but the price of ${client.model} is not known; set models.${modelKey ?? '<key>'}.prices, or drop the limit.`,
    { model: client.model },
  );
}

function stricter(a: PermissionMode, b: PermissionMode): PermissionMode {
  return PERMISSION_MODES.indexOf(a) <= PERMISSION_MODES.indexOf(b) ? a : b;
}

function isSandbox(name: string): name is SandboxRequest {
  return SANDBOXES.includes(name);
}
