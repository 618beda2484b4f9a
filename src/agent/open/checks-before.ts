import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { LoadedConfig } from '../../config/types.ts';
import { ConfigError } from '../../errors.ts';
import { createPolicy } from '../../permissions/policy.ts';
import type { PermissionMode } from '../../permissions/types.ts';
import { type OfferOptions, offeredList } from '../../tools/offered-list.ts';
import type { Registry } from '../../tools/registry.ts';
import { knownToolNames } from '../../tools/specified-names.ts';
import type { AgentDefinition, AgentOptions } from '../types.ts';

/** Which tools a kind is offered: its profile, and a list that replaces the core. */
export function offerOf(
  definition: AgentDefinition,
  config: LoadedConfig,
  given?: readonly string[],
): Pick<OfferOptions, 'profile' | 'tools' | 'available'> {
  const [only] = definition.tools;
  const profile = definition.tools.length === 1 ? only?.match(/^profile:(.+)$/)?.[1] : undefined;
  const own = profile === undefined ? definition.tools : undefined;
  const tools = given ?? config.agent(definition.type).tools ?? own;
  return {
    profile: profile ?? 'coding',
    ...(tools === undefined ? {} : { tools }),
    ...(definition.usesTaskDone ? {} : { available: (tool) => tool.name !== 'task_done' }),
  };
}

/** Rules and tool lists with a name nobody knows: ConfigError, before anything is made. */
export function checkNames(
  config: LoadedConfig,
  definition: AgentDefinition,
  registry: Registry,
  workspace: string,
  mode: PermissionMode,
): void {
  const policy = createPolicy({
    mode,
    rules: config.rules,
    sandboxed: false,
    network: false,
    person: false,
    workspace,
    home: config.home,
    knownTools: knownToolNames(registry),
  });
  offeredList(registry, { ...offerOf(definition, config), policy });
}

/** Files to be written at the end must be writable at the start. Throws ConfigError naming the option. */
export async function checkOutputs(options: AgentOptions): Promise<void> {
  const { patchPath, record } = options;
  if (patchPath !== undefined) await checkFolder('--patch-path', patchPath);
  if (record === undefined) return;
  await checkFolder('--record', record);
  const taken = await access(record).then(
    () => true,
    () => false,
  );
  if (taken)
    throw new ConfigError(`The recording ${record} exists already; name a new file.`, { record });
}

async function checkFolder(option: string, file: string): Promise<void> {
  try {
    await access(dirname(file), constants.W_OK);
  } catch (error) {
    throw new ConfigError(
      `${option} ${file} cannot be written: ${error instanceof Error ? error.message : String(error)}.`,
      { file },
    );
  }
}
