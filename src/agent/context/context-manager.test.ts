import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LLMMessage } from '../../llm/types.ts';
import { foldSession } from '../../session/fold.ts';
import type { FakeTool } from '../testing/fake-tools.ts';
import { call, done, reply, type Script, usage, wireError } from '../testing/scripted-client.ts';
import { type TestRun, testRun } from '../testing/test-run.ts';

const big: FakeTool = {
  permission: 'read',
  run: ({ n }) => ({ text: `${n} ${'x'.repeat(20_000)}` }),
};

function steps(count: number, from = 0): Script[] {
  return Array.from({ length: count }, (_, n) =>
    reply({ calls: [call('big', { n: n + from })], usage: { ...usage(0, 5), estimated: true } }),
  );
}

/** Each call of a reply has exactly one result, in the next message. */
function expectPaired(messages: readonly LLMMessage[]): void {
  messages.forEach((message, index) => {
    const calls = message.content.flatMap((block) =>
      block.type === 'tool_call' ? [block.call.call_id] : [],
    );
    if (calls.length === 0) return;
    const next = messages[index + 1]?.content ?? [];
    expect(next.flatMap((block) => (block.type === 'tool_result' ? [block.call_id] : []))).toEqual(
      calls,
    );
  });
}

async function expectSameFold(run: TestRun): Promise<void> {
  const folded = foldSession(await run.log.events());
  expect(folded.messages.map(({ message_id }) => message_id)).toEqual(
    run.state.conversation.messages.map(({ message_id }) => message_id),
  );
}

describe('context', () => {
  it('300 steps of 20 KB results fit a window of 32k tokens, task and steering stay, the log agrees', async () => {
    const run = testRun({
      script: [...steps(300), reply({ calls: [done()] })],
      tools: { big },
      limits: { max_steps: 400 },
      firstMessage: 'the very task',
      client: (client) => {
        client.contextWindow = 32_000;
      },
    });
    const original = run.client.stream.bind(run.client);
    run.client.stream = (request, options) => {
      if (request.purpose === 'step') return original(request, options);
      const text = 'Summary: looked at files.';
      return (async function* () {
        yield { type: 'end' as const, response: reply({ text }), usage: usage(10, 5) };
      })();
    };
    run.state.queue.push({ messageId: 'm1', text: 'remember the docs', mode: 'after_step' });
    expect(await run.execute()).toMatchObject({ success: true });
    expect(run.client.requests).toHaveLength(301);
    for (const request of run.client.requests) {
      expect(run.client.estimate(request)).toBeLessThan(32_000);
      expect(JSON.stringify(request.messages)).toContain('the very task');
      expectPaired(request.messages);
    }
    expect(JSON.stringify(run.client.requests.at(-1)?.messages)).toContain('remember the docs');
    expect(run.log.of('compaction').filter(({ ok }) => ok).length).toBeGreaterThan(3);
    await expectSameFold(run);
  });

  it.each([
    ['nothing', reply({})],
    ['an error', wireError('network')],
    ['an overflow', wireError('overflow')],
  ])('a summariser that returns %s: rules take over, no loop', async (_name, answer) => {
    const chatty: FakeTool = { permission: 'read', run: () => ({ text: 'y'.repeat(300) }) };
    const script = Array.from({ length: 200 }, (_, n) =>
      reply({
        text: 'z'.repeat(600),
        calls: [call('chatty', { n })],
        usage: { ...usage(0, 5), estimated: true },
      }),
    );
    const run = testRun({
      script: [...script, reply({ calls: [done()] })],
      tools: { chatty },
      limits: { max_steps: 300 },
      client: (client) => {
        client.contextWindow = 16_000;
      },
    });
    const original = run.client.stream.bind(run.client);
    let summaries = 0;
    run.client.stream = (request, options) => {
      if (request.purpose === 'step') return original(request, options);
      summaries += 1;
      return (async function* () {
        if ('error' in answer)
          yield { type: 'end' as const, response: null, error: answer.error, usage: usage(0, 0) };
        else
          yield {
            type: 'end' as const,
            response: answer as ReturnType<typeof reply>,
            usage: usage(0, 0),
          };
      })();
    };
    expect(await run.execute()).toMatchObject({ success: true });
    expect(summaries).toBeLessThanOrEqual(3);
    expect(run.log.of('compaction').some(({ ok, method }) => ok && method === 'rules')).toBe(true);
    await expectSameFold(run);
  });

  it('an overflow is recovered once within the step, the window is learned', async () => {
    const overflow = wireError('overflow', { overflow: { window: 20_000 } });
    const run = testRun({
      script: [...steps(12), overflow, reply({ text: 'a summary' }), reply({ calls: [done()] })],
      tools: { big },
    });
    expect(await run.execute()).toMatchObject({ success: true });
    expect(run.state.steps).toHaveLength(13);
    expect(run.state.context.window).toBe(20_000);
    const [before, , after] = run.client.requests
      .slice(-3)
      .map((request) => run.client.estimate(request));
    expect(after).toBeLessThan((before ?? 0) / 2);
  });

  it('a third overflow in one step ends the run with the sizes', async () => {
    const overflow = wireError('overflow');
    const run = testRun({ script: [...steps(12), overflow, overflow, overflow], tools: { big } });
    expect(await run.execute()).toMatchObject({
      stopReason: 'provider_error',
      error: { kind: 'context_overflow' },
    });
  });

  it('input and output together too much: the output limit is lowered', async () => {
    const overflow = wireError('overflow', {
      overflow: { window: 10_000, input: 7000, output: 8000 },
    });
    const run = testRun({ script: [overflow, reply({ calls: [done()] })] });
    await run.execute();
    expect(run.client.requests[1]?.maxOutputTokens).toBe(3000);
  });

  it('a base above the window fails at once, with no model call', async () => {
    const run = testRun({
      script: [reply({ calls: [done()] })],
      firstMessage: 'x'.repeat(200_000),
      client: (client) => {
        client.contextWindow = 16_000;
      },
    });
    expect(await run.execute()).toMatchObject({ error: { kind: 'context_overflow' } });
    expect(run.client.requests).toHaveLength(0);
  });

  it('random histories: pairs stay together and the log folds to the same conversation', async () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 9000 }), { minLength: 5, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(sizes, async (results) => {
        const sized: FakeTool = {
          permission: 'read',
          run: ({ n }) => ({ text: 'x'.repeat(results[Number(n)] ?? 0) }),
        };
        const run = testRun({
          script: [
            ...results.map((_, n) =>
              reply({
                calls: [call('sized', { n }), call('sized', { n, again: true })],
                usage: { ...usage(0, 1), estimated: true },
              }),
            ),
            reply({ calls: [done()] }),
          ],
          tools: { sized },
          client: (client) => {
            client.contextWindow = 12_000;
          },
        });
        const original = run.client.stream.bind(run.client);
        run.client.stream = (request, options) =>
          request.purpose === 'step'
            ? original(request, options)
            : (async function* () {
                yield {
                  type: 'end' as const,
                  response: reply({ text: 'short' }),
                  usage: usage(1, 1),
                };
              })();
        await run.execute();
        for (const request of run.client.requests) expectPaired(request.messages);
        await expectSameFold(run);
      }),
      { numRuns: 25 },
    );
  });
});
