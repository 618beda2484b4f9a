import { describe, expect, it } from 'vitest';
import type { LLMMessage } from '../llm/types.ts';
import type { FakeTool } from './testing/fake-tools.ts';
import { call, done, reply, wireError } from './testing/scripted-client.ts';
import { testRun } from './testing/test-run.ts';

const edit = { permission: 'write' } as const;
const read = { permission: 'read' } as const;
const failing: FakeTool = {
  permission: 'shell',
  run: () => ({ kind: 'command_failed', text: 'exit 1' }),
};
const denied: FakeTool = {
  permission: 'write',
  run: () => ({ kind: 'permission_denied', text: 'no', denied: true }),
};

function resultsOf(message: LLMMessage | undefined) {
  return (message?.content ?? []).flatMap((block) =>
    block.type === 'tool_result'
      ? [{ id: block.call_id, name: block.name, ok: block.success, kind: block.error_kind }]
      : [],
  );
}

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

describe('replies without a call', () => {
  it('remind_once: two model calls, the second text is the answer', async () => {
    const run = testRun({
      script: [reply({ text: 'The answer is 4.' }), reply({ text: 'Done.' })],
    });
    expect(await run.execute()).toMatchObject({ success: true });
    expect(run.client.requests).toHaveLength(2);
    expect(run.state.progress.finalText).toBe('The answer is 4.\n\nDone.');
  });

  it('the reminder comes once; a later text is the answer alone', async () => {
    const run = testRun({
      script: [reply({ text: 'a' }), reply({ calls: [call('edit')] }), reply({ text: 'b' })],
      tools: { edit },
    });
    await run.execute();
    expect(run.state.progress.finalText).toBe('b');
  });

  it('final: the first text is the answer', async () => {
    const run = testRun({ script: [reply({ text: 'hello' })], textReply: 'final' });
    await run.execute();
    expect(run.state.progress.finalText).toBe('hello');
    expect(run.client.requests).toHaveLength(1);
  });

  it('must_patch without a change: exactly three calls', async () => {
    const run = testRun({
      script: ['a', 'b', 'c'].map((text) => reply({ text })),
      mustPatch: true,
    });
    expect(await run.execute()).toMatchObject({
      stopReason: 'gave_up',
      error: { kind: 'patch_empty' },
    });
    expect(run.client.requests).toHaveLength(3);
  });

  it('must_patch with writes denied is blocked', async () => {
    const run = testRun({
      script: [reply({ calls: [call('edit')] }), ...['a', 'b', 'c'].map((text) => reply({ text }))],
      tools: { edit: denied },
      mustPatch: true,
    });
    expect(await run.execute()).toMatchObject({
      stopReason: 'blocked',
      error: { kind: 'permission_denied' },
    });
  });

  it('three empty replies end the run; reasoning alone is nothing', async () => {
    const run = testRun({ script: [1, 2, 3].map(() => reply({ reasoning: 'hm' })) });
    expect(await run.execute()).toMatchObject({
      stopReason: 'gave_up',
      error: { kind: 'empty_reply' },
    });
    expect(JSON.stringify(run.client.requests[1]?.messages)).toContain('Your reply was empty');
  });

  it('a cut text is continued three times, then the joined text is the reply', async () => {
    const run = testRun({
      script: ['a', 'b', 'c', 'd'].map((text) => reply({ text, finish: 'length' })),
      textReply: 'final',
    });
    expect(await run.execute()).toMatchObject({ success: true });
    expect(run.state.progress.finalText).toBe('abcd');
    expect(run.state.steps).toHaveLength(4);
  });

  it('a pause is resent within the step, at most five times', async () => {
    const pauses = Array.from({ length: 6 }, (_, n) => reply({ text: `p${n}`, finish: 'pause' }));
    const run = testRun({ script: pauses, textReply: 'final' });
    expect(await run.execute()).toMatchObject({ success: true });
    expect(run.state.steps).toHaveLength(1);
    expect(run.client.requests).toHaveLength(6);
  });
});

