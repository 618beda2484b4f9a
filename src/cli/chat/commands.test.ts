import { afterEach, describe, expect, it } from 'vitest';
import type { CLIConsole } from '../../console/types.ts';
import type { SessionEvent } from '../../session/events.ts';
import { NOTHING_SPENT } from '../../session/session-usage.ts';
import { testIo } from '../testing.ts';
import { ChatState } from './chat-state.ts';
import { type ChatTarget, handleMessage } from './commands.ts';
import { messageSource } from './messages.ts';

const calls: string[] = [];
afterEach(() => {
  calls.length = 0;
});
const target: ChatTarget = {
  clear: async () => {
    calls.push('clear');
  },
  setModel: async (id) => {
    calls.push(`model ${id}`);
  },
};

function newState(): ChatState {
  return new ChatState({
    flags: {},
    workspace: '/w',
    agentType: 'coding',
    sessionId: null,
    earlier: NOTHING_SPENT,
  });
}

async function type(text: string, state = newState()) {
  const printed: string[] = [];
  const input = await handleMessage(text, target, state, (lines) => printed.push(lines));
  return { ...input, printed: printed.join('\n') };
}

const usage = (input: number) => ({
  input_tokens: input,
  output_tokens: 1,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 2,
  reasoning_tokens: 0,
});

function event(type: string, fields: object): SessionEvent {
  return { v: 1, seq: 1, ts: '', session_id: 's1', run_id: 'r', type, ...fields } as SessionEvent;
}

describe('a message in chat', () => {
  it.each([
    'fix the test',
    'help me with this',
    '/exit\nmore text',
    'exit\nplease',
    ' clear it up',
  ])('%j is a task', async (text) => {
    expect(await type(text)).toMatchObject({ kind: 'task', text });
  });

  it('with two slashes is a task with one', async () => {
    expect(await type('//etc/hosts')).toMatchObject({ kind: 'task', text: '/etc/hosts' });
  });

  it.each(['exit', 'EXIT', 'quit', '/exit', ' /quit '])('%j leaves', async (text) => {
    expect((await type(text)).kind).toBe('leave');
  });

  it('that is an unknown command names the nearest and is no task', async () => {
    const { kind, printed } = await type('/stauts now');
    expect(kind).toBe('handled');
    expect(printed).toContain('/status');
  });

  it('can clear and switch the model', async () => {
    const state = newState();
    expect((await type('clear', state)).kind).toBe('handled');
    expect((await type('/model other', state)).printed).toContain('other');
    expect(calls).toEqual(['clear', 'model other']);
    expect((await type('/model', state)).printed).toContain('other, from the next task on');
  });

  it('shows status, tools and cost from the events', async () => {
    const state = newState();
    const tools = [{ name: 'bash', class: 'shell', description: 'Runs.', schema: { a: 1 } }];
    const sandbox = { kind: 'bwrap', network: false };
    state.onEvent(
      event('run_started', { provider: 'p', model: 'm', permission_mode: 'ask', sandbox, tools }),
    );
    const reply = (cost: number | null) =>
      event('llm_response', {
        model: 'm',
        purpose: 'step',
        cost_usd: cost,
        usage: usage(10),
      });
    state.onEvent(reply(0.5));
    state.onEvent(event('usage', { context_tokens: 50, context_window: 200 }));
    const status = (await type('status', state)).printed;
    for (const words of ['s1', 'p / m', 'ask', 'bwrap, network off', '25 % of 200'])
      expect(status).toContain(words);
    expect((await type('/tools bash', state)).printed).toContain('"a": 1');
    expect((await type('/tools bsh', state)).printed).toContain('"bash"');
    expect((await type('/cost', state)).printed).toContain(
      'm, step: 12 in (2 cached), 1 out, $0.5',
    );
    state.onEvent(reply(null));
    expect((await type('/cost', state)).printed).toContain('? (known part $0.5');
  });
});

describe('messages from a pipe', () => {
  it('are its lines, joined by a trailing backslash, until it ends', async () => {
    const source = messageSource(testIo({ stdin: 'one\ntwo \\\nthree\n\nend' }), {} as CLIConsole);
    const { signal } = new AbortController();
    const seen: (string | null)[] = [];
    for (let index = 0; index < 5; index++) seen.push(await source.next(signal));
    expect(seen).toEqual(['one', 'two \nthree', '', 'end', null]);
    source.close();
    expect(await source.next(AbortSignal.abort())).toBeNull();
  });
});
