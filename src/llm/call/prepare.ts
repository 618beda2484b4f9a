/** Makes the bytes of one attempt. */
import { hash } from 'node:crypto';
import type { Codec, WireWarning } from '../codecs/codec.ts';
import { requestHeaders, requestUrl } from '../endpoint.ts';
import { adaptProfile, adaptRequest } from '../failures/adaptations.ts';
import { removeImages } from '../failures/remove-images.ts';
import { normaliseHistory } from '../normalise.ts';
import type { Profile } from '../profile-types.ts';
import { withProtocol } from '../profiles/choose.ts';
import { profileNamed } from '../profiles/table.ts';
import { replayKeyOf, type Target } from '../target.ts';
import type { LLMRequest, Protocol } from '../types.ts';
import type { ClientContext } from './context.ts';

export interface PreparedAttempt {
  readonly request: LLMRequest;
  readonly profile: Profile;
  readonly replayKey: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly sha256: string;
  readonly sentLimit: number | null;
  readonly warnings: readonly WireWarning[];
}

/** Adapted targets are kept, because encoded messages are kept beside their profile object. */
const adapted = new WeakMap<Target, Map<string, Target>>();

export function adaptedTarget(target: Target, made: ReadonlySet<string>): Target {
  if (made.size === 0) return target;
  const key = [...made].sort().join(' ');
  const known = adapted.get(target)?.get(key);
  if (known !== undefined) return known;
  const base = made.has('api:chat') ? chatProfile(target.profile) : target.profile;
  const result = { ...target, profile: adaptProfile(base, made) };
  const perTarget = adapted.get(target) ?? new Map<string, Target>();
  adapted.set(target, perTarget.set(key, result));
  return result;
}

function chatProfile(profile: Profile): Profile {
  return profileNamed(`${profile.id}_chat`) ?? withProtocol(profile, 'chat');
}

export function protocolOf(target: Target, made: ReadonlySet<string>): Protocol {
  return made.has('api:chat') ? 'chat' : target.profile.protocol;
}

export function prepareAttempt(
  context: ClientContext,
  asked: LLMRequest,
  codec: Codec,
  made: ReadonlySet<string>,
): PreparedAttempt {
  const target = adaptedTarget(context.target, made);
  const { profile } = target;
  const request = withDefaults(withoutRefusedImages(adaptRequest(asked, made), made), context);
  const replayKey = replayKeyOf(target);
  const history = normaliseHistory({
    messages: request.messages,
    profile,
    tools: request.tools,
    replayKey,
    protocol: profile.protocol,
    toolChoice: request.toolChoice ?? 'auto',
  });
  const sentLimit = request.maxOutputTokens ?? target.outputLimit;
  const encoded = codec.encode({
    request,
    history,
    profile,
    model: target.model,
    outputLimit: sentLimit,
    modelFacts: target.facts,
  });
  return {
    request,
    profile,
    replayKey,
    url: requestUrl(target, context.config.apiVersion),
    headers: requestHeaders(target, context.config),
    body: encoded.body,
    sha256: hash('sha256', encoded.body, 'hex'),
    sentLimit,
    warnings: [...history.warnings, ...encoded.warnings],
  };
}

function withoutRefusedImages(request: LLMRequest, made: ReadonlySet<string>): LLMRequest {
  if (made.has('images:all')) return removeImages(request, 'all');
  if (made.has('images:older')) return removeImages(request, 'older');
  return made.has('images:newest') ? removeImages(request, 'newest') : request;
}

/** What the configuration says wherever the request says nothing. */
function withDefaults(request: LLMRequest, { config }: ClientContext): LLMRequest {
  const sampling = { ...config.sampling, ...request.sampling };
  const reasoning = request.reasoning ?? config.reasoning;
  const parallel = request.parallelToolCalls ?? config.parallelToolCalls;
  const extra = { ...config.extraBody, ...request.extraBody };
  return {
    ...request,
    ...(Object.keys(sampling).length === 0 ? {} : { sampling }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(parallel === undefined ? {} : { parallelToolCalls: parallel }),
    ...(Object.keys(extra).length === 0 ? {} : { extraBody: extra }),
    ...(config.cache === undefined || request.cache === undefined
      ? {}
      : { cache: { ...request.cache, retention: config.cache } }),
  };
}
