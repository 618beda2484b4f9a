import { describe, expect, it } from 'vitest';
import { foldSession, SessionFold } from './fold.ts';
import { interruptedCall } from './interrupted-call.ts';
import {
  EventScript,
  finishedPayload,
  replyPayload,
  runFinishedPayload,
  runStartedPayload,
  sampleRun,
  toolCall,
  USAGE,
} from './testing/sample-events.ts';

function ids(script: EventScript): string[] {
  return foldSession(script.events).messages.map(({ message_id }) => message_id);
}

describe('the conversation', () => {
  it('has one message of results in call order, whatever order they finished in', () => {
    const { messages } = foldSession(sampleRun().events);
    expect(messages.map(({ message_id, role, origin }) => [message_id, role, origin])).toEqual([
      ['msg_task', 'user', 'task'],
      ['msg_r1', 'assistant', 'model'],
      ['msg_r1_results', 'user', 'tool'],
      ['msg_note', 'user', 'note'],
      ['msg_r2', 'assistant', 'model'],
    ]);
    expect(messages[1]?.raw).toMatchObject({ value: { id: 'msg_r1' } });
    expect(messages[2]?.content).toMatchObject([
      { call_id: 'c1', success: false, text: 'ERROR command_failed: exit code 1\nout' },
      { call_id: 'c2', success: true, text: 'hits' },
    ]);
  });

  it('uses the stored text for the model when there is one', () => {
    const script = sampleRun();
    script.add('llm_response', replyPayload('msg_r3', '', [toolCall('c3')]));
    script.add('tool_finished', finishedPayload('c3', 'raw', { model_text: 'what it read' }));
    expect(foldSession(script.events).messages.at(-1)?.content).toMatchObject([
      { text: 'what it read' },
    ]);
  });

  it('keeps the text of a partial reply, without calls; other purposes are not history', () => {
    const script = new EventScript()
      .add('llm_response', replyPayload('p', 'half', [toolCall('c')], { partial: true }))
      .add('llm_response', replyPayload('q', '', [toolCall('d')], { partial: true }))
      .add('llm_response', replyPayload('s', 'summary', [], { purpose: 'compaction' }));
    const { messages, open_calls } = foldSession(script.events);
    expect(messages).toEqual([
      {
        message_id: 'p',
        role: 'assistant',
        origin: 'model',
        content: [{ type: 'text', text: 'half' }],
        complete: false,
      },
    ]);
    expect(open_calls).toEqual([]);
  });

  it.each(['before', 'after'])(
    'puts a summary in place of what it replaces, its message coming %s',
    (when) => {
      const script = sampleRun();
      const compaction = {
        reason: 'user' as const,
        ok: true,
        method: 'model' as const,
        tokens_before: 9,
        tokens_after: 1,
        replaced: ['msg_r1', 'msg_r1_results'] as const,
        summary_message_id: 'msg_sum',
      };
      if (when === 'before') script.user('msg_sum', 'sum', 'summary');
      script.add('compaction', compaction);
      if (when === 'after') script.user('msg_sum', 'sum', 'summary');
      expect(ids(script)).toEqual(['msg_task', 'msg_sum', 'msg_note', 'msg_r2']);
      script.add('compaction', {
        ...compaction,
        ok: false,
        replaced: null,
        summary_message_id: null,
      });
      expect(ids(script)).toHaveLength(4);
    },
  );

  it('shortens trimmed results and leaves the log as it is', () => {
    const long = 'x'.repeat(5000);
    const script = new EventScript()
      .add('llm_response', replyPayload('r', '', [toolCall('c')]))
      .add('tool_finished', finishedPayload('c', long))
      .add('context_trimmed', {
        items: [{ call_id: 'c', bytes_before: 5000, bytes_after: 1, spill: 'tool-output/c.txt' }],
      });
    const block = foldSession(script.events).messages[1]?.content[0];
    expect(block).toMatchObject({ type: 'tool_result', call_id: 'c' });
    expect(JSON.stringify(block)).toContain('tool-output/c.txt');
    expect(JSON.stringify(block).length).toBeLessThan(500);
  });

  it('goes back to before a step, also over a compaction, and starts anew after a clear', () => {
    const script = sampleRun();
    script.scope = { run_id: 'run_2' };
    script
      .add('run_started', runStartedPayload('Next'))
      .user('msg_next', 'Next', 'task')
      .step(1, 3)
      .add('llm_response', replyPayload('msg_r3', 'a', [toolCall('c3')]))
      .add('tool_finished', finishedPayload('c3', 'x'))
      .step(2, 4)
      .add('llm_response', replyPayload('msg_r4', 'b'));
    const before = ids(script);
    script.user('msg_sum', 'sum', 'summary').add('compaction', {
      reason: 'user',
      ok: true,
      method: 'rules',
      tokens_before: 2,
      tokens_after: 1,
      replaced: ['msg_r1', 'msg_r3_results'],
      summary_message_id: 'msg_sum',
    });
    expect(ids(script)).toEqual(['msg_task', 'msg_sum', 'msg_r4']);
    const rewind = (step: number) =>
      script.add('history_rewound', { to_session_step: step, restored: [], conflicts: [] });
    rewind(4);
    expect(ids(script)).toEqual(before.slice(0, -1));
    rewind(3);
    expect(ids(script)).toEqual(['msg_task', 'msg_r1', 'msg_r1_results', 'msg_note', 'msg_r2']);
    rewind(2);
    expect(ids(script)).toEqual(['msg_task', 'msg_r1', 'msg_r1_results', 'msg_note']);
    expect(foldSession(script.events).session_step).toBe(4);
    script.add('history_cleared', {});
    expect(ids(script)).toEqual([]);
  });

  it('is not touched by sub-agents', () => {
    const script = sampleRun();
    const child = { run_id: 'run_c', parent_run_id: 'run_1', parent_call_id: 'c1' };
    const before = ids(script);
    script
      .add('run_started', runStartedPayload('sub'), child)
      .add('llm_response', replyPayload('msg_c', 'x', [toolCall('cc')]), child);
    expect(ids(script)).toEqual(before);
    expect(foldSession(script.events).open_calls).toEqual([]);
  });
});

