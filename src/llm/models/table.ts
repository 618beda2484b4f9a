/**
 * Public models as data. A row counts for an id that equals `id` or goes on with `-`, `:` or `@` after it; a row
 * that ends with `.` or `-` stands for a whole family. The longest row wins. What is not known is absent.
 * Prices are list prices in USD per million tokens at the date `asOf`.
 */
import type { ModelPrices } from '../types.ts';

export interface ModelRow {
  readonly id: string;
  /** Providers the prices hold for. */
  readonly providers?: readonly string[];
  readonly window?: number;
  readonly output?: number;
  readonly images?: boolean;
  readonly reasoning?: 'none' | 'effort' | 'budget' | 'adaptive';
  readonly efforts?: readonly string[];
  /** False: temperature, top_p and the like are refused. */
  readonly sampling?: boolean;
  /** Anthropic: answers can be bound to a schema. */
  readonly outputConfig?: boolean;
  readonly prices?: ModelPrices;
  readonly asOf?: string;
}

const OPENAI = ['openai', 'azure', 'openrouter'];
const ANTHROPIC = ['anthropic', 'openrouter'];

/** Prices in the order input, output, cache read, cache write, one-hour cache write. */
function price(
  input: number,
  output: number,
  read?: number,
  write?: number,
  hour?: number,
): ModelPrices {
  return {
    input,
    output,
    ...(read === undefined ? {} : { cache_read: read }),
    ...(write === undefined ? {} : { cache_write: write }),
    ...(hour === undefined ? {} : { cache_write_1h: hour }),
  };
}

/** Anthropic derives its cache prices from the input price. */
function claude(input: number, output: number): ModelPrices {
  return price(input, output, input * 0.1, input * 1.25, input * 2);
}

function openai(
  id: string,
  window: number,
  output: number,
  prices: ModelPrices | null,
  more: Partial<ModelRow> = {},
): ModelRow {
  return {
    id,
    window,
    output,
    images: true,
    reasoning: 'none',
    ...(prices === null ? {} : { providers: OPENAI, prices, asOf: '2025-12' }),
    ...more,
  };
}

const EFFORT = { reasoning: 'effort', sampling: false } as const;
const GPT5 = { ...EFFORT, efforts: ['minimal', 'low', 'medium', 'high'] } as const;
const GPT51 = { ...EFFORT, efforts: ['none', 'low', 'medium', 'high'] } as const;
const GPT52 = { ...EFFORT, efforts: ['none', 'low', 'medium', 'high', 'xhigh'] } as const;
const O_SERIES = { ...EFFORT, efforts: ['low', 'medium', 'high'] } as const;

function anthropic(
  id: string,
  output: number,
  prices: ModelPrices | null,
  more: Partial<ModelRow> = {},
): ModelRow {
  return {
    id,
    window: 200_000,
    output,
    images: true,
    reasoning: 'budget',
    ...(prices === null ? {} : { providers: ANTHROPIC, prices, asOf: '2026-02' }),
    ...more,
  };
}

function vendor(
  provider: string,
  id: string,
  window: number,
  output: number | undefined,
  prices: ModelPrices | null = null,
  more: Partial<ModelRow> = {},
): ModelRow {
  return {
    id,
    window,
    images: false,
    ...(output === undefined ? {} : { output }),
    ...(prices === null ? {} : { providers: [provider], prices, asOf: '2025-12' }),
    ...more,
  };
}

const SCHEMA = { outputConfig: true } as const;
const ADAPTIVE = { reasoning: 'adaptive', outputConfig: true } as const;
const SEEING = { images: true } as const;
/** The model reasons also when it is not asked to. */
const REASONS = { reasoning: 'effort' } as const;

export function modelRows(): readonly ModelRow[] {
  return [...openaiRows(), ...anthropicRows(), ...googleRows(), ...chineseRows(), ...mistralRows()];
}

