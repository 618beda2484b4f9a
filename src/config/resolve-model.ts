/** The model of an agent kind: the entry of `models`, what flags change in it, and its endpoint. */
import { ConfigError } from '../errors.ts';
import { nearest } from '../nearest-name.ts';
import { type ModelSources, resolveEndpoint } from './endpoint.ts';
import { agentName } from './entries.ts';
import { BUILTIN_PROVIDERS } from './providers.ts';
import { describeOrigin, namesIn, section, textAt, valueAt } from './settings.ts';
import type { ModelEntry, ResolvedModel } from './types.ts';

interface Choice {
  readonly key: string | null;
  readonly provider: string;
  readonly model: string;
  readonly entry: ModelEntry;
}

/** What is true of one model only, and so does not hold for another one named by a flag. */
const MODEL_FACTS = ['context_window', 'output_limit', 'prices', 'images'] as const;
/** What belongs to one provider's wire. */
const PROVIDER_FACTS = [
  'api',
  'profile',
  'quirks',
  'extra_body',
  'extra_headers',
  'text_tool_calls',
] as const;

/** Throws ConfigError naming what is missing and how to give it. */
export function resolveAgentModel(sources: ModelSources, agentType: string): ResolvedModel {
  const choice = choose(sources, agentType);
  if (choice.entry.supports_tool_calling === false)
    throw new ConfigError(
      `models.${choice.key ?? choice.model}.supports_tool_calling is false: an agent needs a model that calls tools.`,
      { model: choice.model },
    );
  return finish(sources, choice);
}

/** Provider name and model id an agent kind would use, without a look at address and key; null when that is not settled. */
export function chosenModel(
  sources: ModelSources,
  agentType: string,
): { readonly provider: string; readonly model: string } | null {
  try {
    const { provider, model } = choose(sources, agentType);
    return { provider, model };
  } catch (error) {
    if (error instanceof ConfigError) return null;
    throw error;
  }
}

/** One entry of `models` as it stands, without flags. */
export function resolveModelEntry(sources: ModelSources, key: string): ResolvedModel {
  return finish({ ...sources, overrides: {} }, requireEntry(sources, key, `model "${key}"`));
}

function finish(sources: ModelSources, choice: Choice): ResolvedModel {
  refuseRedirectingQuirks(sources, choice);
  const endpoint = resolveEndpoint(sources, choice.provider);
  return {
    key: choice.key,
    provider: endpoint.provider,
    model: choice.model,
    base_url: endpoint.baseUrl,
    api_key: endpoint.apiKey,
    api_key_origin: endpoint.keyOrigin,
    entry: choice.entry,
    endpoint: endpoint.entry,
  };
}

function choose(sources: ModelSources, agentType: string): Choice {
  const { provider, model } = sources.overrides;
  const base = baseEntry(sources, agentType);
  if (provider === undefined && model === undefined) {
    if (base === null) throw noModel(sources);
    return requireEntry(sources, base.key, base.named);
  }
  const listed = findListed(sources, base?.key ?? null, provider, model);
  if (listed !== null) return requireEntry(sources, listed, `model "${listed}"`);
  return overridden(sources, base === null ? null : requireEntry(sources, base.key, base.named));
}

/** The entry an agent kind names; else that of the coding kind; else the only one there is. */
function baseEntry(
  sources: ModelSources,
  agentType: string,
): { readonly key: string; readonly named: string } | null {
  for (const kind of [agentName(agentType), 'coding']) {
    const key = textAt(sources.settings, 'agents', kind, 'model');
    if (key !== undefined) return { key, named: `agents.${kind}.model` };
  }
  const keys = namesIn(sources.settings, 'models');
  const [only] = keys;
  return only !== undefined && keys.length === 1 ? { key: only, named: 'models' } : null;
}

function entryOf(sources: ModelSources, key: string): ModelEntry | undefined {
  return section(sources.settings, ['models', key]) as ModelEntry | undefined;
}

function requireEntry(sources: ModelSources, key: string, named: string): Choice {
  const entry = entryOf(sources, key);
  if (entry === undefined) throw unknownModel(sources, key, named);
  if (entry.model === undefined) throw missing(sources, key, 'model');
  if (entry.model_provider === undefined) throw missing(sources, key, 'model_provider');
  return { key, provider: entry.model_provider, model: entry.model, entry };
}

