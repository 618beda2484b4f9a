import { describe, expect, it } from 'vitest';
import type { FakeTool } from './testing/fake-tools.ts';
import { call, done, reply, type ScriptFunction } from './testing/scripted-client.ts';
import { type TestRun, testRun } from './testing/test-run.ts';

const bash: FakeTool = { permission: 'shell' };

function textsOf(run: TestRun, request: number): string {
  return JSON.stringify(run.client.requests[request]?.messages);
}

function push(run: TestRun, text: string, mode: 'after_step' | 'now' = 'after_step'): void {
  run.state.queue.push({ messageId: `msg_${text}`, text, mode });
}

/** A tool during which the user writes. */
function pushing(run: () => TestRun, text: string, mode: 'after_step' | 'now' = 'after_step') {
  return () => {
    push(run(), text, mode);
    return { text: 'ok' };
  };
}

/** Ends with what was streamed when its signal is aborted. */
const untilAborted =
  (partial: string): ScriptFunction =>
  (_request, { signal }) =>
    new Promise((resolve) => {
      signal?.addEventListener('abort', () =>
        resolve({
          error: { kind: 'aborted', message: 'aborted', retryable: false },
          partial: reply({ text: partial, calls: [call('bash')], complete: false }),
        }),
      );
    });

describe('messages during a run', () => {
  it('reaches the next request in user role', async () => {
    const run: TestRun = testRun({
      script: [reply({ calls: [call('bash')] }), reply({ calls: [done()] })],
      tools: {
        bash: { permission: 'shell', run: pushing(() => run, 'also the docs') },
      },
    });
    await run.execute();
    expect(textsOf(run, 1)).toContain('also the docs');
    expect(run.state.conversation.messages.find(({ origin }) => origin === 'steer')).toMatchObject({
      role: 'user',
    });
  });

  it('now: a streaming reply is stopped, its text kept, its calls dropped', async () => {
    const run = testRun({ script: [untilAborted('I was about to'), reply({ calls: [done()] })] });
    setTimeout(() => push(run, 'stop that', 'now'), 30);
    expect(await run.execute()).toMatchObject({ success: true });
    expect(textsOf(run, 1)).toContain('I was about to');
    expect(textsOf(run, 1)).toContain('stop that');
    expect(run.log.of('llm_response')[0]).toMatchObject({ partial: true });
    expect(run.state.steps[0]).toMatchObject({ state: 'completed', tool_calls: null });
  });

  it('now: calls not started get skipped, then the message follows', async () => {
    const run: TestRun = testRun({
      script: [reply({ calls: [call('first'), call('bash')] }), reply({ calls: [done()] })],
      tools: {
        first: { permission: 'shell', run: pushing(() => run, 'wait', 'now') },
        bash,
      },
    });
    await run.execute();
    expect(run.executor.ran).toEqual(['first']);
    expect(textsOf(run, 1)).toContain('ERROR skipped');
  });

  it('a message that waits when completion is accepted keeps the run going', async () => {
    const run: TestRun = testRun({
      script: [
        reply({ calls: [call('bash'), done()] }),
        reply({ calls: [done({ summary: 'both' })] }),
      ],
      tools: { bash: { permission: 'shell', run: pushing(() => run, 'one more') } },
    });
    expect(await run.execute()).toMatchObject({ success: true });
    expect(run.client.requests).toHaveLength(2);
    expect(textsOf(run, 1)).toContain('Task done.');
    expect(run.state.progress.finalText).toBe('both');
  });

  it('stays queued when the run ends otherwise', async () => {
    const run: TestRun = testRun({
      script: [reply({ calls: [call('bash')] })],
      tools: { bash: { permission: 'shell', run: pushing(() => run, 'late') } },
      limits: { max_steps: 1 },
    });
    expect(await run.execute()).toMatchObject({ stopReason: 'max_steps' });
    expect(run.state.queue.texts()).toEqual(['late']);
  });
});

describe('the end from outside', () => {
  it.each([
    ['cancelled', 'cancelled'],
    ['timeout', 'timeout'],
  ])(
    '%s while the model streams: partial text stays, the step is an error',
    async (cause, reason) => {
      const run = testRun({ script: [untilAborted('half a sen')] });
      setTimeout(() => run.state.controller.abort(cause), 20);
      const began = performance.now();
      expect(await run.execute()).toMatchObject({ stopReason: reason, error: { kind: reason } });
      expect(performance.now() - began).toBeLessThan(1000);
      expect(run.state.steps).toMatchObject([{ state: 'error', error: { kind: reason } }]);
      expect(run.state.conversation.messages.at(-1)).toMatchObject({
        complete: false,
        content: [{ type: 'text', text: 'half a sen' }],
      });
    },
  );

  it('cancel during a tool: every open call gets cancelled, the history stays valid', async () => {
    const run: TestRun = testRun({
      script: [reply({ calls: [call('slow'), call('bash')] })],
      tools: {
        slow: {
          permission: 'shell',
          run: () => {
            run.state.controller.abort('cancelled');
            return {};
          },
        },
        bash,
      },
    });
    expect(await run.execute()).toMatchObject({ stopReason: 'cancelled' });
    const results = run.state.conversation.messages.at(-1)?.content;
    expect(results).toMatchObject([{ error_kind: 'cancelled' }, { error_kind: 'cancelled' }]);
  });

  it('cancel before the first request asks nothing', async () => {
    const run = testRun({ script: [reply({ calls: [done()] })] });
    run.state.controller.abort('cancelled');
    expect(await run.execute()).toMatchObject({ stopReason: 'cancelled' });
    expect(run.client.requests).toHaveLength(0);
  });

  it('the deadline ends a hanging model call', async () => {
    const run = testRun({ script: [untilAborted('x')], limits: { timeout_seconds: 0.1 } });
    const began = performance.now();
    expect(await run.execute()).toMatchObject({ stopReason: 'timeout' });
    expect(performance.now() - began).toBeLessThan(1000);
  });

  it('waiting for a person does not count as time', async () => {
    const run: TestRun = testRun({
      script: [reply({ calls: [call('ask')] }), reply({ calls: [done()] })],
      tools: {
        ask: {
          permission: 'user',
          run: async () => {
            run.state.budgets.personWaitStarted();
            await new Promise((resolve) => setTimeout(resolve, 300));
            run.state.budgets.personWaitEnded();
            return { text: 'yes' };
          },
        },
      },
      limits: { timeout_seconds: 0.2 },
    });
    expect(await run.execute()).toMatchObject({ success: true });
  });
});
