import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AgentPlace, agentPlace, personWho } from './testing/agent-place.ts';
import { call, done, reply, type ScriptedClient } from './testing/scripted-client.ts';

let place: AgentPlace;
beforeEach(() => {
  place = agentPlace();
});
afterEach(() => place.remove());

function configured(text: string): string {
  const file = join(place.root, 'config.yaml');
  writeFileSync(file, text);
  return file;
}

const finish = () => reply({ calls: [done()] });
const toolNames = (client: ScriptedClient, request: number) =>
  client.requests[request]?.tools.map(({ name }) => name);

describe('names of tools a configuration uses', () => {
  it('those this program does not have are left out with one warning, rules on them are valid', async () => {
    const config = configured(`
agents:
  trae_agent:
    tools: [bash, str_replace_based_edit_tool, json_edit_tool, sequentialthinking, ckg, task_done]
permissions:
  deny: [web_fetch, "Skill(pdf)"]
`);
    const one = place.agent([finish(), finish()], { config });
    await one.agent.run('x');
    await one.agent.run('y');
    const names = ['bash', 'str_replace_based_edit_tool', 'sequentialthinking', 'task_done'];
    expect(toolNames(one.client, 0)).toEqual(names);
    const warnings = one.events.filter((event) => event.type === 'warning');
    expect(warnings).toMatchObject([
      { code: 'tools_left_out', message: expect.stringContaining('json_edit_tool, ckg') },
    ]);
  });

  it.each([
    ['agents: {coding: {tools: [bash, json_edit_tol]}}', /json_edit_tool/],
    ['permissions: {deny: [web_fech]}', /web_fetch/],
  ])('a name nobody knows is refused with the nearest one: %s', async (text, nearest) => {
    const one = place.agent([finish()], { config: configured(text) });
    await expect(one.agent.run('x')).rejects.toThrow(nearest);
    expect(existsSync(place.home)).toBe(false);
  });
});

describe('deferred tools', () => {
  const viaCallTool = (name: string, args: object) =>
    call('call_tool', { name, arguments: JSON.stringify(args) });

  it('found or used in one run, they are offered in the next, in that order, also after resume', async () => {
    writeFileSync(join(place.work, 'a.txt'), 'a\n');
    const script = [
      reply({ calls: [call('list_dir', { path: '.' })] }),
      reply({ calls: [call('tool_search', { query: 'select:write_file,read_file' })] }),
      finish(),
      finish(),
    ];
    const one = place.agent(script, { sessionId: 'loaded' });
    await one.agent.run('x');
    const before = toolNames(one.client, 0) ?? [];
    expect(before).not.toContain('list_dir');
    expect(toolNames(one.client, 2)).toEqual(before);
    await one.agent.run('y');
    const loaded = ['list_dir', 'read_file', 'write_file'];
    expect(toolNames(one.client, 3)).toEqual([...before, ...loaded]);
    await one.agent.close();
    const again = place.agent([finish()], { sessionId: 'loaded' });
    await again.agent.run('z');
    expect(toolNames(again.client, 0)).toEqual([...before, ...loaded]);
  });

  it('one that writes is preceded by the start snapshot, so its change is in the patch', async () => {
    writeFileSync(join(place.work, 'a.txt'), 'a\n');
    const write = viaCallTool('write_file', { path: 'new.txt', content: 'new\n' });
    const patchPath = join(place.root, 'out.diff');
    const one = place.agent([reply({ calls: [write] }), finish()], { patchPath });
    expect(await one.agent.run('x')).toMatchObject({ success: true, patch: { files: 1 } });
    expect(readFileSync(patchPath, 'utf8')).toContain('+new');
    const types = one.events.map(({ type }) => type);
    expect(types.indexOf('base_taken')).toBeLessThan(types.indexOf('tool_started'));
  });
});

describe('an approval for always', () => {
  it('is in the user file for the next session', async () => {
    const permissionGate = personWho(async () => ({
      decision: 'allow',
      scope: 'always',
      by: 'user',
    }));
    const script = () => [
      reply({ calls: [call('bash', { command: 'touch a.txt' })] }),
      reply({ calls: [call('bash', { command: 'touch a.txt' })] }),
      finish(),
    ];
    for (const _session of [1, 2]) {
      const one = place.agent(script(), { permissionMode: 'ask', permissionGate });
      expect(await one.agent.run('x')).toMatchObject({ success: true, denials: [] });
    }
    expect(permissionGate.asked).toBe(1);
    expect(readFileSync(join(place.home, 'config.yaml'), 'utf8')).toContain('bash(touch a.txt)');
  });
});

describe('the schemas of a request', () => {
  it('say whether arguments fit without any coercion, once the endpoint began to answer', async () => {
    const one = place.agent([finish()]);
    await one.agent.run('x');
    const bash = one.client.requests[0]?.tools.find(({ name }) => name === 'bash');
    await expect.poll(() => bash?.check?.({ command: 'ls' })).toBe(true);
    expect(bash?.check?.({ command: 'ls', timeout_seconds: '5' })).toBe(false);
    expect(bash?.check?.({ comand: 'ls' })).toBe(false);
    expect(bash?.check?.({ command: 3 })).toBe(false);
  });
});
