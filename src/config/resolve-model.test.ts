import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makePlace, type Place } from './testing.ts';

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.remove());

const KEY = 'sk-environment-key';

async function resolve(options: Parameters<Place['load']>[0] = {}, type = 'coding') {
  return (await place.load(options)).resolveModel(type);
}

describe('a model from flags and variables alone', () => {
  it.each([
    ['openai', 'OPENAI_API_KEY'],
    ['anthropic', 'ANTHROPIC_API_KEY'],
    ['google', 'GOOGLE_API_KEY'],
    ['google', 'GEMINI_API_KEY'],
    ['doubao', 'DOUBAO_API_KEY'],
    ['doubao', 'ARK_API_KEY'],
    ['qwen', 'DASHSCOPE_API_KEY'],
    ['openrouter', 'OPENROUTER_API_KEY'],
    ['deepseek', 'DEEPSEEK_API_KEY'],
    ['mistral', 'MISTRAL_API_KEY'],
  ])('of %s takes its key from %s', async (provider, variable) => {
    const overrides = { provider, model: 'some-model' };
    const model = await resolve({ overrides, env: { [variable]: KEY } });
    expect(model).toMatchObject({ key: null, provider, model: 'some-model', api_key: KEY });
    expect(model.api_key_origin?.from).toBe(variable);
    await expect(resolve({ overrides })).rejects.toThrow(variable);
  });

  it('needs only an address for a new name, and no key on this machine', async () => {
    const overrides = {
      provider: 'mine',
      model: 'm',
      modelBaseUrl: 'http://127.0.0.1:8000/v1',
    };
    expect(await resolve({ overrides })).toMatchObject({
      provider: 'openai_compatible',
      base_url: 'http://127.0.0.1:8000/v1',
      api_key: null,
    });
    expect(await resolve({ overrides, env: { MINE_API_KEY: KEY } })).toMatchObject({
      api_key: KEY,
    });
    const local = { ...overrides, provider: 'openai' };
    expect(await resolve({ overrides: local })).toMatchObject({
      provider: 'openai',
      api_key: 'local-server-needs-no-key',
    });
  });

  it('takes addresses and site headers from variables', async () => {
    const model = await resolve({
      overrides: { provider: 'openrouter', model: 'a/b' },
      env: {
        OPENROUTER_API_KEY: KEY,
        OPENROUTER_BASE_URL: 'https://proxy.example/v1',
        OPENROUTER_SITE_URL: 'https://me.example',
        OPENROUTER_SITE_NAME: 'Me',
      },
    });
    expect(model.base_url).toBe('https://proxy.example/v1');
    expect(model.endpoint.headers).toEqual({
      'HTTP-Referer': 'https://me.example',
      'X-Title': 'Me',
    });
  });

  it('refuses what is missing or wrong, with the remedy', async () => {
    await expect(resolve()).rejects.toThrow(/No model is configured\. Give --provider/);
    await expect(resolve({ overrides: { model: 'x' } })).rejects.toThrow('--provider NAME');
    await expect(resolve({ overrides: { provider: 'openai' } })).rejects.toThrow('--model ID');
    await expect(resolve({ overrides: { provider: 'replay' } })).rejects.toThrow('recording');
    const overrides = { provider: 'antropic', model: 'x' };
    await expect(resolve({ overrides })).rejects.toThrow('"anthropic"');
    await expect(
      resolve({ overrides: { provider: 'azure', model: 'x' }, env: { AZURE_API_KEY: KEY } }),
    ).rejects.toThrow('AZURE_BASE_URL');
    await expect(
      resolve({ overrides: { provider: 'openai', model: 'x', modelBaseUrl: 'nowhere' } }),
    ).rejects.toThrow('--model-base-url');
  });
});

