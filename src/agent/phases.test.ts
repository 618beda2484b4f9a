import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createModelClient } from '../llm/client.ts';
import type { LLMMessage, Transport } from '../llm/types.ts';
import {
  type AgentPlace,
  agentPlace,
  hangs,
  type PlacedAgent,
  personWho,
} from './testing/agent-place.ts';
import { call, done, reply, type Script, usage } from './testing/scripted-client.ts';
import type { AgentExecution } from './types.ts';

let place: AgentPlace;
beforeEach(() => {
  place = agentPlace();
});
afterEach(() => place.remove());

const busy = "sh -c 'echo $$ > pid; echo begun; sleep 60'";
const bash = (command: string) => reply({ calls: [call('bash', { command })] });
const finish = () => reply({ calls: [done({ summary: 'went on' })] });

/** Asks again after a long time, for ever. */
const overloaded: Transport = {
  send: async () => ({
    status: 529,
    headers: { 'content-type': 'application/json', 'retry-after': '60' },
    body: (async function* () {
      yield new TextEncoder().encode('{"error":{"message":"overloaded"}}');
    })(),
    reusedSocket: false,
  }),
};

function retryingClient() {
  const config = { provider: 'openai_compatible', model: 'm', baseUrl: 'http://127.0.0.1:9/v1' };
  return createModelClient(config, { transport: overloaded });
}

/** Fills the window with long replies; the summary never comes. */
const filling: Script[] = Array.from({ length: 40 }, (_, n) => async (request) => {
  if (request.purpose === 'compaction') return hangs();
  return reply({
    text: 'x'.repeat(3000),
    calls: [call('bash', { command: `echo ${n}` })],
    usage: { ...usage(0, 5), estimated: true },
  });
});

/** Each way to be in the middle of something: the Agent, and the sign that it is there. */
const PHASES: readonly {
  readonly name: string;
  readonly start: () => PlacedAgent;
  readonly begun: (one: PlacedAgent) => boolean;
  /** Between two steps: none is broken off. */
  readonly between?: true;
}[] = [
  {
    name: 'a streaming reply',
    start: () => place.agent([hangs]),
    begun: ({ client }) => client.requests.length === 1,
  },
  {
    name: 'a retry wait',
    start: () => place.agent([], { modelClient: retryingClient(), sessionId: 'phase' }),
    begun: ({ events }) => events.some(({ type }) => type === 'retry'),
  },
  {
    name: 'a command',
    start: () => place.agent([bash(busy)]),
    begun: ({ events }) =>
      events.some((event) => event.type === 'tool_output' && event.text.includes('begun')),
  },
  {
    name: 'an approval',
    start: () =>
      place.agent([bash('touch x')], { permissionMode: 'ask', permissionGate: personWho(hangs) }),
    begun: ({ events }) => events.some(({ type }) => type === 'approval_requested'),
  },
  {
    name: 'a compaction',
    start: () => {
      const one = place.agent(filling);
      one.client.contextWindow = 16_000;
      return one;
    },
    begun: ({ events }) => events.some(({ type }) => type === 'compaction_started'),
    between: true,
  },
];

async function reached(one: PlacedAgent, begun: (one: PlacedAgent) => boolean): Promise<void> {
  await expect.poll(() => begun(one), { timeout: 5000, interval: 10 }).toBe(true);
}

function expectPaired(messages: readonly LLMMessage[]): void {
  messages.forEach((message, index) => {
    const ids = message.content.flatMap((block) =>
      block.type === 'tool_call' ? [block.call.call_id] : [],
    );
    const results = (messages[index + 1]?.content ?? []).flatMap((block) =>
      block.type === 'tool_result' ? [block.call_id] : [],
    );
    if (ids.length > 0) expect(results).toEqual(ids);
  });
}

function processLives(): boolean {
  try {
    process.kill(Number(readFileSync(join(place.work, 'pid'), 'utf8')), 0);
    return true;
  } catch {
    return false;
  }
}