describe('an interrupted run', () => {
  it('tells started calls from those that never started, and their results complete the step (R11)', () => {
    const script = new EventScript()
      .add('run_started', runStartedPayload('Fix it'))
      .user('t', 'Fix it', 'task')
      .step(1)
      .add('llm_response', replyPayload('r', '', [toolCall('a'), toolCall('b'), toolCall('c')]))
      .started('a')
      .add('tool_finished', finishedPayload('a', 'real'))
      .started('b');
    const { open_calls, runs } = foldSession(script.events);
    expect(
      open_calls.map(({ call, started, step_number }) => [call.call_id, started, step_number]),
    ).toEqual([
      ['b', true, 1],
      ['c', false, 1],
    ]);
    expect(runs[0]?.state).toBe('running');
    for (const open of open_calls) script.add('tool_finished', interruptedCall(open));
    script.add('run_interrupted', { last_seq: script.events.length, open_calls: ['b', 'c'] });
    const settled = foldSession(script.events);
    expect(settled.open_calls).toEqual([]);
    expect(settled.runs[0]?.state).toBe('interrupted');
    expect(settled.messages.at(-1)?.content).toMatchObject([
      { text: 'real', success: true },
      { error_kind: 'interrupted', text: expect.stringContaining('outcome unknown') },
      { error_kind: 'interrupted', text: expect.stringContaining('never started') },
    ]);
  });

  it('keeps open approvals, questions and waiting messages', () => {
    const script = new EventScript()
      .add('llm_response', replyPayload('r', '', [toolCall('a'), toolCall('b', 'ask_user')]))
      .add('steer_queued', { message_id: 'm1', text: 'x', mode: 'after_step' })
      .add('steer_queued', { message_id: 'm2', text: 'y', mode: 'follow_up' })
      .user('m1', 'x', 'steer')
      .add('question_asked', {
        question_id: 'q',
        call_id: 'b',
        question: '?',
        choices: [],
        allow_free_text: true,
      })
      .add('approval_requested', {
        approval_id: 'p',
        call_id: 'a',
        tool: 'bash',
        class: 'shell',
        summary: 's',
        detail: 'd',
        cwd: '/',
        args_sha256: 'x',
        why: 'w',
      });
    const open = foldSession(script.events);
    expect(open.open_approvals).toMatchObject([{ request: { approval_id: 'p' }, answer: null }]);
    expect(open.open_questions).toMatchObject([{ question: { question_id: 'q' }, answer: null }]);
    expect(open.queued_messages).toEqual([{ message_id: 'm2', text: 'y', mode: 'follow_up' }]);
    script.add('approval_resolved', {
      approval_id: 'p',
      decision: 'allow',
      scope: 'once',
      by: 'user',
    });
    expect(foldSession(script.events).open_approvals[0]?.answer).toMatchObject({
      decision: 'allow',
    });
    script.started('a').add('tool_finished', finishedPayload('b', 'answer'));
    const used = foldSession(script.events);
    expect([used.open_approvals, used.open_questions]).toEqual([[], []]);
  });
});

