import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { ToolFailure } from '../errors.ts';
import type { EventOf } from '../session/events.ts';
import { fakeExecutor, fakeTool, toolCall } from './testing/fake-session.ts';
import { echo, schema, shell } from './testing/small-tools.ts';

describe('one result for every call', () => {
  it('runs, logs start before the effect and the result, in order', async () => {
    const order: string[] = [];
    const fake = fakeExecutor({
      tools: [
        shell(() => {
          order.push('effect');
          return Promise.resolve({ content: 'out' });
        }),
      ],
    });
    const append = fake.log.append.bind(fake.log);
    fake.session.log.append = (scope, type, payload) => {
      order.push(type);
      return append(scope, type, payload);
    };
    const [done] = await fake.run([toolCall('bash', { command: 'make' })]);
    expect(done).toMatchObject({
      modelText: 'out',
      acting: true,
      class: 'shell',
      malformed: false,
    });
    expect(order).toEqual(['tool_started', 'effect', 'tool_finished']);
    expect(fake.audit.map((entry) => entry.event)).toEqual(['permission', 'exec']);
    const finished = fake.log.seen.at(-1) as EventOf<'tool_finished'>;
    expect(finished.model_text).toBe('out');
    expect(finished.metadata).toMatchObject({ action: 'bash', source: 'bash', trust: 'untrusted' });
  });

  it.each([
    [
      'throws text',
      () => {
        throw 'boom';
      },
      'internal_error',
    ],
    ['rejects', () => Promise.reject(new Error('secret detail')), 'internal_error'],
    ['returns nothing', () => Promise.resolve(undefined as never), 'internal_error'],
    [
      'fails as expected',
      () => Promise.reject(new ToolFailure('no_match', 'nothing there')),
      'no_match',
    ],
  ] as const)('when a tool %s', async (_what, run, kind) => {
    const fake = fakeExecutor({ tools: [fakeTool({ name: 'odd', run })] });
    const [done] = await fake.run([toolCall('odd')]);
    expect(done?.result).toMatchObject({ success: false, error_kind: kind });
    expect(done?.modelText).toMatch(new RegExp(`^ERROR ${kind}: `));
    expect(done?.modelText).not.toContain('secret detail');
    await fake.executor.closeTools();
    const log = join(fake.folder, 'errors.log');
    expect(existsSync(log)).toBe(kind === 'internal_error');
  });

  it('checks a machine result against its own schema', async () => {
    const tool = fakeTool({
      name: 'machine',
      outputSchema: schema({ n: { type: 'integer' } }, ['n']),
      run: () => Promise.resolve({ content: 'x', machine: { n: 'no' } }),
    });
    const [done] = await fakeExecutor({ tools: [tool] }).run([toolCall('machine')]);
    expect(done?.modelText).toContain('ERROR invalid_output: ');
    expect(done?.modelText).toContain('/n: expected integer');
  });

  it('gives faults of the argument text as they are, and runs nothing of a cut call', async () => {
    const run = vi.fn();
    const fake = fakeExecutor({ tools: [{ ...echo, run }] });
    const fault = {
      kind: 'cut',
      message: 'cut after 10 characters',
      position: 10,
      tail: '',
      truncated: true,
    } as const;
    const [cut, bad] = await fake.run([
      toolCall('echo_text', {}, { status: 'cut', fault }),
      toolCall(
        'echo_text',
        {},
        { status: 'invalid', fault: { ...fault, kind: 'invalid_json', message: 'bad JSON at 3' } },
      ),
    ]);
    expect(cut?.modelText).toBe(
      'ERROR truncated_arguments: cut after 10 characters\nSend less per call.',
    );
    expect(bad?.modelText).toContain(
      'ERROR invalid_arguments: bad JSON at 3\nCorrect the arguments',
    );
    expect(bad?.modelText).toContain('schema of echo_text: {"type":"object"');
    expect(cut?.malformed).toBe(true);
    expect(run).not.toHaveBeenCalled();
  });

  it('finds tools by other spellings and names the nearest for an unknown one', async () => {
    const fake = fakeExecutor({
      tools: [shell(), echo],
      policy: { mode: 'ask', rules: [{ text: 'bash', list: 'deny', scope: 'user' }] },
      offer: ['bash', 'echo_text'],
    });
    const [found, unknown] = await fake.run([
      toolCall('functions.EchoText', { text: 'hi' }),
      toolCall('ecco_text', { text: 'hi' }),
    ]);
    expect(found).toMatchObject({ resolvedName: 'echo_text', modelText: 'hi' });
    expect(found?.result.metadata.resolved_from).toBe('functions.EchoText');
    expect(unknown?.modelText).toContain(
      'ERROR unknown_tool: there is no tool "ecco_text" here; nearest: echo_text',
    );
  });

  it('refuses other spellings of a denied tool alike', async () => {
    const rules = [{ text: 'bash(rm *)', list: 'deny', scope: 'user' } as const];
    const fake = fakeExecutor({ tools: [shell()], policy: { rules } });
    for (const name of ['bash', 'Bash', 'bash_', 'functions.bash']) {
      const [done] = await fake.run([toolCall(name, { command: 'rm x' })]);
      expect(done?.result.error_kind).toBe('policy_denied');
      expect(done?.denial).toEqual({ rule: 'bash(rm *)', scope: 'user' });
    }
  });

  it('executes calls whose provider ids repeat', async () => {
    const fake = fakeExecutor({ tools: [echo] });
    const done = await fake.run([
      toolCall('echo_text', { text: 'a' }),
      toolCall('echo_text', { text: 'b' }),
    ]);
    expect(done.map((one) => [one.result.id, one.modelText])).toEqual([
      ['call_0', 'a'],
      ['call_0', 'b'],
    ]);
  });

  it('repeats the schema from the second malformed call of a tool on', async () => {
    const fake = fakeExecutor({ tools: [echo] });
    const texts = [];
    for (const args of [{}, {}, { text: 'ok' }, {}]) {
      const [done] = await fake.run([toolCall('echo_text', args as never)]);
      texts.push(done?.modelText.includes('schema of echo_text'));
    }
    expect(texts).toEqual([false, true, false, false]);
  });

  it('tells lowered values and ignored parameters', async () => {
    const tool = fakeTool({
      name: 'look',
      parameters: schema({ max: { type: 'integer', maximum: 5, 'x-clamp': true } }),
    });
    const [done] = await fakeExecutor({ tools: [tool] }).run([
      toolCall('look', { max: '9', mox: 1 }),
    ]);
    expect(done?.modelText).toBe(
      'ok\n[max was lowered from 9 to 5, the maximum]\n[the unknown parameter mox was ignored (nearest: max)]',
    );
    expect(done?.result.metadata.coercions).toEqual([
      '/max: text to integer',
      '/max: 9 lowered to 5',
    ]);
  });

  it('keeps each result to its call whatever the mix, one for one and in order', async () => {
    const slow = fakeTool({
      name: 'slow',
      parallelSafe: true,
      parameters: schema({ n: { type: 'integer' } }, ['n']),
      run: async (args) => {
        await new Promise((resolve) => setTimeout(resolve, (Number(args.n) * 7) % 5));
        if (Number(args.n) % 4 === 3) throw new ToolFailure('not_found', `${args.n}`);
        return { content: String(args.n) };
      },
    });
    const act = { ...slow, name: 'act', parallelSafe: false, permission: 'state' as const };
    const fake = fakeExecutor({ tools: [slow, act] });
    const one = fc.record({ name: fc.constantFrom('slow', 'act', 'nope'), n: fc.nat(9) });
    await fc.assert(
      fc.asyncProperty(fc.array(one, { maxLength: 12 }), async (list) => {
        const calls = list.map(({ name, n }) => toolCall(name, { n }));
        const texts = async (serial: boolean) =>
          (await fake.run(calls, { serial })).map((done) => [
            done.result.call_id,
            done.result.error_kind,
            done.result.result,
          ]);
        const parallel = await texts(false);
        expect(parallel.map(([id]) => id)).toEqual(calls.map((call) => call.call_id));
        expect((await texts(true)).map(([, kind, text]) => [kind, text?.slice(0, 5)])).toEqual(
          parallel.map(([, kind, text]) => [kind, text?.slice(0, 5)]),
        );
      }),
      { numRuns: 15 },
    );
  });
});
