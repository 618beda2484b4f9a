/** Everything about one model behind one endpoint that follows from the configuration alone. */
import { ConfigError } from '../errors.ts';
import type { ModelWireFacts } from './codecs/codec.ts';
import { FREE, listPrices, modelRow } from './models/lookup.ts';
import type { Profile } from './profile-types.ts';
import { chooseProfile } from './profiles/choose.ts';
import type { ModelConfig, ModelPrices, Transport } from './types.ts';

export interface Target {
  readonly provider: string;
  readonly model: string;
  readonly profile: Profile;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly facts: ModelWireFacts;
  readonly contextWindow: number;
  readonly windowKnown: boolean;
  /** Sent with a request that has no limit of its own; null sends none. */
  readonly outputLimit: number | null;
  readonly prices: ModelPrices | null;
}

const ASSUMED_WINDOW = 128_000;
const ASSUMED_LOCAL_WINDOW = 32_768;
const ANTHROPIC_DEFAULT_LIMIT = 8192;
const ANTHROPIC_MOST = 32_000;

/** Throws ConfigError for an unknown profile, a bad override or a missing base URL. */
export function resolveTarget(config: ModelConfig, recorded: Transport['recorded']): Target {
  const model = recorded?.model ?? config.model;
  const row = modelRow(model);
  const profile = chooseProfile({ ...config, model }, row, recorded);
  const knownWindow = config.contextWindow ?? (profile.local ? undefined : row?.window);
  return {
    provider: config.provider,
    model,
    profile,
    baseUrl: baseUrlOf(config, profile, recorded),
    facts: {
      sampling: row?.sampling !== false,
      outputConfig: row?.outputConfig === true,
      reasons: profile.protocol !== 'anthropic' && row?.reasoning === 'effort',
    },
    contextWindow: knownWindow ?? (profile.local ? ASSUMED_LOCAL_WINDOW : ASSUMED_WINDOW),
    windowKnown: knownWindow !== undefined,
    outputLimit: outputLimitOf(config, profile, row?.output),
    prices: pricesOf(config, profile, model, recorded),
  };
}

function baseUrlOf(config: ModelConfig, profile: Profile, recorded: Transport['recorded']): string {
  const url =
    config.baseUrl ??
    profile.baseUrl ??
    (recorded === undefined ? undefined : 'http://replay.invalid');
  if (url === undefined) {
    throw new ConfigError(
      `provider "${config.provider}" needs a base URL; give base_url in model_providers or --model-base-url`,
      { key: 'base_url', provider: config.provider },
    );
  }
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new ConfigError(
      `base_url of provider "${config.provider}" is not an http or https address`,
      {
        key: 'base_url',
        provider: config.provider,
      },
    );
  }
  return url.replace(/\/+$/, '');
}

function outputLimitOf(
  config: ModelConfig,
  profile: Profile,
  tableLimit: number | undefined,
): number | null {
  const configured = config.maxCompletionTokens ?? config.maxTokens;
  if (configured !== undefined) return configured;
  if (profile.protocol !== 'anthropic') return null;
  const known = config.outputLimit ?? tableLimit;
  return known === undefined ? ANTHROPIC_DEFAULT_LIMIT : Math.min(known, ANTHROPIC_MOST);
}

function pricesOf(
  config: ModelConfig,
  profile: Profile,
  model: string,
  recorded: Transport['recorded'],
): ModelPrices | null {
  if (recorded !== undefined) return FREE;
  return config.prices ?? (profile.local ? FREE : listPrices(config.provider, model));
}

/** The endpoint and model a raw turn may be sent back to. */
export function replayKeyOf(target: Target): string {
  const origin = new URL(target.baseUrl).origin;
  return `${target.profile.protocol}|${target.profile.id}|${origin}|${target.model}`;
}
