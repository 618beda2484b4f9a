import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LLMMessage } from '../llm/types.ts';
import type { ApprovalCard, PermissionGate } from '../permissions/types.ts';
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
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'resume-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function agentAt(place: string, script: readonly Script[], over: Partial<AgentOptions> = {}) {
  mkdirSync(join(place, 'work'), { recursive: true });
  const client = new ScriptedClient(script);
  const agent = new Agent({
    workspace: join(place, 'work'),
    home: join(place, 'home'),
    sessionId: 'one',
    sandbox: 'none',
    permissionMode: 'bypass',
    modelClient: client,
    ...over,
  });
  return { agent, client };
}

const eventsFile = (place: string) =>
  join(place, 'home', 'users', 'local', 'sessions', 'one', '.session', 'events.jsonl');
const thought = (n: number) =>
  call('sequentialthinking', {
    thought: `thought ${n}`,
    next_thought_needed: false,
    thought_number: n,
    total_thoughts: 9,
  });

function expectPaired(messages: readonly LLMMessage[]): void {
  messages.forEach((message, index) => {
    const calls = message.content.flatMap((block) =>
      block.type === 'tool_call' ? [block.call.call_id] : [],
    );
    const results = (messages[index + 1]?.content ?? []).flatMap((block) =>
      block.type === 'tool_result' ? [block.call_id] : [],
    );
    if (calls.length > 0) expect(results).toEqual(calls);
  });
}

describe('resume', () => {
  it('after an end at every event boundary: valid request, no result lost, nothing repeated', async () => {
    const first = join(root, 'first');
    const script = [
      reply({ calls: [thought(1), call('nope'), thought(2)] }),
      reply({ text: 'between', calls: [thought(3)] }),
      reply({ calls: [done({ summary: 'end' })] }),
    ];
    const made = agentAt(first, script);
    await made.agent.run('the task');
    await made.agent.close();
    const lines = readFileSync(eventsFile(first), 'utf8').split('\n').slice(0, -1);
    for (let kept = 1; kept < lines.length; kept += 1) {
      const place = join(root, `cut-${kept}`);
      cpSync(first, place, { recursive: true });
      writeFileSync(eventsFile(place), `${lines.slice(0, kept).join('\n')}\n`);
      const events = lines.slice(0, kept).map((line) => JSON.parse(line));
      const again = agentAt(place, [reply({ calls: [done({ summary: 'resumed' })] })]);
      const types = events.map(({ type }) => type);
      if (!types.includes('run_started')) {
        await expect(again.agent.resume()).rejects.toMatchObject({ kind: 'config' });
        await again.agent.close();
        continue;
      }
      if (types.includes('run_finished')) {
        await again.agent.close();
        continue;
      }
      const execution = await again.agent.resume();
      await again.agent.close();
      expect(execution, `after ${kept} events`).toMatchObject({ success: true, task: 'the task' });
      const messages = again.client.requests[0]?.messages ?? [];
      expectPaired(messages);
      const text = JSON.stringify(messages);
      for (const event of events)
        if (event.type === 'tool_finished' && event.success) expect(text).toContain(event.call_id);
      const after = readFileSync(eventsFile(place), 'utf8').split('\n').slice(0, -1);
      const started = after
        .map((line) => JSON.parse(line))
        .filter(({ type, name }) => type === 'tool_started' && name === 'sequentialthinking');
      expect(new Set(started.map(({ call_id }) => call_id)).size).toBe(started.length);
    }
  }, 60_000);

  it('goes on counting steps, with fresh limits', async () => {
    const place = join(root, 'limits');
    const script = Array.from({ length: 3 }, (_, n) => reply({ calls: [thought(n + 1)] }));
    const first = agentAt(place, script, { limits: { maxSteps: 2 } });
    expect(await first.agent.run('long')).toMatchObject({ stop_reason: 'max_steps' });
    await first.agent.close();
    const second = agentAt(place, [reply({ calls: [thought(9)] }), reply({ calls: [done()] })], {
      limits: { maxSteps: 2 },
    });
    const execution = await second.agent.resume();
    await second.agent.close();
    expect(execution).toMatchObject({ success: true });
    expect(execution.steps.map(({ step_number }) => step_number)).toEqual([3, 4]);
    expect(execution.steps.map(({ session_step }) => session_step)).toEqual([3, 4]);
  });

  it('files that changed since are listed, with a new task too; those as they were are not', async () => {
    const place = join(root, 'changed');
    const write = (name: string) =>
      call('str_replace_based_edit_tool', {
        command: 'create',
        path: join(place, 'work', name),
        file_text: `${name}\n`,
      });
    const names = ['same.txt', 'edited.txt', 'gone.txt'];
    const first = agentAt(place, [reply({ calls: names.map(write) }), wireError('network')]);
    expect(await first.agent.run('write')).toMatchObject({ success: false });
    await first.agent.close();
    writeFileSync(join(place, 'work', 'edited.txt'), 'by hand\n');
    rmSync(join(place, 'work', 'gone.txt'));
    const lastTexts = ({ client }: { client: ScriptedClient }, from: number) =>
      JSON.stringify(client.requests[0]?.messages.slice(from));
    const second = agentAt(place, [reply({ calls: [done()] })]);
    await second.agent.resume();
    await second.agent.close();
    expect(lastTexts(second, -1)).toContain('edited.txt (changed), gone.txt (removed). Read them');
    expect(lastTexts(second, -1)).not.toContain('same.txt');
    const third = agentAt(place, [reply({ calls: [done()] }), reply({ calls: [done()] })]);
    await third.agent.run('a new task');
    expect(lastTexts(third, -2)).toContain('edited.txt (changed), gone.txt (removed)');
    expect(third.client.requests[0]?.messages.at(-1)).toMatchObject({ origin: 'task' });
    await third.agent.run('another');
    expect(JSON.stringify(third.client.requests[1]?.messages.slice(-2))).not.toContain(
      'edited.txt',
    );
    await third.agent.close();
  });

  it('an approval that was open is asked again, and the call then runs once', async () => {
    const place = join(root, 'approval');
    const command = 'echo ran >> marker.txt';
    const asked: ApprovalCard[] = [];
    const waiting: PermissionGate = {
      person: true,
      ask: (card, signal) => {
        asked.push(card);
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        });
      },
    };
    const first = agentAt(place, [reply({ calls: [call('bash', { command })] })], {
      permissionMode: 'ask',
      permissionGate: waiting,
    });
    const running = first.agent.run('make a marker');
    await expect.poll(() => asked.length, { timeout: 5000 }).toBe(1);
    await expect
      .poll(() => readFileSync(eventsFile(place), 'utf8'))
      .toContain('approval_requested');
    const copy = join(root, 'approval-copy');
    cpSync(place, copy, { recursive: true });
    await first.agent.cancel();
    await running;
    await first.agent.close();
    for (const name of ['lock.1'])
      rmSync(join(copy, 'home/users/local/sessions/one/.session', name), { force: true });
    const yes: PermissionGate = {
      person: true,
      ask: async (card) => {
        asked.push(card);
        return { decision: 'allow', scope: 'once', by: 'user' };
      },
    };
    const second = agentAt(copy, [reply({ calls: [done()] })], {
      permissionMode: 'ask',
      permissionGate: yes,
    });
    const execution = await second.agent.resume();
    await second.agent.close();
    expect(execution).toMatchObject({ success: true });
    expect(asked).toHaveLength(2);
    expect(readFileSync(join(copy, 'work', 'marker.txt'), 'utf8')).toBe('ran\n');
    expectPaired(second.client.requests[0]?.messages ?? []);
  });
});
