/** Loads the configuration: files, variables and flags, in their order, within what each may set. */
import { realpath } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { ConfigError } from '../errors.ts';
import { comparisonBase } from './defaults.ts';
import {
  documentLayer,
  type FoundFile,
  findProjectFile,
  homeDirectory,
  MANAGED_FILE,
  namedFile,
  readLayer,
} from './files.ts';
import { environmentLayers, flagLayers } from './given.ts';
import { type IgnoredEntry, type Layer, type Merged, mergeLayers } from './layers.ts';
import { configuredRules, MergedConfig } from './loaded.ts';
import { describeOrigin } from './settings.ts';
import { acceptTrust, isTrusted } from './trust.ts';
import type { LoadConfigOptions, LoadedConfig } from './types.ts';

interface Gathered {
  readonly home: string;
  readonly layers: readonly Layer[];
  readonly found: FoundFile | null;
  readonly notices: readonly string[];
}

interface Decided {
  readonly merged: Merged;
  readonly trusted: boolean;
  readonly notices: readonly string[];
}

function filesOf(layers: readonly Layer[]): string[] {
  const scopes = ['managed', 'user', 'project'];
  return layers
    .filter(({ scope, from }) => scopes.includes(scope) && isAbsolute(from))
    .map(({ from }) => from);
}

/**
 * Throws ConfigError with file, line, key and the nearest known key for anything that cannot be used, and for an
 * untrusted folder's file as `options.untrusted` says. Writes nothing, except trust that `askTrust` gave.
 */
export async function loadConfig(options: LoadConfigOptions): Promise<LoadedConfig> {
  const gathered = await gather(options);
  const { merged, trusted, notices } = await mergeTrusted(gathered, options);
  const layers =
    gathered.found === null ? gathered.layers : [...gathered.layers, gathered.found.layer];
  return new MergedConfig(
    {
      home: gathered.home,
      settings: merged.settings,
      rules: configuredRules(layers),
      notices: [...gathered.notices, ...notices, ...warnings(merged)],
      files: await Promise.all(filesOf(layers).map((file) => realpath(file))),
      trusted,
    },
    options,
  );
}

async function gather(options: LoadConfigOptions): Promise<Gathered> {
  const home = homeDirectory(options.env);
  const named = options.document === undefined ? namedFile(options) : null;
  const [managed, user, explicit, search] = await Promise.all([
    readLayer('managed', options.managedFile ?? MANAGED_FILE, false),
    readLayer('user', join(home, 'config.yaml'), false),
    named === null ? null : readLayer('user', named, true),
    named === null && options.document === undefined ? findProjectFile(home, options.cwd) : null,
  ]);
  const given = options.document === undefined ? null : await documentLayer(options.document);
  const files = [managed, user, explicit, given].filter((layer) => layer !== null);
  return {
    home,
    layers: [...files, ...environmentLayers(options.env), ...flagLayers(options.overrides ?? {})],
    found: search !== null && 'layer' in search ? search : null,
    notices: search?.notices ?? [],
  };
}

async function mergeTrusted(gathered: Gathered, options: LoadConfigOptions): Promise<Decided> {
  const { found, home } = gathered;
  const merge = (projectTrusted: boolean) =>
    mergeLayers(found === null ? gathered.layers : [...gathered.layers, found.layer], {
      fallback: (key) => comparisonBase(key, options.interactive),
      projectTrusted,
    });
  const trusted = found?.trust.trusted ?? (await isTrusted(home, options.cwd));
  const merged = merge(trusted);
  if (found === null || merged.ignored.length === 0) return { merged, trusted, notices: [] };
  if (trusted || !(await becomesTrusted(home, found, merged, options)))
    return { merged, trusted, notices: ignoredNotice(found, merged.ignored) };
  const again = merge(true);
  return { merged: again, trusted: true, notices: ignoredNotice(found, again.ignored) };
}

async function becomesTrusted(
  home: string,
  found: FoundFile,
  merged: Merged,
  options: LoadConfigOptions,
): Promise<boolean> {
  const keys = merged.ignored.map(({ entry }) => entry.path);
  if (options.interactive && options.askTrust !== undefined) {
    const accepted = await options.askTrust(found.file, keys);
    if (accepted) await acceptTrust(home, found.trust.folder, found.trust.files);
    return accepted;
  }
  if (options.untrusted === 'ignore') return false;
  throw new ConfigError(
    `${found.file} was found in a folder that is not trusted, and sets ${listed(keys)}, which would be ignored. Use it with --config-file ${found.file}, or accept the folder with: toolwright trust ${found.trust.folder}`,
    { file: found.file, keys },
  );
}

const SHOWN_KEYS = 6;

function listed(keys: readonly string[]): string {
  const shown = keys.slice(0, SHOWN_KEYS).join(', ');
  return keys.length > SHOWN_KEYS ? `${shown} and ${keys.length - SHOWN_KEYS} more` : shown;
}

const REASONS: Readonly<Record<IgnoredEntry['reason'], string>> = {
  untrusted: 'the folder is not trusted',
  user_only: 'a project file may not set them',
  looser: 'a project file may only make them stricter',
};

function ignoredNotice(found: FoundFile, ignored: readonly IgnoredEntry[]): string[] {
  if (ignored.length === 0) return [];
  const parts = Object.entries(REASONS).flatMap(([reason, why]) => {
    const keys = ignored.filter((one) => one.reason === reason).map(({ entry }) => entry.path);
    return keys.length === 0 ? [] : [`${listed(keys)} (${why})`];
  });
  return [`${found.file}: ignored ${parts.join('; ')}.`];
}

function warnings(merged: Merged): string[] {
  const bounded = merged.bounded.map(
    ({ path, value, origin }) =>
      `${describeOrigin(origin)}: ${path} = ${JSON.stringify(value)} is beyond the bound of ${merged.settings.get(path)?.origin.from}, which holds.`,
  );
  const candidates = [...merged.settings.values()].filter(
    ({ key, value }) => key.key === 'models.<key>.candidate_count' && Number(value) > 1,
  );
  return [
    ...bounded,
    ...candidates.map(
      ({ path, origin }) => `${describeOrigin(origin)}: ${path} above 1 is read as 1.`,
    ),
  ];
}
