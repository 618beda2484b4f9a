/** Changes to a request that a refusal asks for; each is made once and remembered for the endpoint and model. */
import type { Profile } from '../profile-types.ts';
import { patchProfile } from '../profiles/defaults.ts';
import type { LLMErrorInfo, LLMRequest } from '../types.ts';

/** Most changed resends of one call. */
export const MOST_ADAPTATIONS = 3;

/** What was learned about one endpoint and model in this process. */
export type AdaptationMemory = Set<string>;

const memories = new Map<string, AdaptationMemory>();

export function adaptationMemory(baseUrl: string, model: string): AdaptationMemory {
  const key = `${baseUrl} ${model}`;
  const known = memories.get(key) ?? new Set<string>();
  memories.set(key, known);
  return known;
}

export interface AdaptInput {
  readonly error: LLMErrorInfo;
  readonly request: LLMRequest;
  readonly profile: Profile;
  readonly foreignBaseUrl: boolean;
  readonly hasImages: boolean;
  /** Already made for this endpoint or in this call. */
  readonly made: ReadonlySet<string>;
}

const SAMPLING = [
  'temperature',
  'top_p',
  'top_k',
  'seed',
  'stop',
  'presence_penalty',
  'frequency_penalty',
];
const DROPPABLE = [
  ...SAMPLING,
  'stream_options',
  'parallel_tool_calls',
  'prompt_cache_key',
  'store',
  'strict',
];
const REFUSAL =
  /unsupported|not supported|does not support|doesn't support|unrecognized|unknown|unexpected|not permitted|not allowed|invalid|extra inputs|extra fields|cannot|must be|only .* supported|deprecated|not available|not accept/i;

/** The name of the change that answers the refusal, or undefined when none fits or it was made before. */
export function chooseAdaptation(input: AdaptInput): string | undefined {
  const { error } = input;
  if (error.status === 404 || error.status === 405) return fresh(apiAdaptation(input), input);
  const images = error.status === 413 || error.status === 400 || error.status === 422;
  if (error.kind !== 'bad_request' || !images) return undefined;
  const text = `${error.message} ${error.param ?? ''}`;
  const candidates = [
    ...tokenField(text, input.profile),
    ...droppedParams(text, error.param, input),
    ...developerRole(text, input.profile),
    ...toolChoice(text, input.request, input.profile),
    ...schemas(text, input.profile, input.request),
    ...imageRemoval(text, input),
  ];
  return candidates.find((name) => fresh(name, input) !== undefined);
}

function fresh(name: string | undefined, { made }: AdaptInput): string | undefined {
  return name === undefined || made.has(name) ? undefined : name;
}

/** A foreign server that has no `/responses` speaks Chat. */
function apiAdaptation({ profile, foreignBaseUrl, error }: AdaptInput): string | undefined {
  const noModel =
    /model/i.test(error.code ?? '') || /model .*(not exist|not found)/i.test(error.message);
  return profile.protocol === 'responses' && foreignBaseUrl && !noModel ? 'api:chat' : undefined;
}

function tokenField(text: string, profile: Profile): string[] {
  if (profile.protocol !== 'chat') return [];
  const { tokenField: sent } = profile;
  const other = sent === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
  const names = new RegExp(`\\b${sent}\\b`).test(text);
  const asks = REFUSAL.test(text) && (names || new RegExp(`use '?${other}`, 'i').test(text));
  const aboutValue = /too large|at most|less than or equal|maximum value|greater than/i.test(text);
  return asks && !aboutValue ? [`token_field:${other}`] : [];
}

function droppedParams(text: string, param: string | undefined, { profile }: AdaptInput): string[] {
  if (!REFUSAL.test(text)) return [];
  const bare = param?.replace(/^body\./, '');
  return DROPPABLE.filter((name) => {
    if (profile.dropParams.includes(name)) return false;
    if (bare === name) return true;
    return new RegExp(`(^|[^a-z_])${name}([^a-z_]|$)`).test(text) &&
      !/^(seed|stop|store|strict)$/.test(name)
      ? true
      : new RegExp(`['"\`.]${name}['"\`]`).test(text);
  }).map((name) => `drop:${name}`);
}

