import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failure, makePlace, type Place } from './testing.ts';

const YAML_SAMPLE = `
agents:
  trae_agent:
    enable_lakeview: true
    model: trae_agent_model
    max_steps: 200
    tools:
      - bash
      - str_replace_based_edit_tool
      - sequentialthinking
      - task_done

allow_mcp_servers:
  - playwright
mcp_servers:
  playwright:
    command: npx
    args:
      - "@playwright/mcp@0.0.27"

lakeview:
  model: lakeview_model

model_providers:
  anthropic:
    api_key: your_anthropic_api_key
    provider: anthropic
  openai:
    api_key: sk-from-file-1234567890
    base_url:
    provider: openai

models:
  trae_agent_model:
    model_provider: anthropic
    model: claude-sonnet-4-20250514
    max_tokens: 4096
    temperature: 0.5
    top_p: 1
    top_k: 0
    max_retries: 10
    parallel_tool_calls: true
  lakeview_model:
    model_provider: openai
    model: gpt-4o
    temperature: 0.5
`;

const JSON_SAMPLE = `{
  "default_provider": "anthropic",
  "max_steps": 20,
  "enable_lakeview": true,
  "lakeview_config": { "model_provider": "openai", "model_name": "gpt-4o-mini" },
  "model_providers": {
    "openai": {
      "api_key": "your_openai_api_key",
      "base_url": "https://api.openai.com/v1",
      "model": "gpt-4o",
      "max_tokens": 128000,
      "temperature": 0.5,
      "top_p": 1,
      "max_retries": 10
    },
    "anthropic": {
      "api_key": "sk-ant-from-file-123456",
      "model": "claude-sonnet-4-20250514",
      "max_tokens": 4096,
      "top_k": 0,
      "parallel_tool_calls": false
    },
    "azure": {
      "api_key": "your_azure_api_key",
      "base_url": "your_azure_base_url",
      "api_version": "2024-03-01-preview",
      "model": "model_name"
    }
  }
}`;

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.remove());

describe('a trae_config.yaml', () => {
  it('loads unchanged when it is named, and sends nothing that is not in it', async () => {
    const file = await place.write('trae_config.yaml', YAML_SAMPLE);
    const env = { TRAE_CONFIG_FILE: file, ANTHROPIC_API_KEY: 'sk-ant-environment' };
    const config = await place.load({ env });
    expect(config.agent('coding')).toEqual(config.agent('trae_agent'));
    expect(config.agent('coding')).toMatchObject({ max_steps: 200, enable_lakeview: true });
    expect(config.agent('coding').tools).toContain('sequentialthinking');
    const model = config.resolveModel('trae_agent');
    expect(model).toMatchObject({
      key: 'trae_agent_model',
      provider: 'anthropic',
      model: 'claude-sonnet-4-20250514',
      base_url: null,
      api_key: 'sk-ant-environment',
      api_key_origin: { scope: 'environment', from: 'ANTHROPIC_API_KEY' },
    });
    expect(model.entry).toEqual({
      model_provider: 'anthropic',
      model: 'claude-sonnet-4-20250514',
      max_tokens: 4096,
      temperature: 0.5,
      top_p: 1,
      top_k: 0,
      max_retries: 10,
      parallel_tool_calls: true,
    });
    expect(config.resolveModelEntry('lakeview_model')).toMatchObject({
      provider: 'openai',
      api_key: 'sk-from-file-1234567890',
      entry: { temperature: 0.5 },
    });
    expect(config.origin('lakeview.model')).toMatchObject({ scope: 'user', line: 22 });
    expect(config.notices).toEqual([]);
  });

  it('says which key is missing when it still holds the placeholder', async () => {
    const file = await place.write('trae_config.yaml', YAML_SAMPLE);
    const config = await place.load({ overrides: { configFile: file } });
    expect(() => config.resolveModel('coding')).toThrow(
      /No API key for provider "anthropic": set ANTHROPIC_API_KEY, or a real key in model_providers\.anthropic\.api_key of .*trae_config\.yaml/,
    );
  });

  it('loads from the working directory after the folder was trusted', async () => {
    await place.write('trae_config.yaml', YAML_SAMPLE);
    const refused = await failure(place.load());
    expect(refused.message).toContain('--config-file');
    expect(refused.message).toContain('toolwright trust');
    expect(refused.message).toContain('trae_config.yaml');
    await place.trust();
    const config = await place.load({ env: { OPENAI_API_KEY: 'sk-environment' } });
    expect(config.origin('models.trae_agent_model.model').scope).toBe('project');
    expect(config.list('allow_mcp_servers')).toEqual(['playwright']);
  });

  it('reads words for booleans as trae does, and merge keys', async () => {
    const file = await place.write('x.yaml', {
      agents: { trae_agent: { enable_lakeview: 'no' } },
      sandbox: { network: 'off' },
    });
    const merged = await place.write(
      'y.yaml',
      'models:\n  a: &base {model: m, model_provider: openai, top_p: 1}\n  b:\n    <<: *base\n    model: n\n',
    );
    const config = await place.load({ overrides: { configFile: file } });
    expect(config.agent('coding').enable_lakeview).toBe(false);
    expect(config.text('sandbox.network')).toBe('off');
    const second = await place.load({ overrides: { configFile: merged } });
    expect(second.get('models.b')).toEqual({ model: 'n', model_provider: 'openai', top_p: 1 });
  });
});

describe('a trae_config.json of early versions', () => {
  it('is read as the present sections', async () => {
    await place.write('trae_config.json', JSON_SAMPLE);
    await place.trust();
    const config = await place.load();
    expect(config.agent('coding')).toEqual({
      model: 'anthropic',
      max_steps: 20,
      enable_lakeview: true,
    });
    expect(config.resolveModel('coding')).toMatchObject({
      model: 'claude-sonnet-4-20250514',
      api_key: 'sk-ant-from-file-123456',
      entry: { max_tokens: 4096, top_k: 0, parallel_tool_calls: false },
    });
    expect(config.get('models.lakeview')).toEqual({
      model: 'gpt-4o-mini',
      model_provider: 'openai',
    });
    expect(config.origin('models.openai.temperature').line).toBe(12);
    expect(config.get('model_providers.azure')).toEqual({
      provider: 'azure',
      api_version: '2024-03-01-preview',
    });
  });

  it('names line and nearest key for a misspelt one', async () => {
    const file = await place.write('old.json', JSON_SAMPLE.replace('"max_steps"', '"max_step"'));
    const error = await failure(place.load({ overrides: { configFile: file } }));
    expect(error.facts).toMatchObject({ file, line: 3, key: 'max_step', nearest: 'max_steps' });
  });
});
