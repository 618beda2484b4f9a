import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { ApprovalCard } from '../permissions/types.ts';
import type { SessionEvent } from '../session/events.ts';
import { createSimpleConsole } from './simple-console.ts';

const usage = {
  input_tokens: 1200,
  output_tokens: 30,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 800,
  reasoning_tokens: 0,
};

/** An event with only the members the console reads. */
function event(type: string, fields: object): SessionEvent {
  return { v: 1, seq: 1, ts: '', session_id: 's', run_id: 'r', type, ...fields } as SessionEvent;
}

function terminal(env: Record<string, string> = {}, isTTY = false) {
  const stderr = Object.assign(new PassThrough(), { isTTY, columns: 80 });
  const stdin = Object.assign(new PassThrough(), {
    isTTY,
    setRawMode: () => stdin,
  });
  let text = '';
  stderr.on('data', (chunk) => {
    text += chunk;
  });
  const view = createSimpleConsole({
    type: 'simple',
    env,
    stderr: stderr as unknown as NodeJS.WriteStream,
    stdin: stdin as unknown as NodeJS.ReadStream,
  });
  return { view, stdin, text: () => text };
}

function oneStep(text: string, result: object): SessionEvent[] {
  const call = { call_id: 'c1', name: 'bash', arguments: { command: 'make' } };
  return [
    event('run_started', { max_steps: 9 }),
    event('step_started', { step_number: 1 }),
    event('llm_response', {
      purpose: 'step',
      reasoning: null,
      content: [
        { type: 'text', text },
        { type: 'tool_call', call },
      ],
    }),
    event('tool_finished', {
      call_id: 'c1',
      name: 'bash',
      success: true,
      result: 'built\n',
      error: null,
      error_kind: null,
      metadata: {},
      duration_ms: 5,
      ...result,
    }),
    event('step_finished', { step_number: 1, error: null, usage, cost_usd: null }),
  ];
}

describe('simple console', () => {
  it('prints one block for a finished step', () => {
    const { view, text } = terminal();
    for (const each of oneStep('Building.', {})) view.onEvent(each);
    expect(text()).toBe(
      'step 1/9\n  Building.\n  ✓ bash make\n    built\n  2.0k in (800 cached), 30 out, cost ?\n',
    );
  });

  it('says why a call failed and shows how much is left out', () => {
    const { view, text } = terminal();
    const failed = {
      success: false,
      error_kind: 'command_failed',
      error: 'exit code 2',
      result: Array.from({ length: 50 }, (_, at) => `line ${at}`).join('\n'),
    };
    for (const each of oneStep('', failed)) view.onEvent(each);
    expect(text()).toContain('✗ bash make');
    expect(text()).toContain('command_failed: exit code 2');
    expect(text()).toContain('44 more lines');
  });

  it('lets no escape sequence of a model or a tool through, and shows markup as typed', () => {
    const { view, text } = terminal({ FORCE_COLOR: '' });
    const evil = '\u001b]52;c;aGk=\u0007\u001b[2J\u001bP1q\u001b\\[/red]{bold}\u202e';
    for (const each of oneStep(`Hi ${evil}`, { result: evil, name: `bash${evil}` }))
      view.onEvent(each);
    expect(text()).not.toContain('\u001b');
    expect(text()).not.toContain('\u202e');
    expect(text()).toContain('[/red]{bold}');
  });

  it('has no colour with NO_COLOR and colour with FORCE_COLOR', () => {
    const plain = terminal({ NO_COLOR: '1' }, true);
    const forced = terminal({ FORCE_COLOR: '1' });
    for (const each of oneStep('x', {})) {
      plain.view.onEvent(each);
      forced.view.onEvent(each);
    }
    expect(plain.text()).not.toContain('\u001b[');
    expect(forced.text()).toContain('\u001b[32m✓');
  });
});

const card: ApprovalCard = {
  approvalId: 'apr_1',
  callId: 'c1',
  tool: 'bash',
  class: 'shell',
  summary: 'run a command',
  detail: `rm \u202efdp.exe\n${Array.from({ length: 80 }, (_, at) => `echo ${at}`).join('\n')}`,
  cwd: '/work',
  sandbox: 'none',
  network: false,
  why: 'mode ask',
  offeredRule: null,
  alwaysPossible: false,
  agent: null,
};

describe('approval question', () => {
  const ask = (keys: (stdin: PassThrough) => void) => {
    const { view, stdin, text } = terminal({}, true);
    const controller = new AbortController();
    const answer = view.askApproval(card, controller.signal);
    keys(stdin);
    return { answer, controller, text };
  };

  it('shows the whole command, with invisible characters visible', async () => {
    const { answer, controller, text } = ask(() => undefined);
    controller.abort();
    await expect(answer).rejects.toThrow();
    expect(text()).toContain('echo 79');
    expect(text()).toContain('\\u{202e}');
    expect(text()).not.toContain('  a  ');
  });

  it('is not answered by keys typed ahead', async () => {
    const { answer } = ask((stdin) => {
      stdin.write('y');
      setTimeout(() => stdin.write('y'), 100);
      setTimeout(() => stdin.write('n'), 450);
    });
    expect(await answer).toMatchObject({ decision: 'deny' });
  });

  it('has no default on Enter', async () => {
    const { answer } = ask((stdin) => {
      setTimeout(() => stdin.write('\r'), 350);
      setTimeout(() => stdin.write('s'), 450);
    });
    expect(await answer).toEqual({ decision: 'allow', scope: 'session', by: 'user' });
  });
});
