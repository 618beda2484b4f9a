import { describe, expect, it } from 'vitest';
import type { ResolvedModel } from '../../config/types.ts';
import { createRedactor } from '../../session/redact.ts';
import { openModel } from './session-model.ts';

const hooks = {
  redactor: createRedactor(),
  place: () => ({ workspace: '/w', session: '/s', sessionId: 's', home: '/h', environment: '' }),
  onExchange: null,
  onDivergence: () => undefined,
};

function resolved(baseUrl: string | null, over: Partial<ResolvedModel> = {}): ResolvedModel {
  return {
    key: null,
    provider: 'openai_compatible',
    model: 'm',
    base_url: baseUrl,
    api_key: null,
    api_key_origin: null,
    entry: { model: 'm', model_provider: 'my-vendor' },
    endpoint: {},
    ...over,
  };
}

describe('a model without an API key', () => {
  it('is refused where the address belongs to a vendor that wants one, with variable and key named', () => {
    expect(() => openModel(resolved('https://api.deepseek.com/v1'), hooks)).toThrow(
      /provider "my-vendor", and deepseek wants one: set MY_VENDOR_API_KEY, or model_providers\.my-vendor\.api_key/,
    );
    const withKey = resolved('https://api.deepseek.com/v1', { api_key: 'sk-0123456789' });
    expect(openModel(withKey, hooks).client.model).toBe('m');
  });

  it.each(['http://127.0.0.1:8000/v1', 'https://models.example.org/v1'])(
    'is fine at %s',
    (address) => {
      expect(openModel(resolved(address), hooks).client.model).toBe('m');
    },
  );

  it('is fine for a server of one’s own that speaks a vendor’s protocol', () => {
    const local = resolved('http://localhost:11434', { provider: 'ollama' });
    expect(openModel(local, hooks).client.provider).toBe('ollama');
  });
});
