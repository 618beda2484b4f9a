import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createModelClient } from './client.ts';
import { costOf } from './cost.ts';
import { requestHeaders, requestUrl } from './endpoint.ts';
import { listPrices, modelRow } from './models/lookup.ts';
import { isLocalHost } from './profiles/hosts.ts';
import { resolveTarget } from './target.ts';
import { proxyFor } from './transport/proxy.ts';
import type { ModelConfig, ReportedUsage } from './types.ts';
import { VERSION } from './version.ts';

const target = (config: Partial<ModelConfig>) =>
  resolveTarget({ provider: 'openai', model: 'some-model', ...config }, undefined);
const url = (config: Partial<ModelConfig>) => requestUrl(target(config), config.apiVersion);

describe('endpoints', () => {
  it.each([
    [{}, 'https://api.openai.com/v1/responses'],
    [{ api: 'chat' }, 'https://api.openai.com/v1/chat/completions'],
    [{ provider: 'anthropic' }, 'https://api.anthropic.com/v1/messages'],
    [{ provider: 'anthropic', baseUrl: 'https://x.test/v1/' }, 'https://x.test/v1/messages'],
    [{ provider: 'deepseek' }, 'https://api.deepseek.com/chat/completions'],
    [
      { provider: 'azure', baseUrl: 'https://r.openai.azure.com/openai/v1' },
      'https://r.openai.azure.com/openai/v1/responses',
    ],
    [
      {
        provider: 'azure',
        api: 'chat',
        model: 'dep',
        baseUrl: 'https://r.openai.azure.com',
        apiVersion: '2024-10-21',
      },
      'https://r.openai.azure.com/openai/deployments/dep/chat/completions?api-version=2024-10-21',
    ],
    [{ provider: 'vendor-x', baseUrl: 'https://x.test/v1' }, 'https://x.test/v1/chat/completions'],
  ] as [Partial<ModelConfig>, string][])('%j', (config, expected) => {
    expect(url(config)).toBe(expected);
  });

  it('keys go where the vendor wants them', () => {
    const headers = (config: ModelConfig) =>
      requestHeaders(resolveTarget(config, undefined), config);
    const base = { model: 'm', apiKey: 'k', baseUrl: 'https://x.test' };
    expect(headers({ ...base, provider: 'openai' })).toMatchObject({ authorization: 'Bearer k' });
    expect(headers({ ...base, provider: 'azure' })).toMatchObject({ 'api-key': 'k' });
    expect(headers({ ...base, provider: 'anthropic' })).toMatchObject({
      'x-api-key': 'k',
      'anthropic-version': '2023-06-01',
    });
    expect(headers({ ...base, provider: 'openai' })['user-agent']).toBe(`toolwright/${VERSION}`);
  });

  it('the version is the package version', () => {
    const file = new URL('../../package.json', import.meta.url);
    expect(JSON.parse(readFileSync(file, 'utf8')).version).toBe(VERSION);
  });
});

describe('profiles', () => {
  it.each([
    [{ provider: 'openai' }, 'openai', false],
    [{ provider: 'openai', api: 'chat' }, 'openai_chat', false],
    [{ provider: 'openai_compatible', baseUrl: 'https://api.deepseek.com/v1' }, 'deepseek', false],
    [{ provider: 'openai', baseUrl: 'https://api.moonshot.cn/v1' }, 'moonshot', false],
    [
      { provider: 'openai_compatible', baseUrl: 'http://localhost:8000/v1' },
      'openai_compatible',
      true,
    ],
    [
      { provider: 'openai_compatible', baseUrl: 'http://localhost:8000/v1', profile: 'litellm' },
      'litellm',
      false,
    ],
    [
      { provider: 'openai_compatible', baseUrl: 'https://gpu.example.com', profile: 'vllm' },
      'vllm',
      true,
    ],
    [{ provider: 'mistral', baseUrl: 'https://proxy.example.com' }, 'mistral', false],
  ] as [Partial<ModelConfig>, string, boolean][])('%j', (config, id, local) => {
    expect(target(config).profile).toMatchObject({ id, local });
  });

  it('refuses an unknown profile and a missing base URL, naming the remedy', () => {
    expect(() => target({ provider: 'openai_compatible' })).toThrow(/base_url/);
    expect(() => target({ profile: 'nope' })).toThrow(/known: openai/);
    expect(() => target({ baseUrl: 'ftp://x' })).toThrow(/http/);
  });

  it.each([
    ['localhost', true],
    ['127.0.0.1', true],
    ['[::1]', true],
    ['192.168.1.5', true],
    ['172.20.0.1', true],
    ['172.32.0.1', false],
    ['fd00::1', true],
    ['gpu-box', true],
    ['api.openai.com', false],
    ['8.8.8.8', false],
  ])('%s is local: %s', (host, local) => {
    expect(isLocalHost(host)).toBe(local);
  });
});