function openaiRows(): ModelRow[] {
  return [
    openai('gpt-3.5-turbo', 16_385, 4096, price(0.5, 1.5), { images: false }),
    openai('gpt-4-turbo', 128_000, 4096, price(10, 30)),
    openai('gpt-4o', 128_000, 16_384, price(2.5, 10, 1.25)),
    openai('gpt-4o-mini', 128_000, 16_384, price(0.15, 0.6, 0.075)),
    openai('chatgpt-4o', 128_000, 16_384, price(5, 15)),
    openai('gpt-4.1', 1_047_576, 32_768, price(2, 8, 0.5)),
    openai('gpt-4.1-mini', 1_047_576, 32_768, price(0.4, 1.6, 0.1)),
    openai('gpt-4.1-nano', 1_047_576, 32_768, price(0.1, 0.4, 0.025)),
    openai('o1', 200_000, 100_000, price(15, 60, 7.5), O_SERIES),
    openai('o3', 200_000, 100_000, price(2, 8, 0.5), O_SERIES),
    openai('o3-mini', 200_000, 100_000, price(1.1, 4.4, 0.55), { ...O_SERIES, images: false }),
    openai('o3-pro', 200_000, 100_000, price(20, 80), O_SERIES),
    openai('o4-mini', 200_000, 100_000, price(1.1, 4.4, 0.275), O_SERIES),
    openai('gpt-5', 400_000, 128_000, price(1.25, 10, 0.125), GPT5),
    openai('gpt-5-mini', 400_000, 128_000, price(0.25, 2, 0.025), GPT5),
    openai('gpt-5-nano', 400_000, 128_000, price(0.05, 0.4, 0.005), GPT5),
    openai('gpt-5-pro', 400_000, 272_000, price(15, 120), { ...EFFORT, efforts: ['high'] }),
    openai('gpt-5-chat', 128_000, 16_384, price(1.25, 10, 0.125)),
    openai('gpt-5-codex', 400_000, 128_000, price(1.25, 10, 0.125), O_SERIES),
    openai('gpt-5.1', 400_000, 128_000, price(1.25, 10, 0.125), GPT51),
    openai('gpt-5.1-chat', 128_000, 16_384, price(1.25, 10, 0.125)),
    openai('gpt-5.1-codex', 400_000, 128_000, price(1.25, 10, 0.125), O_SERIES),
    openai('gpt-5.1-codex-mini', 400_000, 128_000, price(0.25, 2, 0.025), O_SERIES),
    openai('gpt-5.1-codex-max', 400_000, 128_000, price(1.25, 10, 0.125), GPT52),
    openai('gpt-5.2', 400_000, 128_000, price(1.75, 14, 0.175), GPT52),
    { id: 'gpt-5.', images: true, ...GPT52 },
  ];
}

function anthropicRows(): ModelRow[] {
  return [
    anthropic('claude-3-haiku', 4096, claude(0.25, 1.25), { reasoning: 'none' }),
    anthropic('claude-3-5-haiku', 8192, claude(0.8, 4), { reasoning: 'none' }),
    anthropic('claude-3-5-sonnet', 8192, claude(3, 15), { reasoning: 'none' }),
    anthropic('claude-3-7-sonnet', 64_000, claude(3, 15)),
    anthropic('claude-opus-4', 32_000, claude(15, 75)),
    anthropic('claude-opus-4-1', 32_000, claude(15, 75), SCHEMA),
    anthropic('claude-opus-4-5', 64_000, claude(5, 25), SCHEMA),
    anthropic('claude-opus-4-6', 128_000, claude(5, 25), ADAPTIVE),
    anthropic('claude-sonnet-4', 64_000, claude(3, 15)),
    anthropic('claude-sonnet-4-5', 64_000, claude(3, 15), SCHEMA),
    anthropic('claude-sonnet-4-6', 64_000, claude(3, 15), ADAPTIVE),
    anthropic('claude-haiku-4-5', 64_000, claude(1, 5), SCHEMA),
    { id: 'claude-opus-4-', images: true, ...ADAPTIVE },
    { id: 'claude-', window: 200_000, images: true, ...ADAPTIVE },
  ];
}

