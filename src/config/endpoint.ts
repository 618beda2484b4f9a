/** Which provider, address and key a model is reached with, and that no key goes to a foreign address. */
import { readFileSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { ConfigError } from '../errors.ts';
import { nearest } from '../nearest-name.ts';
import type { Setting, Settings } from './layers.ts';
import {
  addressVariable,
  BUILTIN_PROVIDERS,
  isBuiltinProvider,
  isLocalAddress,
  keyVariables,
  needsAddress,
  needsKey,
  siteHeaders,
} from './providers.ts';
import { DEFAULT_ORIGIN, describeOrigin, namesIn, section, textAt } from './settings.ts';
import type { ConfigOrigin, ConfigOverrides, ProviderEntry } from './types.ts';

export interface ModelSources {
  readonly settings: Settings;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Empty when flags shall not count. */
  readonly overrides: ConfigOverrides;
  /** Relative names of files start here. */
  readonly directory: string;
}

export interface Endpoint {
  readonly provider: string;
  readonly baseUrl: string | null;
  readonly apiKey: string | null;
  readonly keyOrigin: ConfigOrigin | null;
  readonly entry: ProviderEntry;
}

interface Sourced {
  readonly value: string;
  readonly origin: ConfigOrigin;
}

/** `name` is a key of `model_providers`, a built-in name, or new with an address of its own. Throws ConfigError. */
export function resolveEndpoint(sources: ModelSources, name: string): Endpoint {
  const entry = (section(sources.settings, ['model_providers', name]) ?? {}) as ProviderEntry;
  const provider = providerOf(sources, name, entry);
  const address = findAddress(sources, name, provider);
  if (address === null && needsAddress(provider)) throw noAddress(name, provider);
  const key = findKey(sources, name, provider, address) ?? keyWithout(provider, address);
  if (key === null && needsKey(provider)) throw noKey(sources, name, provider);
  const headers = { ...siteHeaders(provider, sources.env), ...entry.headers };
  return {
    provider,
    baseUrl: address?.value ?? null,
    apiKey: key?.value ?? null,
    keyOrigin: key?.origin ?? null,
    entry: Object.keys(headers).length === 0 ? entry : { ...entry, headers },
  };
}

function providerOf(sources: ModelSources, name: string, entry: ProviderEntry): string {
  const given = entry.provider ?? name;
  if (isBuiltinProvider(given)) return given;
  const addressGiven = findAddress(sources, name, name) !== null;
  if (addressGiven && entry.provider === undefined) return 'openai_compatible';
  throw unknownProvider(sources, name, given);
}

function unknownProvider(sources: ModelSources, name: string, given: string): ConfigError {
  const origin = sources.settings.get(`model_providers.${name}.provider`)?.origin;
  const where = origin === undefined ? '' : `${describeOrigin(origin)}: `;
  const near = nearest(given, [
    ...namesIn(sources.settings, 'model_providers'),
    ...BUILTIN_PROVIDERS,
  ]);
  return new ConfigError(
    `${where}unknown provider "${given}"; the nearest known one is "${near}". A new name needs an address: --model-base-url URL, or model_providers.${name}.base_url in a configuration file.`,
    { provider: given, nearest: near },
  );
}

function findAddress(sources: ModelSources, name: string, provider: string): Sourced | null {
  const flag = sources.overrides.modelBaseUrl;
  if (flag !== undefined) return checked(flag, fromFlag('--model-base-url'));
  const own = fromVariable(sources, addressVariable(name));
  if (own !== null) return checked(own.value, own.origin);
  const setting = sources.settings.get(`model_providers.${name}.base_url`);
  if (setting !== undefined) return sourced(setting);
  const general = fromVariable(sources, addressVariable(provider));
  return general === null ? null : checked(general.value, general.origin);
}

function checked(value: string, origin: ConfigOrigin): Sourced {
  const ok = URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
  if (ok) return { value, origin };
  throw new ConfigError(
    `${describeOrigin(origin)}: "${value}" is not an address. Give one such as https://host/v1.`,
    { value },
  );
}

function findKey(
  sources: ModelSources,
  name: string,
  provider: string,
  address: Sourced | null,
): Sourced | null {
  const inFile = sources.settings.get(`model_providers.${name}.api_key`);
  const projectKey = inFile?.origin.scope === 'project' ? sourced(inFile) : null;
  const userKey = findUserKey(sources, name, provider, inFile);
  if (address?.origin.scope === 'project') {
    if (userKey !== null && projectKey === null) throw foreignAddress(address, userKey);
    return projectKey;
  }
  if (userKey !== null) return userKey;
  return address === null ? projectKey : null;
}

/** Most specific first: flag, the entry's own variable, its file values, then what the vendor's name stands for. */
function findUserKey(
  sources: ModelSources,
  name: string,
  provider: string,
  inFile: Setting | undefined,
): Sourced | null {
  const flag = sources.overrides.apiKey;
  if (flag !== undefined && flag !== '') return { value: flag, origin: fromFlag('--api-key') };
  const own = firstVariable(sources, keyVariables(name));
  if (own !== null) return own;
  if (inFile !== undefined && inFile.origin.scope !== 'project') return sourced(inFile);
  return namedKey(sources, name) ?? firstVariable(sources, keyVariables(provider));
}

/** The key a file points to, by variable or by file. What is pointed to must exist. */
function namedKey(sources: ModelSources, name: string): Sourced | null {
  const variable = textAt(sources.settings, 'model_providers', name, 'api_key_env');
  if (variable !== undefined) {
    const found = fromVariable(sources, variable);
    if (found !== null) return found;
    throw new ConfigError(
      `The variable ${variable}, named by model_providers.${name}.api_key_env, is not set.`,
      { variable },
    );
  }
  const file = textAt(sources.settings, 'model_providers', name, 'api_key_file');
  return file === undefined ? null : readKeyFile(sources, name, file);
}

function readKeyFile(sources: ModelSources, name: string, file: string): Sourced {
  const path = isAbsolute(file) ? file : resolve(sources.directory, file);
  try {
    const value = readFileSync(path, 'utf8').trim();
    if (value !== '') return { value, origin: { scope: 'user', from: path, line: null } };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError(`model_providers.${name}.api_key_file: ${reason}`, { path }, { cause });
  }
  throw new ConfigError(`model_providers.${name}.api_key_file: ${path} is empty.`, { path });
}

function firstVariable(sources: ModelSources, names: readonly string[]): Sourced | null {
  for (const name of names) {
    const found = fromVariable(sources, name);
    if (found !== null) return found;
  }
  return null;
}

function fromVariable(sources: ModelSources, name: string): Sourced | null {
  const value = sources.env[name]?.trim();
  if (value === undefined || value === '') return null;
  return { value, origin: { scope: 'environment', from: name, line: null } };
}

function fromFlag(flag: string): ConfigOrigin {
  return { scope: 'flag', from: flag, line: null };
}

function sourced(setting: Setting): Sourced {
  return { value: String(setting.value), origin: setting.origin };
}

/** Sent where a protocol wants some key and the server is a local one, which seldom looks at it. */
const LOCAL_KEY = 'local-server-needs-no-key';

function keyWithout(provider: string, address: Sourced | null): Sourced | null {
  const local = address !== null && isLocalAddress(address.value);
  return needsKey(provider) && local ? { value: LOCAL_KEY, origin: DEFAULT_ORIGIN } : null;
}

function foreignAddress(address: Sourced, key: Sourced): ConfigError {
  return new ConfigError(
    `${describeOrigin(address.origin)} sets the address ${address.value}, but the key comes from ${describeOrigin(key.origin)}: a project's address never gets your key. If you mean it, give the address yourself: --model-base-url, a variable, or your own file with --config-file.`,
    { base_url: address.value, key_from: describeOrigin(key.origin) },
  );
}

function noAddress(name: string, provider: string): ConfigError {
  return new ConfigError(
    `Provider "${name}" (${provider}) has no address. Give --model-base-url URL, ${addressVariable(name)}, or model_providers.${name}.base_url.`,
    { provider: name },
  );
}

function noKey(sources: ModelSources, name: string, provider: string): ConfigError {
  const variables = [...new Set([...keyVariables(name), ...keyVariables(provider)])];
  return new ConfigError(
    `No API key for provider "${name}": set ${variables.join(' or ')}, or a real key in model_providers.${name}.api_key${filesHint(sources)}.`,
    { provider: name, variables },
  );
}

function filesHint(sources: ModelSources): string {
  const entry = [...sources.settings.values()].find((one) => one.segments[0] === 'model_providers');
  return entry?.origin.from === undefined || entry.origin.from === null
    ? ''
    : ` of ${entry.origin.from}`;
}