describe('limits and prices', () => {
  it('come from the configuration, else the table, else an assumption', () => {
    const client = (config: Partial<ModelConfig>) =>
      createModelClient({ provider: 'anthropic', model: 'claude-opus-4-5', ...config });
    expect(client({})).toMatchObject({
      contextWindow: 200_000,
      windowKnown: true,
      outputLimit: 32_000,
    });
    expect(client({ maxTokens: 100, maxCompletionTokens: 200 }).outputLimit).toBe(200);
    expect(client({ model: 'unheard-of' })).toMatchObject({
      contextWindow: 128_000,
      windowKnown: false,
      outputLimit: 8192,
      prices: null,
    });
    const local = client({
      provider: 'openai_compatible',
      baseUrl: 'http://127.0.0.1:1',
      model: 'gpt-4o',
    });
    expect(local).toMatchObject({ contextWindow: 32_768, windowKnown: false, outputLimit: null });
    expect(local.prices).toMatchObject({ input: 0, output: 0 });
  });

  it('a dated id finds its row, a newer version does not', () => {
    expect(modelRow('claude-sonnet-4-5-20250929')?.id).toBe('claude-sonnet-4-5');
    expect(modelRow('anthropic/claude-sonnet-4.5')?.id).toBe('claude-sonnet-4-5');
    expect(modelRow('gpt-5-2025-08-07')?.id).toBe('gpt-5');
    expect(listPrices('openai', 'gpt-5.9')).toBeNull();
    expect(listPrices('vllm', 'deepseek-chat')).toBeNull();
  });

  const usage = (more: Partial<ReportedUsage>): ReportedUsage => ({
    input_tokens: 0,
    output_tokens: 0,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    reasoning_tokens: 0,
    estimated: false,
    ...more,
  });
  const prices = { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75, cache_write_1h: 6 };

  it('cached, one-hour, tiered, reported and unknown costs', () => {
    expect(
      costOf(
        usage({ input_tokens: 1000, output_tokens: 100, cache_read_input_tokens: 10_000 }),
        prices,
      ),
    ).toBe(0.0075);
    const hour = { cache_creation: { ephemeral_1h_input_tokens: 600 } };
    expect(costOf(usage({ cache_creation_input_tokens: 1000, raw: hour }), prices)).toBe(0.0051);
    const tiers = [{ above_input_tokens: 200_000, input: 6, output: 22.5 }];
    expect(
      costOf(usage({ input_tokens: 200_001, output_tokens: 1000 }), { ...prices, tiers }),
    ).toBe(1.222506);
    expect(costOf(usage({ input_tokens: 200_000 }), { ...prices, tiers })).toBe(0.6);
    expect(costOf(usage({ input_tokens: 5, cost_usd: 0.0123 }), prices)).toBe(0.0123);
    expect(costOf(usage({ input_tokens: 5 }), null)).toBeNull();
  });
});

describe('proxies', () => {
  const via = (address: string, env: Record<string, string>) =>
    proxyFor(new URL(address), undefined, env)?.host ?? null;
  it.each([
    ['https://a.test', { HTTPS_PROXY: 'http://p:1' }, 'p:1'],
    ['https://a.test', { https_proxy: 'p:1' }, 'p:1'],
    ['http://a.test', { HTTPS_PROXY: 'http://p:1' }, null],
    ['http://a.test', { ALL_PROXY: 'http://p:1' }, 'p:1'],
    ['https://a.test', { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'b.test, .test' }, null],
    ['https://a.test', { HTTPS_PROXY: 'http://p:1', no_proxy: 'a.test:8443' }, 'p:1'],
    ['https://a.test', { HTTPS_PROXY: 'http://p:1', no_proxy: '*' }, null],
    ['http://127.0.0.1:99', { HTTP_PROXY: 'http://p:1' }, null],
  ])('%s with %j goes through %s', (address, env, expected) => {
    expect(via(address, env as Record<string, string>)).toBe(expected);
  });

  it('a SOCKS proxy is a configuration error', () => {
    expect(() => via('https://a.test', { ALL_PROXY: 'socks5://p:1' })).toThrow(/http and https/);
  });
});
