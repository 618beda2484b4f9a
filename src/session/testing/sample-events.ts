/** Events of made-up sessions, for tests of what is folded from them. */
import type { ContentBlock, LLMMessage, LLMUsage, ToolCall } from '../../llm/types.ts';
import type { DurableEvent, DurablePayloads, DurableType, EventScope } from '../events.ts';

export const USAGE: LLMUsage = {
  input_tokens: 10,
  output_tokens: 5,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 2,
  reasoning_tokens: 1,
};

export function userText(
  id: string,
  text: string,
  origin: LLMMessage['origin'] = 'user',
): LLMMessage {
  return { message_id: id, role: 'user', origin, content: [{ type: 'text', text }] };
}

export function toolCall(id: string, name = 'bash', args = {}): ToolCall {
  return {
    call_id: id,
    name,
    arguments: args,
    id: `provider_${id}`,
    raw_name: name,
    index: 0,
    status: 'ok',
    repairs: [],
    source: 'structured',
    wire_seed: id,
  };
}

export function replyPayload(
  id: string,
  text: string,
  calls: readonly ToolCall[] = [],
  changes: Partial<DurablePayloads['llm_response']> = {},
): DurablePayloads['llm_response'] {
  const content: ContentBlock[] = [
    ...(text === '' ? [] : [{ type: 'text', text } as const]),
    ...calls.map((call) => ({ type: 'tool_call', call }) as const),
  ];
  return {
    purpose: 'step',
    message_id: id,
    provider: 'openai',
    model: 'm-1',
    reasoning: null,
    finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
    raw_finish_reason: null,
    usage: { ...USAGE, estimated: false },
    complete: true,
    raw: { replay_key: 'k', protocol: 'chat', value: { id } },
    flags: [],
    ttft_ms: 3,
    duration_ms: 9,
    attempts: 1,
    request_sha256: 'ab'.repeat(32),
    content,
    cost_usd: 0.001,
    partial: false,
    estimated_tokens: 12,
    ...changes,
  };
}

export function finishedPayload(
  call: string,
  result: string,
  changes: Partial<DurablePayloads['tool_finished']> = {},
): DurablePayloads['tool_finished'] {
  return {
    call_id: call,
    name: 'bash',
    success: true,
    result,
    error: null,
    id: `provider_${call}`,
    error_kind: null,
    metadata: {},
    duration_ms: 4,
    spill: null,
    files_changed: [],
    ...changes,
  };
}

export function runStartedPayload(
  task: string,
  changes: Partial<DurablePayloads['run_started']> = {},
): DurablePayloads['run_started'] {
  return {
    task,
    agent_type: 'coding',
    provider: 'openai',
    model: 'm-1',
    max_steps: 200,
    limits: { max_steps: 200, max_cost: null, max_tokens: null, timeout_seconds: null },
    permission_mode: 'auto',
    sandbox: { kind: 'bwrap', network: false },
    system: 'You are a coding agent.',
    tools: [{ name: 'bash', class: 'shell', source: 'native', description: 'Runs.', schema: {} }],
    instructions: [],
    ...changes,
  };
}

export function runFinishedPayload(
  changes: Partial<DurablePayloads['run_finished']> = {},
): DurablePayloads['run_finished'] {
  return {
    agent_state: 'completed',
    success: true,
    stop_reason: 'completed',
    final_result: 'done',
    error: null,
    steps: 1,
    usage: USAGE,
    cost_usd: 0.001,
    cost_known_usd: 0.001,
    duration_ms: 1500,
    denials: [],
    patch: null,
    undelivered_messages: [],
    ...changes,
  };
}

/** Collects events the way a log numbers them; each is one second after the one before. */
export class EventScript {
  readonly events: DurableEvent[] = [];
  scope: EventScope = { run_id: 'run_1' };

  add<T extends DurableType>(type: T, payload: DurablePayloads[T], scope = this.scope): this {
    const seq = this.events.length + 1;
    const ts = new Date(Date.UTC(2025, 0, 1) + seq * 1000).toISOString();
    const event = { v: 1, seq, ts, session_id: 'ses_test', ...scope, type, ...payload };
    this.events.push(JSON.parse(JSON.stringify(event)));
    return this;
  }

  step(number: number, sessionStep: number | null = number): this {
    return this.add('step_started', { step_number: number, session_step: sessionStep });
  }

  endStep(number: number, state: 'completed' | 'error' = 'completed'): this {
    return this.add('step_finished', {
      step_number: number,
      session_step: number,
      state,
      error: state === 'error' ? { kind: 'network', message: 'gone' } : null,
      usage: USAGE,
      cost_usd: 0.001,
    });
  }

  user(id: string, text: string, origin: LLMMessage['origin'] = 'user'): this {
    return this.add('message_added', { message: userText(id, text, origin) });
  }

  started(call: string, name = 'bash'): this {
    return this.add('tool_started', {
      call_id: call,
      name,
      title: name,
      arguments: {},
      class: 'shell',
      decision: { outcome: 'allow', rule: null, by: 'mode:auto' },
      sandbox: { kind: 'bwrap', network: false },
    });
  }
}

/** A run with two parallel calls, a failing one, a note and an end. */
export function sampleRun(): EventScript {
  const script = new EventScript()
    .add(
      'session_started',
      {
        schema: 1,
        version: '0.1.0',
        user: 'local',
        workspace: '/work',
        agent_type: 'coding',
        session_prefixes: [],
      },
      { run_id: null },
    )
    .add('run_started', runStartedPayload('Fix it'))
    .user('msg_task', 'Fix it', 'task')
    .step(1)
    .add(
      'llm_response',
      replyPayload('msg_r1', 'Looking.', [toolCall('c1'), toolCall('c2', 'grep')]),
    );
  return script
    .started('c1')
    .add('tool_finished', finishedPayload('c2', 'hits', { name: 'grep' }))
    .add(
      'tool_finished',
      finishedPayload('c1', 'out', {
        success: false,
        error: 'exit code 1',
        error_kind: 'command_failed',
      }),
    )
    .add('reflection', { step_number: 1, text: '[note] bash failed', reasons: ['failed_results'] })
    .user('msg_note', '[note] bash failed', 'note')
    .endStep(1)
    .step(2)
    .add('llm_response', replyPayload('msg_r2', 'Done.'))
    .endStep(2)
    .add('run_finished', runFinishedPayload({ steps: 2 }));
}
