import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { LoadedConfig } from '../../config/types.ts';
import { ConfigError } from '../../errors.ts';
import { createPolicy } from '../../permissions/policy.ts';
import { nearestFolder } from '../../session/make-folders.ts';
import { type OfferOptions, offeredList } from '../../tools/offered-list.ts';
import type { Registry } from '../../tools/registry.ts';
import { knownToolNames } from '../../tools/specified-names.ts';
import type { AgentDefinition, AgentOptions, RunOptions } from '../types.ts';

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

/** Rules and tool lists (of the configuration, of a run) with a name nobody knows: ConfigError. */
export function checkNames(
  config: LoadedConfig,
  definition: AgentDefinition,
  registry: Registry,
  workspace: string,
  given?: readonly string[],
): void {
  const policy = createPolicy({
    mode: 'ask',
    rules: config.rules,
    sandboxed: false,
    network: false,
    person: false,
    workspace,
    home: config.home,
    knownTools: knownToolNames(registry),
  });
  for (const tools of new Set([undefined, given]))
    offeredList(registry, { ...offerOf(definition, config, tools), policy });
}

/** Files to be written at the end must be writable at the start. Throws ConfigError naming the option. */
export async function checkOutputs(options: AgentOptions, run: RunOptions = {}): Promise<void> {
  const { patchPath, record, trajectoryFile } = options;
  const runPatchPath = run.extraArgs?.patch_path;
  if (runPatchPath !== undefined) await checkFolder('patch_path', runPatchPath);
  if (patchPath !== undefined) await checkFolder('--patch-path', patchPath);
  if (trajectoryFile !== undefined) await checkLaterFolder('--trajectory-file', trajectoryFile);
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
    await checkWritable(dirname(file));
  } catch (error) {
    throw unwritable(option, file, error);
  }
  await checkNoFolder(option, file);
}

/** The folder may still be missing: then the nearest one above it must let us make it. */
async function checkLaterFolder(option: string, file: string): Promise<void> {
  try {
    await checkWritable(await nearestFolder(dirname(file)));
  } catch (error) {
    throw unwritable(option, file, error);
  }
  await checkNoFolder(option, file);
}

async function checkWritable(folder: string): Promise<void> {
  await access(folder, constants.W_OK);
  if (!(await stat(folder)).isDirectory()) throw new Error(`${folder} is not a folder`);
}

async function checkNoFolder(option: string, file: string): Promise<void> {
  const found = await stat(file).catch(() => null);
  if (found?.isDirectory())
    throw new ConfigError(`${option} ${file} is a folder; name a file in it.`, { file });
}

function unwritable(option: string, file: string, error: unknown): ConfigError {
  const reason = error instanceof Error ? error.message : String(error);
  return new ConfigError(`${option} ${file} cannot be written: ${reason}.`, { file });
}
