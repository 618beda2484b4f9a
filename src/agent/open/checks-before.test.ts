import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Agent } from '../agent.ts';
import { ScriptedClient } from '../testing/scripted-client.ts';
import type { AgentOptions, RunOptions } from '../types.ts';

const MODEL = `
models:
  main: { model_provider: openai, model: gpt-x }
agents:
  coding: { model: main }
`;
let root = '';
const at = (...names: string[]) => join(root, ...names);

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'checks-'));
  mkdirSync(at('work'));
  writeFileSync(at('file'), '');
  vi.stubEnv('OPENAI_API_KEY', undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true, force: true });
});

interface Case {
  readonly name: string;
  readonly says: RegExp;
  readonly config?: string;
  readonly options?: () => Partial<AgentOptions>;
  readonly run?: () => RunOptions;
  /** Without a client of the caller. */
  readonly realModel?: true;
}

const cases: readonly Case[] = [
  { name: 'no model', says: /model/, realModel: true },
  { name: 'a model without its key', says: /OPENAI_API_KEY/, realModel: true, config: MODEL },
  {
    name: 'a model nobody described',
    says: /other/,
    realModel: true,
    config: 'agents: { coding: { model: other } }',
  },
  {
    name: 'a rule for an unknown tool',
    says: /bsh/,
    config: 'permissions: { deny: ["bsh(rm *)"] }',
  },
  {
    name: 'an unknown tool in the configuration',
    says: /bsh/,
    config: 'agents: { coding: { tools: [bsh] } }',
  },
  { name: 'an unknown tool of the run', says: /bsh/, run: () => ({ toolNames: ['bsh'] }) },
  {
    name: 'a prompt file that is missing',
    says: /no-prompt\.md/,
    config: 'agents: { coding: { prompt_file: no-prompt.md } }',
  },
  { name: 'a limit of zero', says: /max_steps/, run: () => ({ limits: { maxSteps: 0 } }) },
  {
    name: 'a cost limit without a price',
    says: /price/,
    options: () => {
      const modelClient = new ScriptedClient([]);
      modelClient.prices = null;
      return { modelClient };
    },
    run: () => ({ limits: { maxCost: 1 } }),
  },
  {
    name: 'an answer schema that is a list',
    says: /answer schema/,
    options: () => ({ answerSchema: [] }),
  },
  {
    name: 'an answer schema nothing can be checked against',
    says: /answer schema/,
    options: () => ({ answerSchema: { type: 'nothing' } }),
  },
  {
    name: 'a patch path in a folder that is missing',
    says: /--patch-path/,
    options: () => ({ patchPath: at('missing', 'p.diff') }),
  },
  {
    name: 'a patch path below a file',
    says: /--patch-path/,
    options: () => ({ patchPath: at('file', 'p.diff') }),
  },
  {
    name: 'a patch path of the run in a folder that is missing',
    says: /patch_path/,
    run: () => ({ extraArgs: { patch_path: at('missing', 'p.diff') } }),
  },
  {
    name: 'a trajectory below a file',
    says: /--trajectory-file/,
    options: () => ({ trajectoryFile: at('file', 'deep', 't.json') }),
  },
  {
    name: 'neither a sandbox nor a mode nor a person',
    says: /Install bubblewrap/,
    options: () => ({ sandbox: 'none' }),
  },
  {
    name: 'a recording that exists',
    says: /exists already/,
    options: () => ({ record: at('file') }),
  },
];

describe('what is wrong before a run', () => {
  it.each(cases)('$name is a ConfigError, and nothing is created', async (one) => {
    const before = readdirSync(root);
    writeFileSync(at('config.yaml'), one.config ?? '');
    const agent = new Agent({
      workspace: at('work'),
      home: at('home'),
      config: at('config.yaml'),
      ...(one.realModel ? {} : { modelClient: new ScriptedClient([]) }),
      ...one.options?.(),
    });
    await expect(agent.run('x', one.run?.() ?? {})).rejects.toMatchObject({
      kind: 'config',
      message: expect.stringMatching(one.says),
    });
    await agent.close();
    expect(readdirSync(root)).toEqual(['config.yaml', ...before].sort());
    expect(existsSync(at('home'))).toBe(false);
    expect(readdirSync(at('work'))).toEqual([]);
  });
});
