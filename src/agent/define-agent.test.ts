import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Agent } from './agent.ts';
import { findAgentType, registerAgentType } from './agent-types.ts';
import { defineAgent } from './define-agent.ts';
import { call, done, reply, ScriptedClient } from './testing/scripted-client.ts';

const counting = defineAgent({
  type: 'counting',
  description: 'counts',
  systemPrompt: () => 'You count.',
  tools: ['bash', 'sequentialthinking'],
  isTaskCompleted: ({ steps }) =>
    steps.length >= 2
      ? { done: true }
      : { done: false, reason: 'too_early', message: 'Count further.' },
});

describe('agent kinds', () => {
  it('a kind of one’s own runs through the same loop: prompt, tools, completion rule', async () => {
    const root = mkdtempSync(join(tmpdir(), 'kind-'));
    mkdirSync(join(root, 'work'));
    const client = new ScriptedClient([
      reply({ calls: [done()] }),
      reply({ calls: [call('bash', { command: 'true' })] }),
      reply({ calls: [done({ summary: 'two' })] }),
    ]);
    const agent = new Agent({
      agentType: counting,
      workspace: join(root, 'work'),
      home: join(root, 'home'),
      sandbox: 'none',
      permissionMode: 'bypass',
      modelClient: client,
    });
    const execution = await agent.run('count');
    await agent.close();
    rmSync(root, { recursive: true, force: true });
    expect(execution).toMatchObject({ success: true, final_result: 'two' });
    expect(client.requests[0]?.system).toEqual([{ text: 'You count.' }]);
    expect(client.requests[0]?.tools.map(({ name }) => name)).toEqual([
      'bash',
      'sequentialthinking',
      'task_done',
    ]);
    expect(JSON.stringify(client.requests[1]?.messages)).toContain('Count further.');
  });

  it('names that clash, are unknown or not valid are refused', () => {
    registerAgentType(counting);
    expect(findAgentType('counting')).toBe(counting);
    expect(findAgentType('trae_agent').type).toBe('coding');
    expect(() => registerAgentType(counting)).toThrow(/already registered/);
    expect(() => registerAgentType({ ...counting, type: 'coding' })).toThrow(/already registered/);
    expect(() => findAgentType('countin')).toThrow(/"counting"/);
    expect(() => defineAgent({ ...counting, type: 'Bad Name' })).toThrow(/not a valid name/);
  });

  it('an unknown tool names the nearest one before anything is made', async () => {
    const agent = new Agent({
      agentType: { ...counting, tools: ['bsh'] },
      workspace: '/tmp',
      home: join(tmpdir(), 'never-made'),
      sandbox: 'none',
      permissionMode: 'bypass',
      modelClient: new ScriptedClient([]),
    });
    await expect(agent.run('x')).rejects.toThrow(/bash/);
  });
});
