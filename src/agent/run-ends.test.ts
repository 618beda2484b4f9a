import { describe, expect, it } from 'vitest';
import type { FakeTool } from './testing/fake-tools.ts';
import { call, done, reply, wireError } from './testing/scripted-client.ts';
import { type TestRun, testRun } from './testing/test-run.ts';

const edit = { permission: 'write' } as const;

describe('the ends of a run', () => {
  it('completes with task_done and its summary', async () => {
    const run = testRun({ script: [reply({ calls: [done({ summary: 'fixed' })] })] });
    expect(await run.execute()).toMatchObject({
      success: true,
      stopReason: 'completed',
      error: null,
    });
    expect(run.state.progress.finalText).toBe('fixed');
    expect(run.state.steps).toMatchObject([{ step_number: 1, state: 'completed' }]);
  });

  it.each([
    ['failed', 'gave_up'],
    ['blocked', 'blocked'],
  ])('task_done with outcome %s ends as %s', async (outcome, stopReason) => {
    const run = testRun({ script: [reply({ calls: [done({ outcome, summary: 'why' })] })] });
    expect(await run.execute()).toMatchObject({
      success: false,
      stopReason,
      error: { kind: 'self_reported', message: 'why' },
    });
  });

  it('a provider error makes the step an error', async () => {
    const run = testRun({ script: [wireError('auth')] });
    expect(await run.execute()).toMatchObject({
      stopReason: 'provider_error',
      error: { kind: 'auth' },
    });
    expect(run.state.steps).toMatchObject([{ state: 'error', error: { kind: 'auth' } }]);
  });

  it.each(['refusal', 'content_filter'] as const)('%s is a provider error', async (finish) => {
    const run = testRun({ script: [reply({ text: 'no', finish })] });
    expect(await run.execute()).toMatchObject({
      stopReason: 'provider_error',
      error: { kind: finish },
    });
    expect(run.client.requests).toHaveLength(1);
  });

  it('the step limit, told one step before', async () => {
    const script = Array.from({ length: 4 }, (_, n) => reply({ calls: [call('edit', { n })] }));
    const run = testRun({ script, tools: { edit }, limits: { max_steps: 3 } });
    expect(await run.execute()).toMatchObject({ stopReason: 'max_steps' });
    expect(run.client.requests).toHaveLength(3);
    expect(JSON.stringify(run.client.requests[2]?.messages)).toContain('last one allowed');
    expect(JSON.stringify(run.client.requests[1]?.messages)).not.toContain('last one allowed');
  });

  it('a run that completes on its last step succeeded', async () => {
    const run = testRun({ script: [reply({ calls: [done()] })], limits: { max_steps: 1 } });
    expect(await run.execute()).toMatchObject({ success: true });
    expect(JSON.stringify(run.client.requests[0]?.messages)).toContain('last one allowed');
  });

  it('the token limit ends after at most one call beyond it', async () => {
    const script = Array.from({ length: 9 }, (_, n) =>
      reply({ calls: [call('edit', { n })], usage: { ...reply({}).usage, input_tokens: 1000 } }),
    );
    const run = testRun({ script, tools: { edit }, limits: { max_tokens: 2500 } });
    expect(await run.execute()).toMatchObject({
      stopReason: 'max_tokens',
      error: { kind: 'max_tokens' },
    });
    expect(run.client.requests).toHaveLength(3);
    expect(run.log.of('budget_warning')).toMatchObject([{ budget: 'tokens', limit: 2500 }]);
  });

  it('a last call that completes beyond the token limit is a success', async () => {
    const beyond = { ...reply({}).usage, input_tokens: 5000 };
    const run = testRun({
      script: [reply({ calls: [done()], usage: beyond })],
      limits: { max_tokens: 1000 },
    });
    expect(await run.execute()).toMatchObject({ success: true });
  });

  it('the output asked for is lowered to what the token limit leaves', async () => {
    const run = testRun({
      script: [
        reply({ calls: [call('edit')], usage: { ...reply({}).usage, input_tokens: 1000 } }),
        reply({ calls: [done()] }),
      ],
      tools: { edit },
      limits: { max_tokens: 4000 },
    });
    await run.execute();
    expect(run.client.requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([4000, 2995]);
  });

  it('when completion was accepted before a cancel, the run succeeded', async () => {
    const run: TestRun = testRun({
      script: [reply({ calls: [done({ summary: 'first' })] })],
      definition: {
        isTaskCompleted: () => {
          setTimeout(() => run.state.controller.abort('cancelled'));
          return { done: true };
        },
      },
    });
    expect(await run.execute()).toMatchObject({ success: true });
  });

  it('the cost limit', async () => {
    const script = Array.from({ length: 9 }, (_, n) =>
      reply({
        calls: [call('edit', { n })],
        usage: { ...reply({}).usage, input_tokens: 1_000_000 },
      }),
    );
    const run = testRun({
      script,
      tools: { edit },
      limits: { max_cost: 3 },
      client: (client) => {
        client.prices = { input: 2, output: 10 };
        client.contextWindow = 10_000_000;
      },
    });
    expect(await run.execute()).toMatchObject({ stopReason: 'max_cost' });
    expect(run.client.requests).toHaveLength(2);
  });

  it('a throwing hook is a defect', async () => {
    const run = testRun({
      script: [reply({ calls: [done()] })],
      definition: {
        isTaskCompleted: () => {
          throw new Error('broken hook');
        },
      },
    });
    expect(await run.execute()).toMatchObject({
      stopReason: 'internal_error',
      error: { kind: 'internal_error' },
    });
    expect(run.state.steps).toMatchObject([{ state: 'error' }]);
  });

  it('a failed log ends the run', async () => {
    const run = testRun({ script: [reply({ calls: [call('edit')] })], tools: { edit } });
    run.state.log.subscribe((event) => {
      if (event.type === 'step_finished') run.log.failed = new Error('disk full');
    });
    expect(await run.execute()).toMatchObject({ error: { kind: 'log_failed' } });
  });

  it('a full disk ends the run at the next boundary, but not one that completes', async () => {
    const run = testRun({
      script: [reply({ calls: [call('edit')] }), reply({ calls: [done()] })],
      tools: { edit },
    });
    run.log.subscribe((event) => {
      run.log.diskFull ||= event.type === 'tool_finished';
    });
    expect(await run.execute()).toMatchObject({
      success: false,
      stopReason: 'internal_error',
      error: { kind: 'log_failed', message: expect.stringContaining('free some space') },
    });
    expect(run.client.requests).toHaveLength(1);
    const last = testRun({ script: [reply({ calls: [done()] })] });
    last.log.subscribe((event) => {
      last.log.diskFull ||= event.type === 'llm_response';
    });
    expect(await last.execute()).toMatchObject({ success: true });
  });

  it('a kind that is blocked', async () => {
    const run = testRun({
      script: [reply({ calls: [done()] })],
      definition: {
        isTaskCompleted: () => ({ blocked: { kind: 'review_pending', message: 'wait' } }),
      },
    });
    expect(await run.execute()).toMatchObject({
      stopReason: 'blocked',
      error: { kind: 'review_pending' },
    });
  });

  it('a plain refusal of a person', async () => {
    const tool: FakeTool = {
      permission: 'write',
      run: () => ({ kind: 'permission_denied', text: 'no', denied: true, plainRefusal: true }),
    };
    const run = testRun({ script: [reply({ calls: [call('edit')] })], tools: { edit: tool } });
    expect(await run.execute()).toMatchObject({
      stopReason: 'blocked',
      error: { kind: 'refused_by_user' },
    });
    expect(run.state.denials).toMatchObject([{ tool: 'edit', error_kind: 'permission_denied' }]);
  });
});
