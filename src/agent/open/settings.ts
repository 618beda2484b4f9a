import type { LoadedConfig } from '../../config/types.ts';
import type { EnvironmentLimits } from '../../environment/environment-options.ts';
import { ConfigError } from '../../errors.ts';
import type { RunLimits } from '../../session/events.ts';
import type { ToolLimits } from '../../tools/types.ts';
import type { FileLimits } from '../../workspace/types.ts';
import type { AgentDefinition, RunLimitsOption } from '../types.ts';

const MIB = 1024 * 1024;

/** The value of a limit; every key asked for here has a default in the table of keys. */
function limit(config: LoadedConfig, key: string): number {
  const value = config.number(`limits.${key}`);
  if (value === undefined) throw new ConfigError(`limits.${key} has no value.`, { key });
  return value;
}

export function fileLimits(config: LoadedConfig): FileLimits {
  return {
    readBytes: limit(config, 'files.read_mib') * MIB,
    writeBytes: limit(config, 'files.write_mib') * MIB,
    listEntries: limit(config, 'files.list_entries'),
    depth: limit(config, 'files.depth'),
    searchEntries: limit(config, 'files.search_entries'),
    searchSeconds: limit(config, 'files.search_seconds'),
  };
}

export function toolLimits(config: LoadedConfig): ToolLimits {
  return {
    toolOutputChars: limit(config, 'tool_output_chars'),
    writeFileBytes: limit(config, 'write_file_bytes'),
    commandSeconds: limit(config, 'command_seconds'),
    memoryMib: limit(config, 'memory_mib'),
    processes: limit(config, 'processes'),
    cpuSeconds: limit(config, 'cpu_seconds'),
    fileSizeMib: limit(config, 'file_size_mib'),
    openFiles: limit(config, 'open_files'),
    spillMib: limit(config, 'spill_mib'),
    spillSessionMib: limit(config, 'spill_session_mib'),
    runningCalls: limit(config, 'running_calls'),
  };
}

export function environmentLimits(config: LoadedConfig): EnvironmentLimits {
  return {
    memoryMib: limit(config, 'memory_mib'),
    processes: limit(config, 'processes'),
    cpuSeconds: limit(config, 'cpu_seconds'),
    fileSizeMib: limit(config, 'file_size_mib'),
    openFiles: limit(config, 'open_files'),
    diskFloorMib: limit(config, 'disk_floor_mib'),
  };
}

/** The limits of one run: given with the run, else with the Agent, else configured, else of the kind. */
export function runLimits(
  config: LoadedConfig,
  definition: AgentDefinition,
  ...given: readonly (RunLimitsOption | undefined)[]
): RunLimits {
  const first = (name: keyof RunLimitsOption) =>
    given.map((limits) => limits?.[name]).find((value) => value !== undefined);
  const limits = {
    max_steps: first('maxSteps') ?? config.agent(definition.type).max_steps ?? definition.maxSteps,
    max_cost: first('maxCost') ?? config.number('limits.max_cost') ?? null,
    max_tokens: first('maxTokens') ?? config.number('limits.max_tokens') ?? null,
    timeout_seconds: first('timeoutSeconds') ?? config.number('limits.timeout_seconds') ?? null,
  };
  for (const [name, value] of Object.entries(limits)) checkLimit(name, value);
  return limits;
}

function checkLimit(name: string, value: number | null): void {
  if (value === null) return;
  const whole = name !== 'max_steps' && name !== 'max_tokens' ? true : Number.isInteger(value);
  if (!(value > 0) || !whole)
    throw new ConfigError(`The limit ${name} must be a number above 0, not ${value}.`, { name });
}

/** What single tools read by name: configuration keys, and `model.images` of the model in use. */
export function toolSettings(
  config: LoadedConfig,
  seesImages: () => boolean,
): Readonly<Record<string, unknown>> {
  return new Proxy(
    {},
    { get: (_target, key) => (key === 'model.images' ? seesImages() : config.get(String(key))) },
  );
}

/** A list of objects `{path, write}` as the configuration holds them. */
export function extraRoots(config: LoadedConfig): { path: string; write: boolean }[] {
  const value = config.get('permissions.extra_roots');
  if (!Array.isArray(value)) return [];
  return value.map((root) => ({ path: String(root.path), write: root.write === true }));
}
