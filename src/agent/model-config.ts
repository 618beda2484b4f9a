import type { ResolvedModel } from '../config/types.ts';
import { ConfigError } from '../errors.ts';
import type {
  JsonObject,
  ModelConfig,
  ModelPrices,
  PriceTier,
  ReasoningEffort,
} from '../llm/types.ts';

/** The configuration's names of one model and endpoint, in the words of the model layer. */
export function modelConfigOf(resolved: ResolvedModel): ModelConfig {
  const { entry, endpoint } = resolved;
  const headers = { ...endpoint.headers, ...entry.extra_headers };
  return {
    provider: resolved.provider,
    model: resolved.model,
    ...given({
      baseUrl: resolved.base_url ?? undefined,
      apiKey: resolved.api_key ?? undefined,
      api: entry.api ?? endpoint.api,
      apiVersion: endpoint.api_version,
      profile: entry.profile ?? endpoint.profile,
      quirks: entry.quirks as JsonObject | undefined,
      headers: Object.keys(headers).length === 0 ? undefined : headers,
      extraBody: entry.extra_body as JsonObject | undefined,
      sampling: samplingOf(resolved),
      maxTokens: entry.max_tokens,
      maxCompletionTokens: entry.max_completion_tokens,
      parallelToolCalls: entry.parallel_tool_calls,
      maxRetries: entry.max_retries,
      contextWindow: entry.context_window,
      outputLimit: entry.output_limit,
      reasoning: reasoningOf(resolved),
      cache: entry.cache,
      images: entry.images,
      textToolCalls: entry.text_tool_calls,
      timeouts: entry.timeouts,
      retry: entry.retry,
      prices: pricesOf(resolved),
      proxy: endpoint.proxy,
      caFile: endpoint.ca_file,
    }),
  };
}

/** The members that have a value. */
function given<T extends object>(members: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const present = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as { [K in keyof T]: Exclude<T[K], undefined> };
}

function samplingOf({ entry }: ResolvedModel): ModelConfig['sampling'] {
  const sampling = given({
    temperature: entry.temperature,
    topP: entry.top_p,
    topK: entry.top_k,
    seed: entry.seed,
    stop: entry.stop_sequences,
    presencePenalty: entry.presence_penalty,
    frequencyPenalty: entry.frequency_penalty,
  });
  return Object.keys(sampling).length === 0 ? undefined : sampling;
}

function reasoningOf({ entry }: ResolvedModel): ModelConfig['reasoning'] {
  if (entry.reasoning === undefined) return undefined;
  return given({
    effort: entry.reasoning.effort as ReasoningEffort | undefined,
    budgetTokens: entry.reasoning.budget_tokens,
    summary: entry.reasoning.summary,
  });
}

const PRICE_NAMES = ['input', 'output', 'cache_read', 'cache_write', 'cache_write_1h'] as const;

function pricesOf({ entry, key }: ResolvedModel): ModelPrices | undefined {
  const { prices } = entry;
  if (prices === undefined) return undefined;
  const numbers = Object.fromEntries(
    PRICE_NAMES.flatMap((name) => {
      const value = prices[name];
      return typeof value === 'number' ? [[name, value]] : [];
    }),
  );
  const { input, output } = numbers;
  if (input === undefined || output === undefined)
    throw new ConfigError(
      `models.${key}.prices needs "input" and "output" in USD per million tokens.`,
      {
        key: `models.${key}.prices`,
      },
    );
  const tiers = Array.isArray(prices.tiers) ? { tiers: prices.tiers as PriceTier[] } : {};
  return { ...numbers, input, output, ...tiers };
}
