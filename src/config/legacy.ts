/** The JSON configuration of early trae-agent versions, read as the present sections. */
import { ConfigError } from '../errors.ts';
import { nearest } from '../nearest-name.ts';
import type { DocumentPath, ParsedDocument } from './document.ts';

const TOP_KEYS = [
  'default_provider',
  'max_steps',
  'model_providers',
  'enable_lakeview',
  'lakeview_config',
  'mcp_servers',
  'allow_mcp_servers',
] as const;

const PROVIDER_KEYS = ['api_key', 'base_url', 'api_version'] as const;
const MODEL_KEYS = [
  'model',
  'max_tokens',
  'temperature',
  'top_p',
  'top_k',
  'parallel_tool_calls',
  'max_retries',
  'supports_tool_calling',
  'candidate_count',
  'stop_sequences',
] as const;
const LAKEVIEW_KEYS = ['model_provider', 'model_name'] as const;
const LAKEVIEW_MODEL = 'lakeview';

type Section = Readonly<Record<string, unknown>>;

function isSection(value: unknown): value is Section {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for a .json file in the old form: one model in each provider, settings of the agent at the top. */
export function isLegacy(document: ParsedDocument): boolean {
  const { value } = document;
  if (!document.file.endsWith('.json') || !isSection(value)) return false;
  const oldTop = ['default_provider', 'max_steps', 'enable_lakeview', 'lakeview_config'];
  if (oldTop.some((key) => key in value)) return true;
  const providers = value.model_providers;
  return isSection(providers) && Object.values(providers).some((p) => isSection(p) && 'model' in p);
}

/** The same file in the present form; lines lead to the old places. Throws ConfigError for unknown keys. */
export function convertLegacy(document: ParsedDocument): ParsedDocument {
  const old = document.value as Section;
  checkNames(document, old, [], TOP_KEYS);
  const origins = new Map<string, DocumentPath>();
  const value = {
    agents: { coding: readAgent(old, origins) },
    ...readProviders(document, old, origins),
    ...readLakeview(document, old, origins),
    mcp_servers: old.mcp_servers,
    allow_mcp_servers: old.allow_mcp_servers,
  };
  return {
    file: document.file,
    value: addLakeviewModel(old, value),
    lineOf: (path) => document.lineOf(originOf(path, origins)),
  };
}

/** The longest converted prefix of a path decides; the rest of the path is the same in both forms. */
function originOf(path: DocumentPath, origins: ReadonlyMap<string, DocumentPath>): DocumentPath {
  for (let length = path.length; length > 0; length--) {
    const origin = origins.get(path.slice(0, length).join('.'));
    if (origin !== undefined) return [...origin, ...path.slice(length)];
  }
  return path;
}

function readAgent(old: Section, origins: Map<string, DocumentPath>): Section {
  origins.set('agents.coding.model', ['default_provider']);
  origins.set('agents.coding.max_steps', ['max_steps']);
  origins.set('agents.coding.enable_lakeview', ['enable_lakeview']);
  return {
    model: old.default_provider,
    max_steps: old.max_steps,
    enable_lakeview: old.enable_lakeview,
  };
}

function readProviders(
  document: ParsedDocument,
  old: Section,
  origins: Map<string, DocumentPath>,
): { models: Section; model_providers: Section } {
  const models: Record<string, unknown> = {};
  const providers: Record<string, unknown> = {};
  const given = old.model_providers;
  for (const [name, entry] of Object.entries(isSection(given) ? given : {})) {
    const path = ['model_providers', name];
    if (!isSection(entry)) throw fault(document, path, 'must be a section with keys of its own');
    checkNames(document, entry, path, [...PROVIDER_KEYS, ...MODEL_KEYS]);
    providers[name] = { provider: name, ...pick(entry, PROVIDER_KEYS) };
    models[name] = { model_provider: name, ...pick(entry, MODEL_KEYS) };
    origins.set(`models.${name}`, path);
  }
  return { models, model_providers: providers };
}

function readLakeview(
  document: ParsedDocument,
  old: Section,
  origins: Map<string, DocumentPath>,
): { lakeview?: Section } {
  const given = old.lakeview_config;
  if (!isSection(given)) return {};
  checkNames(document, given, ['lakeview_config'], LAKEVIEW_KEYS);
  origins.set('lakeview', ['lakeview_config']);
  origins.set(`models.${LAKEVIEW_MODEL}.model`, ['lakeview_config', 'model_name']);
  origins.set(`models.${LAKEVIEW_MODEL}.model_provider`, ['lakeview_config', 'model_provider']);
  return { lakeview: { model: LAKEVIEW_MODEL } };
}

function addLakeviewModel<T extends { models: Section }>(old: Section, value: T): T {
  const given = old.lakeview_config;
  if (!isSection(given)) return value;
  const model = { model: given.model_name, model_provider: given.model_provider };
  return { ...value, models: { ...value.models, [LAKEVIEW_MODEL]: model } };
}

function pick(entry: Section, names: readonly string[]): Section {
  return Object.fromEntries(names.filter((name) => name in entry).map((n) => [n, entry[n]]));
}

function checkNames(
  document: ParsedDocument,
  section: Section,
  path: readonly string[],
  known: readonly string[],
): void {
  const unknown = Object.keys(section).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const near = [...path, nearest(unknown, known)].join('.');
  throw fault(
    document,
    [...path, unknown],
    `is an unknown key; the nearest known key is "${near}"`,
    near,
  );
}

function fault(
  document: ParsedDocument,
  path: readonly string[],
  what: string,
  near?: string,
): ConfigError {
  const line = document.lineOf(path);
  const key = path.join('.');
  return new ConfigError(`${document.file}${line === null ? '' : `:${line}`}: "${key}" ${what}.`, {
    file: document.file,
    line,
    key,
    ...(near === undefined ? {} : { nearest: near }),
  });
}