function googleRows(): ModelRow[] {
  return [
    vendor(
      'google',
      'gemini-2.5-pro',
      1_048_576,
      65_536,
      {
        ...price(1.25, 10, 0.125),
        tiers: [{ above_input_tokens: 200_000, input: 2.5, output: 15, cache_read: 0.25 }],
      },
      SEEING,
    ),
    vendor('google', 'gemini-2.5-flash', 1_048_576, 65_536, price(0.3, 2.5, 0.03), SEEING),
    vendor('google', 'gemini-2.5-flash-lite', 1_048_576, 65_536, price(0.1, 0.4, 0.01), SEEING),
    vendor(
      'google',
      'gemini-3-pro',
      1_048_576,
      65_536,
      {
        ...price(2, 12, 0.2),
        tiers: [{ above_input_tokens: 200_000, input: 4, output: 18, cache_read: 0.4 }],
      },
      SEEING,
    ),
  ];
}

function chineseRows(): ModelRow[] {
  return [
    vendor('deepseek', 'deepseek-chat', 128_000, 8192, price(0.28, 0.42, 0.028)),
    vendor('deepseek', 'deepseek-reasoner', 128_000, 65_536, price(0.28, 0.42, 0.028), REASONS),
    vendor('moonshot', 'kimi-k2', 262_144, undefined, price(0.6, 2.5, 0.15)),
    vendor('moonshot', 'kimi-k2-turbo', 262_144, undefined, price(1.15, 8, 0.15)),
    vendor('moonshot', 'kimi-k2-thinking', 262_144, undefined, price(0.6, 2.5, 0.15), REASONS),
    vendor('moonshot', 'kimi-k2-thinking-turbo', 262_144, undefined, price(1.15, 8, 0.15), REASONS),
    vendor('moonshot', 'kimi-k2.5', 262_144, undefined, price(0.6, 3, 0.1), {
      ...SEEING,
      ...REASONS,
    }),
    vendor('qwen', 'qwen3-max', 262_144, 65_536),
    vendor('qwen', 'qwen-plus', 1_000_000, 32_768),
    vendor('qwen', 'qwen-flash', 1_000_000, 32_768),
    vendor('qwen', 'qwen3-coder-plus', 1_000_000, 65_536),
    vendor('qwen', 'qwen3-coder-flash', 1_000_000, 65_536),
    vendor('qwen', 'qwen3-vl-plus', 262_144, 32_768, null, SEEING),
    vendor('zhipu', 'glm-4.5', 131_072, 98_304),
    vendor('zhipu', 'glm-4.5-air', 131_072, 98_304),
    vendor('zhipu', 'glm-4.5v', 65_536, 16_384, null, SEEING),
    vendor('zhipu', 'glm-4.6', 204_800, 131_072),
    vendor('zhipu', 'glm-4.7', 204_800, 131_072),
    vendor('doubao', 'doubao-seed-1-6', 262_144, 32_768, null, SEEING),
    vendor('doubao', 'doubao-seed-code', 262_144, 32_768, null, SEEING),
  ];
}

function mistralRows(): ModelRow[] {
  return [
    vendor('mistral', 'mistral-large-2411', 131_072, undefined, price(2, 6)),
    vendor('mistral', 'mistral-large', 262_144, undefined, price(0.5, 1.5), SEEING),
    vendor('mistral', 'mistral-medium', 131_072, undefined, price(0.4, 2), SEEING),
    vendor('mistral', 'mistral-small', 131_072, undefined, price(0.1, 0.3), SEEING),
    vendor('mistral', 'codestral', 256_000, undefined, price(0.3, 0.9)),
    vendor('mistral', 'devstral-medium', 131_072, undefined, price(0.4, 2)),
    vendor('mistral', 'devstral-small', 131_072, undefined, price(0.1, 0.3)),
    vendor('mistral', 'magistral-medium', 131_072, undefined, price(2, 5), SEEING),
    vendor('mistral', 'magistral-small', 131_072, undefined, price(0.5, 1.5), SEEING),
  ];
}
