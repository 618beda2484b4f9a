import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionEvent } from '../session/events.ts';
import { Agent } from './agent.ts';
import {
  call,
  done,
  reply,
  type Script,
  ScriptedClient,
  wireError,
} from './testing/scripted-client.ts';
import type { AgentOptions } from './types.ts';

let root = '';
const open: Agent[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'agent-'));
  mkdirSync(join(root, 'work'));
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((agent) => agent.close()));
  rmSync(root, { recursive: true, force: true });
});

function agent(script: readonly Script[], over: Partial<AgentOptions> = {}) {
  const client = new ScriptedClient(script);
  const made = new Agent({
    workspace: join(root, 'work'),
    home: join(root, 'home'),
    sandbox: 'none',
    permissionMode: 'bypass',
    modelClient: client,
    ...over,
  });
  open.push(made);
  return { agent: made, client };
}

describe('Agent', () => {
  it('runs a task and returns its execution', async () => {
    const events: SessionEvent[] = [];
    const one = agent([reply({ calls: [done({ summary: 'ok' })] })], {
      trajectoryFile: join(root, 't.json'),
    });
    one.agent.on((event) => events.push(event));
    const execution = await one.agent.run('say ok');
    expect(execution).toMatchObject({
      success: true,
      stop_reason: 'completed',
      final_result: 'ok',
      agent_state: 'completed',
      trajectory_file: join(root, 't.json'),
    });
    expect(events.map(({ type }) => type)).toContain('run_finished');
    expect(events.at(-1)?.type).toBe('result');
    expect(JSON.parse(readFileSync(join(root, 't.json'), 'utf8'))).toMatchObject({ success: true });
  });

  it('the first request holds environment, instruction files and the task in order', async () => {
    writeFileSync(join(root, 'work', 'AGENTS.md'), 'Use tabs.');
    const one = agent([reply({ calls: [done()] })]);
    await one.agent.run('the task');
    const texts = one.client.requests[0]?.messages[0]?.content.map((block) =>
      block.type === 'text' ? block.text : '',
    );
    expect(texts?.map((text) => text.split('\n')[0])).toEqual([
      '[Environment]',
      '[Instruction files]',
      '[Project root path]:',
      '[Problem statement]:',
    ]);
    expect(texts?.[1]).toContain('Use tabs.');
    expect(texts?.[3]).toBe('[Problem statement]:\nthe task');
  });

  it('a second run on a busy Agent rejects and disturbs nothing', async () => {
    const one = agent([reply({ calls: [done()] })]);
    const first = one.agent.run('a');
    await expect(one.agent.run('b')).rejects.toMatchObject({ kind: 'agent_busy' });
    expect(await first).toMatchObject({ success: true });
  });

  it('later tasks of a session see the earlier ones', async () => {
    const one = agent([1, 2, 3].map((n) => reply({ text: `answer ${n}` })));
    for (const task of ['one', 'two', 'three']) await one.agent.run(task, { textReply: 'final' });
    const texts = JSON.stringify(one.client.requests[2]?.messages);
    expect(texts).toContain('one');
    expect(texts).toContain('answer 2');
    await one.agent.clear();
    await one.agent.run('four', { textReply: 'final' });
    expect(JSON.stringify(one.client.requests[3]?.messages)).not.toContain('answer 2');
  });

  it('goes on with an unsuccessful task in another process', async () => {
    const first = agent([reply({ text: 'thinking' }), wireError('network')], {
      sessionId: 'again',
    });
    expect(await first.agent.run('the task')).toMatchObject({ stop_reason: 'provider_error' });
    await first.agent.close();
    const second = agent([reply({ calls: [done({ summary: 'done now' })] })], {
      sessionId: 'again',
    });
    expect(await second.agent.resume()).toMatchObject({ success: true, task: 'the task' });
    expect(JSON.stringify(second.client.requests[0]?.messages)).toContain('thinking');
    expect((await second.agent.resume().catch((error: unknown) => error)) as object).toMatchObject({
      kind: 'config',
    });
  });

  it('a session in use is refused', async () => {
    const first = agent([reply({ text: 'a' })], { sessionId: 'held' });
    await first.agent.run('a', { textReply: 'final' });
    const second = agent([], { sessionId: 'held' });
    await expect(second.agent.run('b')).rejects.toMatchObject({ kind: 'session_locked' });
  });

  it('refuses what cannot work before anything is made', async () => {
    expect(() => new Agent({ agentType: 'codign' })).toThrow(/nearest known one is "coding"/);
    const unattended = new Agent({
      home: join(root, 'home'),
      workspace: join(root, 'work'),
      sandbox: 'none',
      modelClient: new ScriptedClient([]),
    });
    await expect(unattended.run('x')).rejects.toThrow(
      /Install bubblewrap.*read-only.*--sandbox none --permission-mode bypass/,
    );
    const costly = agent([], { limits: { maxCost: 1 } });
    costly.client.prices = null;
    await expect(costly.agent.run('x')).rejects.toThrow(/prices/);
    expect(existsSync(join(root, 'home', 'users', 'local', 'sessions', 'x'))).toBe(false);
  });

  it('cancel ends a hanging model call within a second', async () => {
    const hang = () => new Promise<never>(() => undefined);
    const one = agent([hang]);
    const running = one.agent.run('x');
    await new Promise((resolve) => setTimeout(resolve, 100));
    const began = performance.now();
    await one.agent.cancel();
    expect(await running).toMatchObject({ stop_reason: 'cancelled', error: { kind: 'cancelled' } });
    expect(performance.now() - began).toBeLessThan(1000);
  });

  it('a throwing listener and console change nothing', async () => {
    const one = agent([
      reply({ calls: [call('sequentialthinking', {}), done()] }),
      reply({ calls: [done()] }),
    ]);
    one.agent.on(() => {
      throw new Error('listener');
    });
    expect(await one.agent.run('x')).toMatchObject({ success: true });
  });

  it('the end of a run names the last line of the audit log', async () => {
    const one = agent(
      [
        reply({ calls: [call('bash', { command: 'echo 1 > new.txt' })] }),
        reply({ calls: [done()] }),
      ],
      { sessionId: 'audited' },
    );
    const events: SessionEvent[] = [];
    one.agent.on((event) => events.push(event));
    await one.agent.run('x');
    const file = join(root, 'home/users/local/sessions/audited/.session/audit.jsonl');
    const last = JSON.parse(readFileSync(file, 'utf8').trimEnd().split('\n').at(-1) ?? '');
    expect(events.find(({ type }) => type === 'run_finished')).toMatchObject({
      audit: { seq: last.seq, hash: last.hash },
    });
  });

  const linux = process.platform === 'linux';
  it.skipIf(!linux)('a closed Agent holds nothing open in workspace and session', async () => {
    const one = agent([
      reply({ calls: [call('bash', { command: 'echo 1 > new.txt' })] }),
      reply({ calls: [done()] }),
    ]);
    await one.agent.run('x');
    await one.agent.close();
    const held = readdirSync('/proc/self/fd').flatMap((fd) => {
      const link = join('/proc/self/fd', fd);
      return existsSync(link) ? readlinkSync(link) : [];
    });
    const places = [join(root, 'work'), join(root, 'home', 'users')];
    expect(held.filter((path) => places.some((place) => path.startsWith(place)))).toEqual([]);
  });

  it('streams the events of a task, result last', async () => {
    const one = agent([reply({ calls: [done()] })]);
    const types: string[] = [];
    for await (const event of one.agent.stream('x')) types.push(event.type);
    expect(types).toEqual(
      expect.arrayContaining(['session_started', 'run_started', 'llm_request']),
    );
    expect(types.at(-1)).toBe('result');
  });
});