describe('calls', () => {
  it.each([0, 1, 2])(
    'task_done at place %i runs after its siblings, results in call order',
    async (place) => {
      const calls = [call('edit', { n: 1 }), call('edit', { n: 2 })];
      calls.splice(place, 0, done());
      const run = testRun({ script: [reply({ calls })], tools: { edit } });
      expect(await run.execute()).toMatchObject({ success: true });
      const results = run.state.conversation.messages.at(-1);
      expect(resultsOf(results).map((one) => one.id)).toEqual(calls.map((one) => one.call_id));
    },
  );

  it('task_done beside a failing sibling is refused, alone it is accepted', async () => {
    const run = testRun({
      script: [reply({ calls: [done(), call('bash')] }), reply({ calls: [done()] })],
      tools: { bash: failing },
    });
    expect(await run.execute()).toMatchObject({ success: true });
    expect(resultsOf(run.client.requests[1]?.messages[2])).toMatchObject([
      { name: 'task_done', ok: false, kind: 'completion_refused' },
      { name: 'bash', ok: false, kind: 'command_failed' },
    ]);
  });

  it('no call of a cut reply runs, each gets truncated_arguments', async () => {
    const run = testRun({
      script: [
        reply({ calls: [call('edit'), call('edit', {}, { status: 'cut' })], finish: 'length' }),
        reply({ calls: [done()] }),
      ],
      tools: { edit },
    });
    await run.execute();
    expect(run.executor.ran).toEqual([]);
    expect(resultsOf(run.client.requests[1]?.messages[2]).map((one) => one.kind)).toEqual([
      'truncated_arguments',
      'truncated_arguments',
    ]);
  });

  it('after an unknown finish only unrepaired calls run', async () => {
    const calls = [call('edit', { n: 1 }, { repairs: ['closers'] }), call('edit', { n: 2 })];
    const run = testRun({
      script: [reply({ calls, finish: 'unknown' }), reply({ calls: [done()] })],
      tools: { edit },
    });
    await run.execute();
    expect(run.executor.ran).toEqual(['edit']);
  });

  it('a failing tool gives a reflection in user role after all results, and no words of the model', async () => {
    const run = testRun({
      script: [reply({ calls: [call('bash'), call('read')] }), reply({ calls: [done()] })],
      tools: { bash: failing, read },
    });
    await run.execute();
    const [, assistant, results, note] = run.client.requests[1]?.messages ?? [];
    expect(assistant?.role).toBe('assistant');
    expect(resultsOf(results)).toHaveLength(2);
    expect(note).toMatchObject({ role: 'user', origin: 'note' });
    expect(run.state.steps[0]?.reflection).toContain('bash failed: command_failed');
    expect(run.log.of('reflection')).toHaveLength(1);
    expect(run.state.conversation.messages.filter((one) => one.role === 'assistant')).toHaveLength(
      2,
    );
  });

  it('each request begins with the previous one, object by object', async () => {
    const script = Array.from({ length: 20 }, (_, n) =>
      reply({ calls: [call(n % 3 === 0 ? 'bash' : 'edit', { n })] }),
    );
    const run = testRun({
      script: [...script, reply({ calls: [done()] })],
      tools: { edit, bash: failing },
    });
    await run.execute();
    for (const [index, request] of run.client.requests.slice(1).entries()) {
      const before = run.client.requests[index]?.messages ?? [];
      for (const [at, message] of before.entries()) expect(request.messages[at]).toBe(message);
    }
  });
});

describe('an answer schema', () => {
  const answerSchema = {
    type: 'object',
    properties: { n: { type: 'number' } },
    required: ['n'],
  };

  it('refuses an answer that does not fit, with its pointer, and keeps one that does', async () => {
    const run = testRun({
      script: [
        reply({ calls: [done({ answer: { n: 'x' } })] }),
        reply({ calls: [done({ answer: { n: 4 } })] }),
      ],
      answerSchema,
    });
    expect(await run.execute()).toMatchObject({ success: true });
    expect(JSON.stringify(run.client.requests[1]?.messages)).toContain('/n');
    expect(run.state.progress.answer).toEqual({ value: { n: 4 } });
  });

  it('takes the single fenced block of a text', async () => {
    const run = testRun({
      script: [reply({ text: 'Here:\n```json\n{"n": 5}\n```' })],
      textReply: 'final',
      answerSchema,
    });
    expect(await run.execute()).toMatchObject({ success: true });
    expect(run.state.progress.answer).toEqual({ value: { n: 5 } });
  });

  it('three unfit answers end the run', async () => {
    const run = testRun({ script: ['a', 'b', 'c'].map((text) => reply({ text })), answerSchema });
    expect(await run.execute()).toMatchObject({
      stopReason: 'gave_up',
      error: { kind: 'answer_invalid' },
    });
  });
});
