/** The settings in force as lines for people: every key, its value or that it is a secret, and where it came from. */
import { CONFIG_KEYS, type ConfigKey, isWildcard } from './keys.ts';
import type { Settings } from './layers.ts';
import { addressVariable, BUILTIN_PROVIDERS, keyVariables } from './providers.ts';
import { DEFAULT_ORIGIN, namesIn } from './settings.ts';
import type { ConfigOrigin, ConfigOverrides } from './types.ts';

export interface ReportLine {
  readonly key: string;
  readonly value: string;
  readonly origin: ConfigOrigin;
}

export interface ReportSources {
  readonly settings: Settings;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly overrides: ConfigOverrides;
  /** Key in `model_providers` of the model in force, or null. */
  readonly provider: string | null;
}

export function reportLines(
  sources: ReportSources,
  fallback: (key: ConfigKey) => unknown,
): ReportLine[] {
  const { settings, env } = sources;
  const lines = new Map<string, ReportLine>();
  for (const key of CONFIG_KEYS) {
    if (key.segments.some(isWildcard)) continue;
    const value = fallback(key);
    const shown = value === undefined ? key.defaultText : show(key, value);
    lines.set(key.key, { key: key.key, value: shown, origin: DEFAULT_ORIGIN });
  }
  for (const setting of settings.values())
    lines.set(setting.path, {
      key: setting.path,
      value: show(setting.key, setting.value),
      origin: setting.origin,
    });
  for (const line of environmentLines(settings, env)) lines.set(line.key, line);
  for (const line of flagLines(sources)) lines.set(line.key, line);
  return [...lines.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}

function show(key: ConfigKey, value: unknown): string {
  if (key.secret) return isEmpty(value) ? '(not set)' : '(set)';
  if (typeof value === 'string') return withoutPassword(value);
  return JSON.stringify(value);
}

function isEmpty(value: unknown): boolean {
  return value === '' || (typeof value === 'object' && Object.keys(value ?? {}).length === 0);
}

function withoutPassword(value: string): string {
  return value.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@\s]*@/i, '$1(set)@');
}

/** Keys and addresses that variables give, for the providers of the file and those with a variable set. */
function environmentLines(
  settings: Settings,
  env: Readonly<Record<string, string | undefined>>,
): ReportLine[] {
  const listed = namesIn(settings, 'model_providers');
  return [...new Set([...listed, ...BUILTIN_PROVIDERS])].flatMap((name) => {
    const key = keyVariables(name).find((variable) => isSet(env[variable]));
    const address = addressVariable(name);
    const path = `model_providers.${name}`;
    const absent = listed.includes(name) && !settings.has(`${path}.api_key`) && key === undefined;
    return [
      ...(key === undefined ? [] : [variableLine(`${path}.api_key`, '(set)', key)]),
      ...(absent ? [{ key: `${path}.api_key`, value: '(not set)', origin: DEFAULT_ORIGIN }] : []),
      ...(isSet(env[address])
        ? [variableLine(`${path}.base_url`, withoutPassword(env[address] ?? ''), address)]
        : []),
    ];
  });
}

/** What flags say about the model: they win over its entry, and are no keys of their own. */
function flagLines({ overrides, provider }: ReportSources): ReportLine[] {
  const { model, modelBaseUrl, apiKey } = overrides;
  const path = provider === null ? 'model_providers' : `model_providers.${provider}`;
  const given: readonly (readonly [string, string | undefined, string])[] = [
    ['model', model, '--model'],
    ['provider', overrides.provider, '--provider'],
    [`${path}.base_url`, modelBaseUrl && withoutPassword(modelBaseUrl), '--model-base-url'],
    [`${path}.api_key`, apiKey && '(set)', '--api-key'],
  ];
  return given.flatMap(([key, value, from]) =>
    isSet(value) ? [{ key, value: value ?? '', origin: { scope: 'flag', from, line: null } }] : [],
  );
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value.trim() !== '';
}

function variableLine(key: string, value: string, from: string): ReportLine {
  return { key, value, origin: { scope: 'environment', from, line: null } };
}
