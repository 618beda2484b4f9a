import { describe, expect, it } from 'vitest';
import type { DurableEvent } from '../session/events.ts';
import { SessionFold } from '../session/fold.ts';
import { exitCodeOf, STEPS_EXCEEDED_TEXT } from './exits.ts';
import type { FakeTool } from './testing/fake-tools.ts';
import { call, done, reply, type Script, usage, wireError } from './testing/scripted-client.ts';
import { type TestRunOptions, testRun } from './testing/test-run.ts';

const edit: FakeTool = { permission: 'write' };
const denied: FakeTool = {
  permission: 'write',
  run: () => ({ kind: 'permission_denied', text: 'no', denied: true }),
};
const failing: FakeTool = {
  permission: 'shell',
  run: () => ({ kind: 'command_failed', text: 'exit 1' }),
};
const unanswered: FakeTool = {
  permission: 'user',
  run: () => ({ kind: 'needs_user', text: 'nobody' }),
};
const refusing: FakeTool = {
  permission: 'write',
  run: () => ({ kind: 'permission_denied', text: 'no', denied: true, plainRefusal: true }),
};

const edits = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, n) => reply({ calls: [call('edit', { n })], ...more }));
const repeated = (count: number, make: () => Script): Script[] =>
  Array.from({ length: count }, make);
const finish = (args = {}) => reply({ calls: [done(args)] });

interface Exit {
  readonly name: string;
  readonly reason: string;
  readonly kind: string | null;
  readonly code: number;
  readonly options: TestRunOptions;
}

const tools = { edit, bash: failing, ask_user_question: unanswered };
const EXITS: readonly Exit[] = [
  {
    name: 'task_done',
    reason: 'completed',
    kind: null,
    code: 0,
    options: { script: [finish()] },
  },
  {
    name: 'a final text',
    reason: 'completed',
    kind: null,
    code: 0,
    options: { script: [reply({ text: 'a' })], textReply: 'final' },
  },
  {
    name: 'outcome failed',
    reason: 'gave_up',
    kind: 'self_reported',
    code: 1,
    options: { script: [finish({ outcome: 'failed' })] },
  },
  {
    name: 'three times no change',
    reason: 'gave_up',
    kind: 'patch_empty',
    code: 1,
    options: { script: repeated(3, finish), mustPatch: true },
  },
  {
    name: 'three times no fitting answer',
    reason: 'gave_up',
    kind: 'answer_invalid',
    code: 1,
    options: {
      script: repeated(3, () => finish({ answer: 1 })),
      answerSchema: { type: 'object' },
    },
  },
  {
    name: 'three times with a failing sibling',
    reason: 'gave_up',
    kind: 'sibling_failed',
    code: 1,
    options: {
      script: [1, 2, 3].map((n) => reply({ calls: [call('bash', { n }), done()] })),
    },
  },
  {
    name: "the kind's own reason",
    reason: 'gave_up',
    kind: 'too_early',
    code: 1,
    options: {
      script: repeated(3, finish),
      definition: {
        isTaskCompleted: () => ({ done: false, reason: 'too_early', message: 'wait' }),
      },
    },
  },
  {
    name: 'no change after a denial',
    reason: 'blocked',
    kind: 'permission_denied',
    code: 5,
    options: {
      script: [reply({ calls: [call('edit')] }), ...repeated(3, finish)],
      mustPatch: true,
      tools: { edit: denied },
    },
  },
  {
    name: 'the same call again and again',
    reason: 'gave_up',
    kind: 'repeated_call',
    code: 1,
    options: { script: repeated(6, () => reply({ calls: [call('bash')] })) },
  },
  {
    name: 'malformed calls',
    reason: 'gave_up',
    kind: 'malformed_calls',
    code: 1,
    options: { script: [1, 2, 3, 4, 5].map((n) => reply({ calls: [call(`none_${n}`)] })) },
  },
  {
    name: 'empty replies',
    reason: 'gave_up',
    kind: 'empty_reply',
    code: 1,
    options: { script: repeated(3, () => reply({ finish: 'tool_calls' })) },
  },
  {
    name: 'outcome blocked',
    reason: 'blocked',
    kind: 'self_reported',
    code: 5,
    options: { script: [finish({ outcome: 'blocked' })] },
  },
  {
    name: 'three steps of denials',
    reason: 'blocked',
    kind: 'permission_denied',
    code: 5,
    options: { script: edits(3), tools: { edit: denied } },
  },
  {
    name: 'two questions without an answer',
    reason: 'blocked',
    kind: 'needs_user',
    code: 5,
    options: {
      script: [1, 2].map((n) => reply({ calls: [call('ask_user_question', { n })] })),
    },
  },
  {
    name: 'a plain refusal',
    reason: 'blocked',
    kind: 'refused_by_user',
    code: 5,
    options: { script: edits(1), tools: { edit: refusing } },
  },
  {
    name: 'a review that waits',
    reason: 'blocked',
    kind: 'review_pending',
    code: 5,
    options: {
      script: [finish()],
      definition: {
        isTaskCompleted: () => ({ blocked: { kind: 'review_pending', message: 'wait' } }),
      },
    },
  },
  {
    name: 'the step limit',
    reason: 'max_steps',
    kind: 'max_steps',
    code: 3,
    options: { script: edits(3), limits: { max_steps: 2 } },
  },
  {
    name: 'the token limit',
    reason: 'max_tokens',
    kind: 'max_tokens',
    code: 3,
    options: { script: edits(3, { usage: usage(900, 10) }), limits: { max_tokens: 1000 } },
  },
  {
    name: 'the cost limit',
    reason: 'max_cost',
    kind: 'max_cost',
    code: 3,
    options: {
      script: edits(3, { usage: usage(1_000_000, 0) }),
      limits: { max_cost: 1 },
      client: (client) => {
        client.prices = { input: 1, output: 1 };
        client.contextWindow = 10_000_000;
      },
    },
  },
  {
    name: 'the time limit',
    reason: 'timeout',
    kind: 'timeout',
    code: 3,
    options: { script: [() => new Promise(() => undefined)], limits: { timeout_seconds: 0.05 } },
  },
  ...(['auth', 'quota', 'rate_limit', 'network', 'bad_request', 'protocol'] as const).map(
    (kind): Exit => ({
      name: `the provider: ${kind}`,
      reason: 'provider_error',
      kind,
      code: 4,
      options: { script: [wireError(kind)] },
    }),
  ),
  ...(['refusal', 'content_filter'] as const).map(
    (kind): Exit => ({
      name: kind,
      reason: 'provider_error',
      kind,
      code: 4,
      options: { script: [reply({ text: 'no', finish: kind })] },
    }),
  ),
  {
    name: 'a window nothing fits',
    reason: 'provider_error',
    kind: 'context_overflow',
    code: 4,
    options: { script: repeated(4, () => wireError('overflow')) },
  },
  {
    name: 'a defect',
    reason: 'internal_error',
    kind: 'internal_error',
    code: 1,
    options: {
      script: [finish()],
      definition: {
        isTaskCompleted: () => {
          throw new Error('broken');
        },
      },
    },
  },
];

