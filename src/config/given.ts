/** Settings given by flags and variables, checked like those of a file. */
import { ConfigError } from '../errors.ts';
import { type Entry, expectation, nearestKey } from './entries.ts';
import { type ConfigKey, fixedKey, KEY_TREE, type KeyNode } from './keys.ts';
import type { Layer } from './layers.ts';
import type { ConfigOverrides } from './types.ts';
import { checkValue } from './value-schema.ts';

/** Flags whose name is not the last part of their key. */
const FLAG_NAMES: Readonly<Record<string, string>> = {
  'permissions.mode': '--permission-mode',
  'permissions.allow': '--allow',
  'permissions.deny': '--deny',
  'sandbox.kind': '--sandbox',
  'sandbox.network': '--network',
  'limits.timeout_seconds': '--timeout',
  'data.review': '--review',
  'sandbox.docker.image': '--docker-image',
  'sandbox.docker.container_id': '--docker-container-id',
  'sandbox.docker.dockerfile': '--dockerfile-path',
  'sandbox.docker.image_file': '--docker-image-file',
  'sandbox.docker.keep': '--docker-keep',
};

function flagName(path: string): string {
  const last = path.split('.').at(-1) ?? path;
  return FLAG_NAMES[path] ?? `--${last.replaceAll('_', '-')}`;
}

function keyAt(path: string): ConfigKey {
  const fixed = fixedKey(path);
  if (fixed !== undefined) return fixed;
  const segments = path.split('.');
  const node = segments.reduce<KeyNode | null>(
    (at, segment) => at?.members.get(segment) ?? at?.any ?? null,
    KEY_TREE,
  );
  if (node?.key) return node.key;
  throw new ConfigError(
    `Unknown configuration key "${path}"; the nearest known key is "${nearestKey(segments)}".`,
    { key: path },
  );
}

function given(path: string, value: unknown, from: string): Entry {
  const key = keyAt(path);
  if (checkValue(value, key.schema) !== null)
    throw new ConfigError(`${from} must be ${expectation(key)}, not "${String(value)}".`, {
      key: path,
      value,
    });
  return { key, path, segments: path.split('.'), value, line: null };
}

/** One layer for each flag, so that each value names its own flag. */
export function flagLayers(overrides: ConfigOverrides): Layer[] {
  const values: [string, unknown][] = Object.entries(overrides.values ?? {});
  if (overrides.allow?.length) values.push(['permissions.allow', overrides.allow]);
  if (overrides.deny?.length) values.push(['permissions.deny', overrides.deny]);
  return values
    .filter(([, value]) => value !== undefined)
    .map(([path, value]) => {
      const from = flagName(path);
      return { scope: 'flag', from, entries: [given(path, value, from)] };
    });
}

/** Variables that set a key of the table. Those of providers are read when a model is resolved. */
const VARIABLES: Readonly<Record<string, string>> = { TOOLWRIGHT_DATA_REVIEW: 'data.review' };

export function environmentLayers(env: Readonly<Record<string, string | undefined>>): Layer[] {
  return Object.entries(VARIABLES).flatMap(([variable, path]) => {
    const value = env[variable];
    if (value === undefined || value === '') return [];
    return [
      { scope: 'environment' as const, from: variable, entries: [given(path, value, variable)] },
    ];
  });
}