function developerRole(text: string, profile: Profile): string[] {
  return profile.systemRole === 'developer' && /developer/i.test(text)
    ? ['system_role:system']
    : [];
}

function toolChoice(text: string, request: LLMRequest, profile: Profile): string[] {
  if (!/tool[_ ]choice/i.test(text)) return [];
  const choice = request.toolChoice ?? 'auto';
  if (choice === 'none') return profile.choiceNone === 'flatten' ? [] : ['choice_none:flatten'];
  return choice === 'auto' ? [] : ['choice:auto'];
}

const SCHEMA_WORDS =
  /grammar|json schema|invalid schema|input_schema|unsupported schema|parameters.*schema|schema.*(?:invalid|unsupported|parse)/i;

/** Portable schemas first, then without the tool the refusal names. */
function schemas(text: string, profile: Profile, request: LLMRequest): string[] {
  if (!SCHEMA_WORDS.test(text)) return [];
  const dialect = profile.schemaDialect === 'portable' ? [] : ['dialect:portable'];
  const named = request.tools.find(
    (tool, index) =>
      text.includes(`'${tool.name}'`) ||
      text.includes(`tools.${index}.`) ||
      text.includes(`tools[${index}]`),
  );
  return named === undefined ? dialect : [...dialect, `without_tool:${named.name}`];
}

function imageRemoval(text: string, { error, hasImages, profile }: AdaptInput): string[] {
  if (!hasImages || !profile.images.input) return [];
  if (error.status === 413) return ['images:older', 'images:all'];
  if (!/image|vision|multimodal/i.test(text)) return [];
  const noVision =
    /not support|unsupported|unknown variant|no endpoints|text.only|does not accept/i.test(text);
  return noVision ? ['images:none'] : ['images:newest', 'images:all'];
}

/** Changes that concern this call's content only and are not remembered for the endpoint. */
export function isForThisCallOnly(name: string): boolean {
  return name.startsWith('images:') && name !== 'images:none';
}

/** The profile with all remembered changes in it. */
export function adaptProfile(profile: Profile, made: ReadonlySet<string>): Profile {
  let adapted = profile;
  for (const name of made) {
    const [what, value = ''] = split(name);
    if (what === 'token_field') adapted = patchProfile(adapted, { tokenField: value });
    if (what === 'drop') adapted = withoutParam(adapted, value);
    if (what === 'system_role') adapted = patchProfile(adapted, { systemRole: 'system' });
    if (what === 'choice_none') adapted = patchProfile(adapted, { choiceNone: 'flatten' });
    if (what === 'dialect')
      adapted = patchProfile(adapted, { schemaDialect: 'portable', strictTools: false });
    if (name === 'images:none') adapted = patchProfile(adapted, { images: { input: false } });
  }
  return adapted;
}

function withoutParam(profile: Profile, name: string): Profile {
  const patched = patchProfile(profile, { dropParams: [...profile.dropParams, name] });
  if (name === 'parallel_tool_calls') return patchProfile(patched, { parallelField: false });
  if (name !== 'strict') return patched;
  const plain =
    profile.schemaDialect === 'openai_strict' ? { schemaDialect: 'plain' as const } : {};
  return patchProfile(patched, { strictTools: false, ...plain });
}

/** The request without what was refused. Untouched messages keep their identity. */
export function adaptRequest(request: LLMRequest, made: ReadonlySet<string>): LLMRequest {
  const without = [...made]
    .filter((name) => name.startsWith('without_tool:'))
    .map((name) => split(name)[1]);
  const tools =
    without.length === 0
      ? request.tools
      : request.tools.filter((tool) => !without.includes(tool.name));
  return {
    ...request,
    tools,
    ...(made.has('choice:auto') && request.toolChoice !== 'none'
      ? { toolChoice: 'auto' as const }
      : {}),
  };
}

function split(name: string): [what: string, value: string] {
  const colon = name.indexOf(':');
  return [name.slice(0, colon), name.slice(colon + 1)];
}