describe('a model of a file', () => {
  const FILE = {
    agents: { coding: { model: 'main' } },
    models: {
      main: {
        model: 'gpt-x',
        model_provider: 'openai',
        temperature: 0.5,
        context_window: 1000,
        prices: { input: 1, output: 2 },
        profile: 'special',
      },
      other: { model: 'claude-x', model_provider: 'anthropic', top_k: 3 },
    },
    model_providers: {
      openai: { api_key: 'sk-file-key' },
      local: { provider: 'openai_compatible', base_url: 'http://localhost:1/v1' },
    },
  };
  const env = { ANTHROPIC_API_KEY: KEY };

  it('is the one the agent kind names; other kinds fall back to it', async () => {
    await place.write('user', FILE);
    expect(await resolve({}, 'data')).toMatchObject({ key: 'main', api_key: 'sk-file-key' });
    expect(await resolve({ env: { OPENAI_API_KEY: KEY } })).toMatchObject({ api_key: KEY });
  });

  it('is found by id or key from a flag, else the settings not tied to the model are kept', async () => {
    await place.write('user', FILE);
    expect(await resolve({ env, overrides: { model: 'claude-x' } })).toMatchObject({
      key: 'other',
      provider: 'anthropic',
    });
    expect((await resolve({ env, overrides: { model: 'other' } })).model).toBe('claude-x');
    expect((await resolve({ env, overrides: { provider: 'anthropic' } })).key).toBe('other');
    expect((await resolve({ overrides: { model: 'gpt-y' } })).entry).toEqual({
      model: 'gpt-y',
      model_provider: 'openai',
      temperature: 0.5,
      profile: 'special',
    });
    expect((await resolve({ overrides: { provider: 'local' } })).entry).toEqual({
      model: 'gpt-x',
      model_provider: 'local',
      temperature: 0.5,
    });
  });

  it('names a missing entry with its line and the nearest key', async () => {
    const file = await place.write('user', {
      agents: { coding: { model: 'mian' } },
      models: FILE.models,
    });
    await expect(resolve()).rejects.toThrow(
      `${file}:3: agents.coding.model: no entry "mian" in models. The nearest one is "main".`,
    );
  });

  it('reads a key from a named variable or file, which must be there', async () => {
    const keyFile = await place.write('key.txt', 'sk-in-a-file\n');
    const provider = (entry: object) => ({ ...FILE, model_providers: { openai: entry } });
    await place.write('user', provider({ api_key_file: keyFile }));
    expect(await resolve()).toMatchObject({ api_key: 'sk-in-a-file' });
    await place.write('user', provider({ api_key_env: 'MY_KEY' }));
    expect(await resolve({ env: { MY_KEY: KEY } })).toMatchObject({ api_key: KEY });
    await expect(resolve()).rejects.toThrow('MY_KEY');
  });
});

describe("a project's address", () => {
  const project = (provider: object) => ({
    agents: { coding: { model: 'm' } },
    models: { m: { model: 'x', model_provider: 'openai' } },
    model_providers: { openai: provider },
  });

  it('never gets a key of another scope, whichever way that came', async () => {
    await place.write('project', project({ base_url: 'https://evil.example/v1' }));
    await place.trust();
    const env = { OPENAI_API_KEY: KEY };
    await expect(resolve({ env })).rejects.toThrow(/evil\.example.*OPENAI_API_KEY/);
    await expect(resolve({ overrides: { apiKey: KEY } })).rejects.toThrow('--api-key');
    const modelBaseUrl = 'https://api.openai.com/v1';
    expect(await resolve({ env, overrides: { modelBaseUrl } })).toMatchObject({ api_key: KEY });
  });

  it("gets the project's own key, which goes to no other address", async () => {
    await place.write(
      'project',
      project({ base_url: 'https://ours.example/v1', api_key: 'project-key-1' }),
    );
    await place.trust();
    const env = { OPENAI_API_KEY: KEY };
    expect(await resolve({ env })).toMatchObject({ api_key: 'project-key-1' });
    const modelBaseUrl = 'http://localhost:9/v1';
    expect((await resolve({ overrides: { modelBaseUrl } })).api_key).not.toContain('project');
  });

  it('cannot be smuggled in by profile fields', async () => {
    await place.write('project', {
      models: {
        m: { model: 'x', model_provider: 'openai', quirks: { baseUrl: 'https://evil.example' } },
      },
    });
    await place.trust();
    await expect(resolve({ env: { OPENAI_API_KEY: KEY } })).rejects.toThrow('quirks.baseUrl');
  });
});

describe('secrets', () => {
  it('are known by name and shown only as set', async () => {
    await place.write('user', {
      model_providers: {
        openai: { api_key: 'sk-file-key-123', headers: { 'X-Team': 'team-token-77' } },
        mistral: { provider: 'mistral', proxy: 'http://me:hunter2hunter2@proxy.example' },
      },
      mcp_servers: { a: { command: 'x', env: { A_TOKEN: 'mcp-token-99' } } },
    });
    const config = await place.load({
      env: { ANTHROPIC_API_KEY: 'sk-ant-1234567', GIT_AUTHOR_NAME: 'Somebody Here' },
      overrides: { apiKey: 'flag-key-12345' },
    });
    const values = ['sk-file-key-123', 'team-token-77', 'mcp-token-99', 'hunter2hunter2'];
    const known = config.secrets.map((secret) => secret.value);
    expect(known).toEqual(expect.arrayContaining([...values, 'sk-ant-1234567', 'flag-key-12345']));
    expect(known).not.toContain('Somebody Here');
    const report = JSON.stringify(config.report());
    for (const value of known) expect(report).not.toContain(value);
    const line = (key: string) => config.report().find((one) => one.key === key);
    expect(line('model_providers.openai.api_key')).toMatchObject({ value: '(set)' });
    expect(line('model_providers.anthropic.api_key')).toMatchObject({
      value: '(set)',
      origin: { from: 'ANTHROPIC_API_KEY' },
    });
    expect(line('model_providers.mistral.api_key')?.value).toBe('(not set)');
    expect(line('limits.tool_output_chars')).toMatchObject({ value: '16000' });
  });
});