/** An entry that already describes what the flags ask for: by its key, or by model id. The agent's own first. */
function findListed(
  sources: ModelSources,
  baseKey: string | null,
  provider: string | undefined,
  model: string | undefined,
): string | null {
  const keys = [...(baseKey === null ? [] : [baseKey]), ...namesIn(sources.settings, 'models')];
  const fits = (key: string) => {
    const entry = entryOf(sources, key);
    return provider === undefined || entry?.model_provider === provider ? entry : undefined;
  };
  if (model === undefined) {
    const [first, ...others] = new Set(keys.filter((key) => fits(key) !== undefined));
    return first !== undefined && (first === baseKey || others.length === 0) ? first : null;
  }
  const byId = keys.find((key) => fits(key)?.model === model);
  return byId ?? keys.find((key) => key === model && fits(key) !== undefined) ?? null;
}

/** A model the file does not list: the settings of the agent's own entry that are not tied to that model. */
function overridden(sources: ModelSources, base: Choice | null): Choice {
  const provider = sources.overrides.provider ?? base?.provider;
  const model = sources.overrides.model ?? base?.model;
  if (provider === undefined) throw noProvider(sources);
  if (model === undefined) throw noModelId(provider);
  const dropped = new Set<string>([
    ...(model === base?.model ? [] : MODEL_FACTS),
    ...(provider === base?.provider ? [] : [...MODEL_FACTS, ...PROVIDER_FACTS]),
  ]);
  const kept = Object.entries(base?.entry ?? {}).filter(([name]) => !dropped.has(name));
  const entry = { ...Object.fromEntries(kept), model, model_provider: provider } as ModelEntry;
  return { key: null, provider, model, entry };
}

/** Profile fields that could send a key elsewhere come from the user, as `base_url` does. */
const REDIRECTING_QUIRKS = ['baseUrl', 'path', 'auth', 'headers', 'keyEnv', 'protocol'];

function refuseRedirectingQuirks(sources: ModelSources, choice: Choice): void {
  if (choice.key === null) return;
  const setting = sources.settings.get(`models.${choice.key}.quirks`);
  if (setting?.origin.scope !== 'project') return;
  const quirks = valueAt(sources.settings, 'models', choice.key, 'quirks') ?? {};
  const found = REDIRECTING_QUIRKS.find((name) => Object.hasOwn(quirks as object, name));
  if (found === undefined) return;
  throw new ConfigError(
    `${describeOrigin(setting.origin)}: "models.${choice.key}.quirks.${found}" may not come from a project file. Set it in your own file, or name this one with --config-file.`,
    { key: `models.${choice.key}.quirks.${found}` },
  );
}

function unknownModel(sources: ModelSources, key: string, named: string): ConfigError {
  const origin = sources.settings.get(named)?.origin;
  const where = origin === undefined ? '' : `${describeOrigin(origin)}: `;
  const near = nearest(key, namesIn(sources.settings, 'models'));
  const hint = near === null ? 'There is no entry in models.' : `The nearest one is "${near}".`;
  return new ConfigError(`${where}${named}: no entry "${key}" in models. ${hint}`, {
    key: named,
    value: key,
    nearest: near,
  });
}

function missing(sources: ModelSources, key: string, member: string): ConfigError {
  const [first] = [...sources.settings.values()].filter(
    (one) => one.segments[0] === 'models' && one.segments[1] === key,
  );
  const where = first === undefined ? '' : `${describeOrigin(first.origin)}: `;
  return new ConfigError(`${where}"models.${key}.${member}" is missing.`, {
    key: `models.${key}.${member}`,
  });
}

function noModel(sources: ModelSources): ConfigError {
  const keys = namesIn(sources.settings, 'models');
  const choices = keys.length === 0 ? '' : ` (models has: ${keys.join(', ')})`;
  return new ConfigError(
    `No model is configured. Give --provider NAME --model ID, or set agents.coding.model${choices} in toolwright.yaml or with --config-file PATH.`,
  );
}

function noProvider(sources: ModelSources): ConfigError {
  return new ConfigError(
    `--model ${sources.overrides.model} needs a provider: give --provider NAME (${BUILTIN_PROVIDERS.join(', ')}, or a key of model_providers).`,
  );
}

function noModelId(provider: string): ConfigError {
  const what = provider === 'replay' ? '--model FILE (the recording)' : '--model ID';
  return new ConfigError(`--provider ${provider} needs a model: give ${what}.`);
}
