/** What flags change in the configuration. */
import type { ConfigOverrides } from '../config/types.ts';
import type { RunFlags } from './run-flags.ts';
import { usageError } from './usage-error.ts';

const DOCKER_SOURCES = [
  ['dockerImage', '--docker-image', 'sandbox.docker.image'],
  ['dockerContainerId', '--docker-container-id', 'sandbox.docker.container_id'],
  ['dockerfilePath', '--dockerfile-path', 'sandbox.docker.dockerfile'],
  ['dockerImageFile', '--docker-image-file', 'sandbox.docker.image_file'],
] as const;

/** Throws for flags that contradict each other. */
export function checkFlags(flags: RunFlags): void {
  const sources = DOCKER_SOURCES.filter(([name]) => flags[name] !== undefined);
  const names = sources.map(([, flag]) => flag);
  if (names.length > 1)
    throw usageError(
      `${names.join(' and ')} exclude each other: give one source of the container.`,
    );
  if (names.length === 1 && flags.sandbox !== undefined && flags.sandbox !== 'docker')
    throw usageError(
      `${names[0]} runs the tools in a container: leave out --sandbox ${flags.sandbox}.`,
    );
}

/** The configuration keys that flags set. */
export function configValues(flags: RunFlags): Record<string, unknown> {
  const docker = DOCKER_SOURCES.find(([name]) => flags[name] !== undefined);
  const values: Record<string, unknown> = {
    'permissions.mode': flags.permissionMode,
    'sandbox.kind': docker === undefined ? flags.sandbox : 'docker',
    'sandbox.network': flags.network,
    'sandbox.docker.keep': flags.dockerKeep,
    'limits.max_cost': flags.maxCost,
    'limits.max_tokens': flags.maxTokens,
    'limits.timeout_seconds': flags.timeout,
    'data.review': flags.review,
    [`agents.${agentKind(flags)}.max_steps`]: flags.maxSteps,
  };
  for (const [name, , key] of DOCKER_SOURCES) values[key] = flags[name];
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** The kind of agent a command starts; `trae_agent` is the name trae-cli has for `coding`. */
export function agentKind(flags: RunFlags): string {
  const given = flags.agentType ?? 'coding';
  return given === 'trae_agent' ? 'coding' : given;
}

export function overridesOf(flags: RunFlags): ConfigOverrides {
  return {
    ...(flags.configFile === undefined ? {} : { configFile: flags.configFile }),
    ...(flags.provider === undefined ? {} : { provider: flags.provider }),
    ...(flags.model === undefined ? {} : { model: flags.model }),
    ...(flags.modelBaseUrl === undefined ? {} : { modelBaseUrl: flags.modelBaseUrl }),
    ...(flags.apiKey === undefined ? {} : { apiKey: flags.apiKey }),
    ...(flags.allow === undefined ? {} : { allow: flags.allow }),
    ...(flags.deny === undefined ? {} : { deny: flags.deny }),
    values: configValues(flags),
  };
}
