import { describe, expect, it } from 'vitest';
import { basicTools } from './basic/index.ts';
import { fakeExecutor, fakeTool, toolCall } from './testing/fake-session.ts';
import { echo, schema, TEXT, writer } from './testing/small-tools.ts';
import type { ToolContext } from './types.ts';

describe('order', () => {
  it('runs adjacent reads together, at most 8, and a read after a write sees it', async () => {
    let now = 0;
    let most = 0;
    let content = 'old';
    const look = fakeTool({
      name: 'look',
      parallelSafe: true,
      run: async () => {
        now += 1;
        most = Math.max(most, now);
        await new Promise((resolve) => setTimeout(resolve, 20));
        now -= 1;
        return { content };
      },
    });
    const change = fakeTool({
      name: 'change',
      permission: 'state',
      run: () => {
        content = 'new';
        return Promise.resolve({ content: '' });
      },
    });
    const fake = fakeExecutor({ tools: [look, change] });
    const ten = Array.from({ length: 10 }, () => toolCall('look'));
    await fake.run(ten);
    expect(most).toBe(8);
    const done = await fake.run([toolCall('look'), toolCall('change'), toolCall('look')]);
    expect(done.map((one) => one.modelText)).toEqual(['old', '', 'new']);
    most = 0;
    await fake.run(ten.slice(0, 3), { serial: true });
    expect(most).toBe(1);
  });

  it('four reads of 300 ms take under 600 ms', async () => {
    const slow = fakeTool({
      name: 'slow_look',
      parallelSafe: true,
      run: async () => {
        await new Promise((resolve) => setTimeout(resolve, 300));
        return { content: 'seen' };
      },
    });
    const fake = fakeExecutor({ tools: [slow] });
    const began = performance.now();
    const done = await fake.run([1, 2, 3, 4].map(() => toolCall('slow_look')));
    expect(performance.now() - began).toBeLessThan(600);
    expect(done.map((one) => one.modelText)).toEqual(['seen', 'seen', 'seen', 'seen']);
  });

  it('runs task_done after its siblings, wherever it stands, and only once', async () => {
    const seen: (string | null)[] = [];
    const fake = fakeExecutor({ tools: [...basicTools, echo] });
    const calls = [
      toolCall('task_done'),
      toolCall('echo_text', { text: 'a' }),
      toolCall('taskdone', { summary: 's' }),
      toolCall('echo_text'),
    ];
    const done = await fake.run(calls, {
      taskDone: (_args, siblings) => {
        seen.push(...siblings.map((sibling) => sibling.error_kind));
        return Promise.resolve({
          accepted: false,
          text: 'a sibling failed',
          errorKind: 'completion_refused',
        });
      },
    });
    expect(seen).toEqual([null, 'invalid_arguments']);
    expect(done.map((one) => one.result.call_id)).toEqual(calls.map((call) => call.call_id));
    const refused =
      'ERROR completion_refused: a sibling failed\nDo what is named above, then call task_done again.';
    expect([done[0]?.modelText, done[2]?.modelText]).toEqual([refused, refused]);
  });

  it('asks the guard in order before each call', async () => {
    const fake = fakeExecutor({ tools: [echo] });
    const guard = (_tool: string, args: { text?: unknown }) => ({
      refuse: args.text === 'b' ? 'same result 5 times' : null,
    });
    const done = await fake.run(
      ['a', 'b', 'c'].map((text) => toolCall('echo_text', { text })),
      { guard },
    );
    expect(done.map((one) => one.result.error_kind)).toEqual([null, 'repeated_call', null]);
  });

  it('locks a file against other calls and gives up with locked', async () => {
    const order: string[] = [];
    const tool = writer({
      run: async () => {
        order.push('in');
        await new Promise((resolve) => setTimeout(resolve, 10));
        order.push('out');
        return { content: '' };
      },
    });
    const fake = fakeExecutor({ tools: [tool] });
    await Promise.all([
      fake.run([toolCall('write_it', { path: 'a' })]),
      fake.run([toolCall('write_it', { path: './a' })]),
    ]);
    expect(order).toEqual(['in', 'out', 'in', 'out']);
  });
});