describe('every exit', () => {
  it.each(EXITS)('$name: $reason, $kind, code $code', async ({ reason, kind, code, options }) => {
    const run = testRun({ tools, ...options });
    const exit = await run.execute();
    expect(exit).toMatchObject({ success: code === 0, stopReason: reason });
    expect(exit.error?.kind ?? null).toBe(kind);
    expect(exitCodeOf(exit.stopReason)).toBe(code);
    if (exit.error !== null) expect(exit.error.message).toMatch(/\S/);
  });

  it('cancel is 130', async () => {
    const run = testRun({ script: [finish()] });
    run.state.controller.abort('cancelled');
    const exit = await run.execute();
    expect(exit).toMatchObject({ stopReason: 'cancelled', error: { kind: 'cancelled' } });
    expect(exitCodeOf(exit.stopReason)).toBe(130);
  });

  it('has a text for a run that left none at its step limit', () => {
    expect(STEPS_EXCEEDED_TEXT).toBe('Task execution exceeded maximum steps without completion.');
  });
});

/** The states of each step as the log tells them, repetitions left out. */
function statesOf(events: readonly DurableEvent[]): string[][] {
  const fold = new SessionFold();
  const states: string[][] = [];
  for (const event of events) {
    fold.apply(event);
    fold.state().steps.forEach((step, index) => {
      const seen = states[index] ?? [];
      if (seen.at(-1) !== step.state) seen.push(step.state);
      states[index] = seen;
    });
  }
  return states;
}

describe('the states of a step', () => {
  it.each([
    ['text', { script: [reply({ text: 'a' })] }, ['thinking', 'completed']],
    ['calls', { script: edits(1) }, ['thinking', 'calling_tool', 'completed']],
    [
      'a failed call, which is no failed step',
      { script: [reply({ calls: [call('bash')] })] },
      ['thinking', 'calling_tool', 'reflecting', 'completed'],
    ],
    ['a provider error', { script: [wireError('auth')] }, ['thinking', 'error']],
  ] satisfies readonly (readonly [string, TestRunOptions, readonly string[]])[])(
    'after %s',
    async (_name, options, states) => {
      const run = testRun({ tools, limits: { max_steps: 5 }, ...options });
      run.state.log.append(run.state.scope, 'run_started', RUN_STARTED);
      await run.execute();
      expect(statesOf(await run.log.events())[0]).toEqual(states);
      expect(run.state.steps[0]?.state).toBe(states.at(-1));
    },
  );
});

const RUN_STARTED = {
  task: 'x',
  agent_type: 'test',
  provider: 'p',
  model: 'm',
  max_steps: 5,
  limits: { max_steps: 5, max_cost: null, max_tokens: null, timeout_seconds: null },
  permission_mode: 'bypass',
  sandbox: { kind: 'none', network: false },
  system: '',
  tools: [],
  instructions: [],
} as const;
