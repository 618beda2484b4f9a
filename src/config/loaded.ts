/** What `loadConfig` hands out: merged settings behind the interface of types.ts. */

import { defaultOf } from './defaults.ts';
import type { ModelSources } from './endpoint.ts';
import { agentName } from './entries.ts';
import { CONFIG_KEYS, fixedKey } from './keys.ts';
import type { Layer, Settings } from './layers.ts';
import { reportLines } from './report.ts';
import { chosenModel, resolveAgentModel, resolveModelEntry } from './resolve-model.ts';
import { collectSecrets, type Secret } from './secrets.ts';
import { DEFAULT_ORIGIN, section } from './settings.ts';
import type {
  AgentConfig,
  ConfigOrigin,
  ConfiguredRule,
  LoadConfigOptions,
  LoadedConfig,
  ResolvedModel,
} from './types.ts';

export interface LoadedParts {
  readonly home: string;
  readonly settings: Settings;
  readonly rules: readonly ConfiguredRule[];
  readonly notices: readonly string[];
  readonly files: readonly string[];
  readonly trusted: boolean;
}

export class MergedConfig implements LoadedConfig {
  readonly home: string;
  readonly cwd: string;
  readonly rules: readonly ConfiguredRule[];
  readonly notices: readonly string[];
  readonly files: readonly string[];
  readonly trusted: boolean;
  readonly secrets: readonly Secret[];
  readonly #settings: Settings;
  readonly #sources: ModelSources;

  constructor(parts: LoadedParts, options: LoadConfigOptions) {
    const overrides = options.overrides ?? {};
    this.home = parts.home;
    this.cwd = options.cwd;
    this.rules = parts.rules;
    this.notices = parts.notices;
    this.files = parts.files;
    this.trusted = parts.trusted;
    this.#settings = parts.settings;
    this.#sources = {
      settings: parts.settings,
      env: options.env,
      overrides,
      directory: options.cwd,
    };
    this.secrets = collectSecrets(parts.settings, options.env, overrides);
  }

  get(key: string): unknown {
    const setting = this.#settings.get(key);
    if (setting !== undefined) return setting.value;
    const fixed = fixedKey(key);
    return fixed === undefined ? this.#section(key) : defaultOf(fixed);
  }

  number(key: string): number | undefined {
    const value = this.get(key);
    return typeof value === 'number' ? value : undefined;
  }

  text(key: string): string | undefined {
    const value = this.get(key);
    return typeof value === 'string' ? value : undefined;
  }

  flag(key: string): boolean | undefined {
    const value = this.get(key);
    return typeof value === 'boolean' ? value : undefined;
  }

  list(key: string): readonly string[] | undefined {
    const value = this.get(key);
    return Array.isArray(value) ? value.map(String) : undefined;
  }

  origin(key: string): ConfigOrigin {
    return this.#settings.get(key)?.origin ?? DEFAULT_ORIGIN;
  }

  agent(type: string): AgentConfig {
    return section(this.#settings, ['agents', agentName(type)]) ?? {};
  }

  resolveModel(agentType: string): ResolvedModel {
    return resolveAgentModel(this.#sources, agentType);
  }

  resolveModelEntry(key: string): ResolvedModel {
    return resolveModelEntry(this.#sources, key);
  }

  report(): ReturnType<LoadedConfig['report']> {
    const provider = chosenModel(this.#sources, 'coding')?.provider;
    return reportLines(
      { ...this.#sources, provider: provider ?? this.#sources.overrides.provider ?? null },
      defaultOf,
    );
  }

  /** Defaults of keys without names in them, then what is set. A name may hold dots: the rest of the key is one. */
  #section(key: string): Record<string, unknown> | undefined {
    const prefix = key.split('.');
    const set =
      section(this.#settings, prefix) ??
      section(this.#settings, [prefix[0] ?? '', prefix.slice(1).join('.')]);
    const defaults: Record<string, unknown> = {};
    for (const one of CONFIG_KEYS) {
      const value = one.segments.length === prefix.length + 1 ? defaultOf(one) : undefined;
      if (value !== undefined && one.key.startsWith(`${key}.`))
        defaults[one.segments.at(-1) ?? ''] = value;
    }
    const result = { ...defaults, ...set };
    return Object.keys(result).length === 0 ? undefined : result;
  }
}

const RULE_LISTS = ['deny', 'ask', 'allow'] as const;

/** The permission rules of every layer, each with its scope. Flags and variables count as the user's. */
export function configuredRules(layers: readonly Layer[]): ConfiguredRule[] {
  return layers.flatMap((layer) =>
    layer.entries.flatMap((entry) => {
      const list = RULE_LISTS.find((name) => entry.path === `permissions.${name}`);
      if (list === undefined || (layer.scope === 'project' && list === 'allow')) return [];
      const scope =
        layer.scope === 'managed' || layer.scope === 'project' ? layer.scope : ('user' as const);
      const origin = { scope: layer.scope, from: layer.from, line: entry.line };
      return (entry.value as readonly string[]).map((text) => ({ list, text, scope, origin }));
    }),
  );
}