describe('deferred tools', () => {
  const far = fakeTool({
    name: 'far_away',
    group: 'web',
    permission: 'shell',
    description: 'Look at stars.',
    parameters: schema({ command: TEXT }, ['command']),
    run: (args) => Promise.resolve({ content: `star ${args.command}` }),
  });
  const make = (policy = {}) =>
    fakeExecutor({
      tools: [...basicTools, echo, far],
      offer: ['echo_text', 'tool_search', 'call_tool'],
      policy,
    });

  it('are found, then run under their own name, class and rules', async () => {
    const fake = make();
    const [hit] = await fake.run([toolCall('tool_search', { query: 'stars' })]);
    expect(hit?.modelText).toContain('far_away: Look at stars.');
    const [ran, direct] = await fake.run([
      toolCall('call_tool', { name: 'far_away', arguments: { command: 'x' } }),
      toolCall('FarAway', { command: 'y' }),
    ]);
    expect(ran).toMatchObject({ resolvedName: 'far_away', class: 'shell', modelText: 'star x' });
    expect(direct?.modelText).toBe('star y');
    const rules = [{ text: 'far_away(**)', list: 'deny', scope: 'user' } as const];
    const denied = await make({ rules: [{ ...rules[0], text: 'class:shell(x)' }] }).run([
      toolCall('call_tool', { name: 'far_away', arguments: '{"command":"x"}' }),
    ]);
    expect(denied[0]?.result.error_kind).toBe('policy_denied');
  });

  it('refuse nesting, and always show their schema after bad arguments', async () => {
    const fake = make();
    const [nested, bad, none] = await fake.run([
      toolCall('call_tool', { name: 'call_tool', arguments: {} }),
      toolCall('call_tool', { name: 'far_away', arguments: {} }),
      toolCall('tool_search', { query: 'zzzz' }),
    ]);
    expect(nested?.modelText).toContain('call_tool cannot run call_tool');
    expect(bad?.modelText).toContain('schema of far_away');
    expect(none?.result).toMatchObject({ success: true });
    expect(none?.modelText).toContain('web');
  });
});

describe('ends', () => {
  it('cancel answers within a second with what came so far, and starts nothing else', async () => {
    const stop = new AbortController();
    const stuck = fakeTool({
      name: 'stuck',
      permission: 'shell',
      streams: true,
      run: (_args, ctx) => {
        ctx.emit('stdout', Buffer.from('half a line'));
        setTimeout(() => stop.abort(), 20);
        return new Promise(() => {});
      },
    });
    const fake = fakeExecutor({ tools: [stuck, echo] });
    const started = performance.now();
    const done = await fake.run([toolCall('stuck'), toolCall('echo_text', { text: 'x' })], {
      signal: stop.signal,
    });
    expect(performance.now() - started).toBeLessThan(1100);
    expect(done[0]?.modelText).toBe(
      'ERROR cancelled: cancelled by the user\nCancelled, not a failure of the tool; do not repeat it unasked.\nhalf a line',
    );
    expect(done[1]?.result.error_kind).toBe('cancelled');
    expect(fake.killed).toEqual([done[0]?.result.call_id]);
  });

  it('a call that passes its time is timeout; one that ends in time after the signal keeps its result', async () => {
    const stuck = fakeTool({
      name: 'stuck',
      timeout: { default: 0.02, max: 1 },
      run: (_args, ctx) =>
        new Promise((_resolve, reject) => {
          ctx.signal.addEventListener('abort', () => reject(new Error('closed')));
        }),
    });
    const polite = {
      ...stuck,
      name: 'polite',
      run: (_args: unknown, ctx: ToolContext) =>
        new Promise<{ content: string }>((resolve) => {
          ctx.signal.addEventListener('abort', () => resolve({ content: 'finished anyway' }));
        }),
    };
    const done = await fakeExecutor({ tools: [stuck, polite] }).run([
      toolCall('stuck'),
      toolCall('polite'),
    ]);
    expect(done[0]?.modelText).toMatch(/^ERROR timeout: did not finish within 0 s/);
    expect(done[1]?.modelText).toBe('finished anyway');
  });

  it('the end of the run and a new message keep later calls from starting', async () => {
    const fake = fakeExecutor({ tools: [echo] });
    const late = await fake.run([toolCall('echo_text', { text: 'x' })], {
      deadline: performance.now() - 1,
    });
    expect(late[0]?.result.error_kind).toBe('cancelled');
    const skipped = await fake.run([toolCall('echo_text', { text: 'x' })], {
      stopBefore: () => 'skipped',
    });
    expect(skipped[0]?.result.error_kind).toBe('skipped');
  });
});
