/** Chooses the profile of an endpoint from the configuration. */
import { ConfigError } from '../../errors.ts';
import type { ModelRow } from '../models/table.ts';
import type { Profile, ReasoningStyle } from '../profile-types.ts';
import type { ModelConfig, Protocol, Transport } from '../types.ts';
import { defaultProfile, patchProfile } from './defaults.ts';
import { isLocalHost, profileOfHost } from './hosts.ts';
import { applyQuirks } from './quirks.ts';
import { PROFILE_NAMES, profileNamed } from './table.ts';

type Recorded = NonNullable<Transport['recorded']>;

/** Throws ConfigError for an unknown profile name or a bad override. */
export function chooseProfile(
  config: ModelConfig,
  row: ModelRow | undefined,
  recorded: Recorded | undefined,
): Profile {
  const base = recorded === undefined ? configuredProfile(config) : recordedProfile(recorded);
  const fitted = fitModel(fitHost(base, config), config, row);
  return config.quirks === undefined ? fitted : applyQuirks(fitted, config.quirks);
}

/** The profile with another protocol's form, keeping its name. */
export function withProtocol(profile: Profile, protocol: Protocol): Profile {
  if (profile.protocol === protocol) return profile;
  const { id, baseUrl, keyEnv, auth, local, textCalls, headers } = profile;
  return patchProfile(defaultProfile(protocol), {
    id,
    baseUrl,
    keyEnv,
    auth,
    local,
    textCalls,
    headers,
  });
}

function recordedProfile(recorded: Recorded): Profile {
  const named = profileNamed(recorded.profile) ?? {
    ...defaultProfile(recorded.protocol),
    id: recorded.profile,
  };
  return withProtocol(named, recorded.protocol);
}

function configuredProfile(config: ModelConfig): Profile {
  const name = config.profile ?? profileByHost(config) ?? profileByProvider(config);
  const profile = profileNamed(name);
  if (profile === undefined) {
    throw new ConfigError(`unknown profile "${name}"; known: ${PROFILE_NAMES.join(', ')}`, {
      key: 'profile',
    });
  }
  if (config.api === 'responses' && profile.protocol === 'chat') {
    return withProtocol(profile, 'responses');
  }
  if (config.api === 'chat' && profile.protocol === 'responses') {
    return profileNamed(`${name}_chat`) ?? withProtocol(profile, 'chat');
  }
  return profile;
}

function profileByProvider(config: ModelConfig): string {
  const { provider } = config;
  return profileNamed(provider) === undefined ? 'openai_compatible' : provider;
}

/** A foreign address behind a Chat provider says more than the provider's name. */
function profileByHost(config: ModelConfig): string | undefined {
  const host = hostOf(config.baseUrl);
  if (host === undefined || config.provider === 'azure') return undefined;
  const own = profileNamed(config.provider);
  const speaksChat = own === undefined || own.protocol === 'chat' || config.provider === 'openai';
  if (!speaksChat || config.api === 'responses' || hostOf(own?.baseUrl ?? undefined) === host) {
    return undefined;
  }
  return profileOfHost(host);
}

function hostOf(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  return new URL(url).hostname;
}

/** A compatible server on a machine of one's own costs nothing and may be slow. */
function fitHost(profile: Profile, config: ModelConfig): Profile {
  const host = hostOf(config.baseUrl);
  const local = profile.id === 'openai_compatible' && host !== undefined && isLocalHost(host);
  return local ? patchProfile(profile, { local: true }) : profile;
}

function fitModel(profile: Profile, config: ModelConfig, row: ModelRow | undefined): Profile {
  const seesNothing =
    config.images === false || (config.images === undefined && row?.images === false);
  const breakpoints = profile.id === 'openrouter' && config.model.startsWith('anthropic/');
  return patchProfile(profile, {
    ...(seesNothing ? { images: { input: false } } : {}),
    ...(breakpoints ? { cache: { kind: 'breakpoints' } } : {}),
    ...(config.textToolCalls === undefined
      ? {}
      : { textCalls: config.textToolCalls as Profile['textCalls'] }),
    reasoning: {
      style: styleOf(profile, row),
      ...(row?.efforts === undefined ? {} : { efforts: row.efforts }),
    },
  });
}

/** How this very model is asked to reason; what the table does not know is left as the profile says. */
function styleOf(profile: Profile, row: ModelRow | undefined): ReasoningStyle {
  const { style } = profile.reasoning;
  if (row?.reasoning === 'none') return 'none';
  if (style === 'anthropic_adaptive' && row?.reasoning === 'budget') return 'anthropic_budget';
  return style;
}