describe('cancel', () => {
  it.each(PHASES)(
    'during $name ends the run within a second',
    async ({ start, begun, between }) => {
      const one = start();
      const running = one.agent.run('x');
      await reached(one, begun);
      const began = performance.now();
      await one.agent.cancel();
      expect(performance.now() - began).toBeLessThan(1000);
      const execution = await running;
      expect(execution).toMatchObject({
        agent_state: 'error',
        stop_reason: 'cancelled',
        error: { kind: 'cancelled' },
      });
      expect(execution.steps.at(-1)?.error?.kind).toBe(between ? undefined : 'cancelled');
      await expect.poll(processLives, { timeout: 3000 }).toBe(false);
    },
  );

  it('during start-up runs no step', async () => {
    const one = place.agent([finish()]);
    const running = one.agent.run('x');
    await one.agent.cancel();
    expect(await running).toMatchObject({ stop_reason: 'cancelled', steps: [] });
    expect(one.client.requests).toHaveLength(0);
  });

  it('of a command keeps its output; the next task has a valid history', async () => {
    const two = reply({
      calls: [call('bash', { command: busy }), call('bash', { command: 'echo second' })],
    });
    const one = place.agent([two, finish()]);
    const running = one.agent.run('x');
    await reached(one, ({ events }) =>
      events.some((event) => event.type === 'tool_output' && event.text.includes('begun')),
    );
    await one.agent.cancel();
    const [step] = (await running).steps;
    expect(step?.tool_results).toMatchObject([
      { error_kind: 'cancelled', result: expect.stringContaining('begun') },
      { error_kind: 'cancelled' },
    ]);
    expect(await one.agent.resume()).toMatchObject({ success: true, final_result: 'went on' });
    expectPaired(one.client.requests.at(-1)?.messages ?? []);
    const names = one.events.map((event) => (event.type === 'tool_started' ? event.name : ''));
    expect(names.filter((name) => name === 'bash')).toHaveLength(1);
  });

  it('by the signal of the options, and of the run', async () => {
    for (const at of ['options', 'run'] as const) {
      const stop = new AbortController();
      const one = place.agent([hangs], at === 'options' ? { signal: stop.signal } : {});
      const running = one.agent.run('x', at === 'run' ? { signal: stop.signal } : {});
      await reached(one, ({ client }) => client.requests.length === 1);
      stop.abort();
      expect(await running).toMatchObject({ stop_reason: 'cancelled' });
    }
  });
});

describe('the time limit', () => {
  const limits = { timeoutSeconds: 1 };
  const timed = async (one: PlacedAgent): Promise<[AgentExecution, number]> => {
    const began = performance.now();
    const execution = await one.agent.run('x', { limits });
    return [execution, performance.now() - began];
  };

  it.each(PHASES.filter(({ name }) => name !== 'an approval' && name !== 'a retry wait'))(
    'ends the run during $name within a second',
    async ({ start, between }) => {
      const [execution, ms] = await timed(start());
      expect(execution).toMatchObject({ stop_reason: 'timeout', error: { kind: 'timeout' } });
      expect(execution.steps.at(-1)?.state).toBe(between ? 'completed' : 'error');
      expect(ms).toBeLessThan(2000);
      await expect.poll(processLives, { timeout: 3000 }).toBe(false);
    },
  );

  it('is not waited for when a retry would come after it', async () => {
    const [execution, ms] = await timed(place.agent([], { modelClient: retryingClient() }));
    expect(execution.success).toBe(false);
    expect(ms).toBeLessThan(2000);
  });

  it('does not count while a person is asked', async () => {
    const permissionGate = personWho(async () => {
      await sleep(1500);
      return { decision: 'allow', scope: 'once', by: 'user' };
    });
    const one = place.agent([bash('echo yes > answer.txt'), finish()], {
      permissionMode: 'ask',
      permissionGate,
    });
    const [execution, ms] = await timed(one);
    expect(execution).toMatchObject({ success: true });
    expect(ms).toBeGreaterThan(1500);
    expect(readFileSync(join(place.work, 'answer.txt'), 'utf8')).toBe('yes\n');
  });
});

describe('a cost limit', () => {
  it('with a model of unknown price is refused before anything is made', async () => {
    const one = place.agent([finish()], { limits: { maxCost: 1 } });
    one.client.prices = null;
    await expect(one.agent.run('x')).rejects.toMatchObject({
      kind: 'config',
      message: expect.stringContaining('prices'),
    });
    expect(one.events).toEqual([]);
  });

  it('leaves an unknown price null in result and log, and keeps the known part', async () => {
    const one = place.agent([reply({ calls: [done()], usage: usage(1000, 100) })]);
    one.client.prices = null;
    expect(await one.agent.run('x')).toMatchObject({ cost_usd: null, cost_known_usd: 0 });
    const finished = one.events.find(({ type }) => type === 'run_finished');
    expect(finished).toMatchObject({ cost_usd: null, cost_known_usd: 0 });
    expect(one.events.at(-1)).toMatchObject({ type: 'result', cost_usd: null });
  });
});
