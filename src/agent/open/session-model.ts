import { keyVariables } from '../../config/providers.ts';
import type { LoadedConfig, ResolvedModel } from '../../config/types.ts';
import { ConfigError } from '../../errors.ts';
import { createModelClient } from '../../llm/client.ts';
import { replayTransport } from '../../llm/replay-transport.ts';
import { resolveTarget } from '../../llm/target.ts';
import type { Exchange, ModelClient, ModelConfig, Transport } from '../../llm/types.ts';
import { newCallId } from '../../session/ids.ts';
import { createReplaySource, readRecording } from '../../session/recording/replay-source.ts';
import type { RecordingPlace } from '../../session/recording/types.ts';
import type { Redactor } from '../../session/types.ts';
import { modelConfigOf } from '../model-config.ts';

/** A model that can be asked, with what the configuration says about it. */
export interface SessionModel {
  readonly client: ModelClient;
  /** Key of `models`, null for one given by flags or by the program itself. */
  readonly key: string | null;
  readonly config: ModelConfig | null;
  /** Set when the model is a recording: the wire it was made with. */
  readonly recorded: Transport['recorded'];
  readonly parallelCalls: boolean;
  readonly cacheRetention: 'none' | 'short' | 'long';
}

export interface ModelHooks {
  readonly redactor: Redactor;
  readonly place: () => RecordingPlace;
  readonly onExchange: ((exchange: Exchange) => void) | null;
  readonly onDivergence: (message: string) => void;
}

/** The client a caller brought along. */
export function givenModel(client: ModelClient): SessionModel {
  return {
    client,
    key: null,
    config: null,
    recorded: undefined,
    parallelCalls: true,
    cacheRetention: 'short',
  };
}

/** Throws ConfigError for what cannot be reached with this configuration. */
export function openModel(resolved: ResolvedModel, hooks: ModelHooks): SessionModel {
  const config = modelConfigOf(resolved);
  const transport = resolved.provider === 'replay' ? replayOf(resolved, hooks) : undefined;
  checkKey(resolved);
  const client = createModelClient(config, {
    newCallId,
    ...(transport === undefined ? {} : { transport }),
    ...(hooks.onExchange === null ? {} : { onExchange: hooks.onExchange }),
  });
  return {
    client,
    key: resolved.key,
    config,
    recorded: transport?.recorded,
    parallelCalls: resolved.entry.parallel_tool_calls !== false,
    cacheRetention: resolved.entry.cache ?? 'short',
  };
}

/**
 * The address may belong to a vendor that wants a key though the provider's name does not say so. Throws ConfigError
 * when there is none.
 */
function checkKey(resolved: ResolvedModel): void {
  if (resolved.provider === 'replay') return;
  const config = modelConfigOf(resolved);
  const { profile } = resolveTarget(config, undefined);
  if (!profile.auth.required || config.apiKey) return;
  const named = resolved.entry.model_provider ?? resolved.provider;
  const variables = keyVariables(named);
  throw new ConfigError(
    `No API key for provider "${named}", and ${profile.id} wants one: set ${variables.join(' or ')}, or model_providers.${named}.api_key.`,
    { provider: named, variables },
  );
}

/** The model an id names: an entry of `models` by key, or the model of the kind with another id. */
export function resolveByName(
  config: LoadedConfig,
  agentType: string,
  name: string,
): ResolvedModel {
  const models = config.get('models');
  const known = typeof models === 'object' && models !== null && name in models;
  return known
    ? config.resolveModelEntry(name)
    : { ...config.resolveModel(agentType), key: null, model: name };
}

function replayOf(resolved: ResolvedModel, hooks: ModelHooks) {
  const source = createReplaySource({
    recording: readRecording(resolved.model),
    place: hooks.place,
    redactor: hooks.redactor,
    match: resolved.endpoint.match ?? 'lenient',
    recordedSpeed: resolved.endpoint.speed === 'recorded',
    onDivergence: hooks.onDivergence,
  });
  return replayTransport(source);
}
