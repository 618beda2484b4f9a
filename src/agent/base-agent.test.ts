import { describe, expect, it } from 'vitest';
import type { LLMMessage } from '../llm/types.ts';
import { BaseAgent } from './base-agent.ts';
import type { FakeTool } from './testing/fake-tools.ts';
import { call, done, reply } from './testing/scripted-client.ts';
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

  it.each(['tool_calls', 'stop', 'unknown'] as const)('calls of a %s finish run', async (end) => {
    const run = testRun({
      script: [reply({ calls: [call('edit')], finish: end }), reply({ calls: [done()] })],
      tools: { edit },
    });
    expect(await run.execute()).toMatchObject({ success: true });
    expect(run.executor.ran).toEqual(['edit']);
  });

  it('a stop at the end of the window is recovered within the step', async () => {
    const cut = {
      ...reply({ text: 'cut off' }),
      raw_finish_reason: 'model_context_window_exceeded',
    };
    const run = testRun({ script: [cut, reply({ calls: [done()] })] });
    expect(await run.execute()).toMatchObject({ success: true });
    expect(run.state.steps).toHaveLength(1);
    expect(JSON.stringify(run.client.requests[1]?.messages)).not.toContain('cut off');
  });

  it('provider ids that repeat are no reason not to run', async () => {
    const script = Array.from({ length: 8 }, (_, n) =>
      reply({
        calls: [call('edit', { n }, { id: 'call_0' }), call('read', { n }, { id: 'call_0' })],
      }),
    );
    const run = testRun({ script: [...script, reply({ calls: [done()] })], tools: { edit, read } });
    expect(await run.execute()).toMatchObject({ success: true });
    expect(run.executor.ran).toHaveLength(16);
  });

  it('the endpoint beginning to answer is told, once for each reply', async () => {
    const run = testRun({ script: [reply({ text: 'a' }), reply({ calls: [done()] })] });
    let answered = 0;
    const state = { ...run.state, requestLeft: () => (answered += 1) };
    await new BaseAgent(state).executeTask();
    expect(answered).toBe(2);
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