describe('runs, tasks and totals', () => {
  it('gives a resumed task one number sequence and the sum of its runs', () => {
    const script = sampleRun();
    script.scope = { run_id: 'run_2' };
    script
      .add('run_started', runStartedPayload('Fix it', { resumes: 'run_1', model: 'm-2' }))
      .step(3)
      .add('llm_response', replyPayload('x', 'more', [], { cost_usd: null }));
    const state = foldSession(script.events);
    expect(state.tasks).toMatchObject([
      { run_ids: ['run_1', 'run_2'], next_step_number: 4, state: 'running', cost_usd: null },
    ]);
    expect(state.tasks[0]?.cost_known_usd).toBe(0.001);
    expect(state).toMatchObject({ model: 'm-2', session_step: 3, cost_usd: null });
    expect(state.usage.input_tokens).toBe(USAGE.input_tokens * 2);
  });

  it('counts what a sub-agent spent once', () => {
    const child = { run_id: 'run_c', parent_run_id: 'run_1', parent_call_id: 'c1' };
    const script = new EventScript()
      .add('run_started', runStartedPayload('t'))
      .add('run_started', runStartedPayload('sub'), child)
      .add('llm_response', replyPayload('a', 'x'), child)
      .add('run_finished', runFinishedPayload(), child)
      .add('llm_response', replyPayload('b', 'y'));
    const state = foldSession(script.events);
    expect(state.usage.output_tokens).toBe(10);
    expect(state.runs.map(({ usage }) => usage.output_tokens)).toEqual([10, 5]);
    expect(state.cost_usd).toBe(0.002);
    expect(state.tasks).toHaveLength(1);
  });

  it('records steps with their results in call order', () => {
    const { steps } = foldSession(sampleRun().events);
    expect(steps.map(({ step_number, state }) => [step_number, state])).toEqual([
      [1, 'completed'],
      [2, 'completed'],
    ]);
    expect(steps[0]?.results.map(({ call_id }) => call_id)).toEqual(['c1', 'c2']);
    expect(steps[0]?.reflection).toBe('[note] bash failed');
  });

  it('is the same from every prefix, folded at once or event by event', () => {
    const { events } = sampleRun();
    const fold = new SessionFold();
    const states = events.map((event) => {
      fold.apply(event);
      return JSON.stringify(fold.state());
    });
    states.forEach((state, index) => {
      expect(JSON.stringify(foldSession(events.slice(0, index + 1)))).toBe(state);
    });
  });

  it('folds 10,000 events quickly', () => {
    const script = new EventScript().add('run_started', runStartedPayload('t'));
    for (let step = 1; step <= 2000; step += 1) {
      script
        .step(step)
        .add('llm_response', replyPayload(`m${step}`, 'x', [toolCall(`c${step}`)]))
        .started(`c${step}`)
        .add('tool_finished', finishedPayload(`c${step}`, 'r'))
        .endStep(step);
    }
    const started = performance.now();
    expect(foldSession(script.events).messages).toHaveLength(4000);
    expect(performance.now() - started).toBeLessThan(500);
  });
});
