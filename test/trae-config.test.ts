import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startFakeModel } from './fake-llm/server.ts';
import { makePlace } from './support/place.ts';
import { resultOf, runProgram, UNCONFINED } from './support/program.ts';

const script = [
  { calls: [{ name: 'bash', arguments: { command: 'echo hello' } }] },
  { calls: [{ name: 'task_done', arguments: { summary: 'ok' } }] },
];

async function serve() {
  const model = await startFakeModel({ script });
  onTestFinished(() => model.close());
  return model;
}

const traeYaml = (url: string) => `agents:
  trae_agent:
    enable_lakeview: true
    model: trae_agent_model
    max_steps: 200
    tools:
      - bash
      - str_replace_based_edit_tool
      - sequentialthinking
      - task_done
lakeview:
  model: lakeview_model
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
    model_provider: anthropic
    model: claude-3-5-sonnet
    max_tokens: 4096
    temperature: 0.5
    top_p: 1
    top_k: 0
    max_retries: 10
    parallel_tool_calls: true
model_providers:
  anthropic:
    api_key: your_anthropic_api_key
    provider: anthropic
    base_url: ${url}
`;

describe('a trae_config.yaml', () => {
  it('runs unchanged when it is named', async () => {
    const model = await serve();
    const place = makePlace();
    place.write('../trae_config.yaml', traeYaml(model.url));
    const outcome = await runProgram(place, [
      ...[
        'run',
        'x',
        '--config-file',
        join(place.root, 'trae_config.yaml'),
        '--agent-type',
        'trae_agent',
      ],
      ...UNCONFINED,
      ...['--output-format', 'json'],
    ]);
    expect(outcome.code, outcome.stderr).toBe(0);
    const body = model.requests[0]?.json as Record<string, unknown>;
    expect(body).toMatchObject({ model: 'claude-sonnet-4-20250514', max_tokens: 4096 });
    const tools = (body.tools as { name: string }[]).map((tool) => tool.name);
    expect(tools).toEqual([
      'bash',
      'str_replace_based_edit_tool',
      'sequentialthinking',
      'task_done',
    ]);
    expect(model.refusals).toEqual([]);
  });

  it('in its README form sends nothing for values that are missing', async () => {
    const model = await serve();
    const place = makePlace();
    place.write(
      '../trae_config.yaml',
      `agents:
  trae_agent:
    enable_lakeview: false
    model: trae_agent_model
    max_steps: 200
    tools: [bash, str_replace_based_edit_tool, sequentialthinking, task_done]
model_providers:
  openai:
    api_key: your_key
    provider: openai
    base_url: ${model.url}/v1
models:
  trae_agent_model:
    model_provider: openai
    model: gpt-4o
`,
    );
    const outcome = await runProgram(place, [
      ...['run', 'x', '--config-file', join(place.root, 'trae_config.yaml'), ...UNCONFINED],
      ...['--output-format', 'json'],
    ]);
    expect(outcome.code, outcome.stderr).toBe(0);
    const body = model.requests[0]?.json ?? {};
    for (const key of ['temperature', 'top_p', 'top_k', 'max_output_tokens', 'seed'])
      expect(body).not.toHaveProperty(key);
  });

  it('found in a folder: refused before trust with the file and both remedies, used after trust with its own key', async () => {
    const model = await serve();
    const place = makePlace();
    const own = traeYaml(model.url).replace('your_anthropic_api_key', 'a-key-of-the-project');
    const file = place.write('trae_config.yaml', own);
    const outcome = await runProgram(place, ['run', 'x', ...UNCONFINED]);
    expect(outcome.code).toBe(2);
    for (const part of [file, '--config-file', 'toolwright trust'])
      expect(outcome.stderr).toContain(part);
    expect(model.requests).toHaveLength(0);
    const trusted = await runProgram(place, ['trust', '--yes']);
    expect(trusted.code, trusted.stderr).toBe(0);
    const again = await runProgram(place, ['run', 'x', ...UNCONFINED, '--output-format', 'json']);
    expect(again.code, again.stderr).toBe(0);
    expect(resultOf(again).success).toBe(true);
    const sent = model.requests.map((request) => request.headers['x-api-key']);
    expect(new Set(sent)).toEqual(new Set(['a-key-of-the-project']));
  });

  it('after trust never sends a key of another scope to the address of the folder', async () => {
    const model = await serve();
    const place = makePlace();
    place.write('trae_config.yaml', traeYaml(model.url));
    expect((await runProgram(place, ['trust', '--yes'])).code).toBe(0);
    const refused = await runProgram(place, ['run', 'x', ...UNCONFINED]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('ANTHROPIC_API_KEY');
    expect(model.requests).toHaveLength(0);
  });

  it('with a misspelt key: exit 2 with file, line and nearest key', async () => {
    const place = makePlace();
    place.write('../c.yaml', 'agents:\n  trae_agent:\n    max_step: 3\n');
    const outcome = await runProgram(place, [
      'run',
      'x',
      '--config-file',
      join(place.root, 'c.yaml'),
    ]);
    expect(outcome.code).toBe(2);
    expect(outcome.stderr).toMatch(/c\.yaml.*3/);
    expect(outcome.stderr).toContain('max_steps');
  });
});

describe('a legacy trae_config.json', () => {
  it('is read too', async () => {
    const model = await serve();
    const place = makePlace();
    place.write(
      '../trae_config.json',
      JSON.stringify({
        default_provider: 'openai',
        max_steps: 20,
        enable_lakeview: false,
        model_providers: {
          openai: {
            api_key: 'your_key',
            base_url: `${model.url}/v1`,
            model: 'gpt-4o',
            max_tokens: 128000,
            temperature: 0.5,
            top_p: 1,
            max_retries: 10,
          },
        },
      }),
    );
    const outcome = await runProgram(place, [
      ...['run', 'x', '--config-file', join(place.root, 'trae_config.json'), ...UNCONFINED],
      ...['--output-format', 'json'],
    ]);
    expect(outcome.code, outcome.stderr).toBe(0);
    expect(model.requests[0]?.json).toMatchObject({ model: 'gpt-4o', temperature: 0.5 });
  });
});

describe('show-config', () => {
  it('names the source of each value and never shows a key', async () => {
    const place = makePlace();
    place.write(
      '../c.yaml',
      traeYaml('http://127.0.0.1:1').replace('your_anthropic_api_key', 'sk-ant-secret-value-123'),
    );
    const config = join(place.root, 'c.yaml');
    const outcome = await runProgram(place, ['show-config', '--config-file', config]);
    expect(outcome.code, outcome.stderr).toBe(0);
    expect(outcome.stdout).not.toContain('sk-ant-secret-value-123');
    expect(outcome.stdout).toContain(config);
    expect(readFileSync(config, 'utf8')).toContain('sk-ant-secret-value-123');
  });
});
