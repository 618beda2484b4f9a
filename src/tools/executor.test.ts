import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { ToolFailure } from '../errors.ts';
import type { ApprovalAnswer, ApprovalCard, PermissionGate } from '../permissions/types.ts';
import type { EventOf } from '../session/events.ts';
import { isLiveGrant } from '../workspace/grant.ts';
import type { Grant } from '../workspace/types.ts';
import { basicTools } from './basic/index.ts';
import { fakeExecutor, fakeTool, toolCall } from './testing/fake-session.ts';
import type { ToolContext } from './types.ts';

const TEXT = { type: 'string' } as const;
const schema = (properties: Record<string, object>, required: string[] = []) =>
  ({ type: 'object', properties, required }) as never;
const echo = fakeTool({
  name: 'echo_text',
  parameters: schema({ text: TEXT }, ['text']),
  run: (args) => Promise.resolve({ content: String(args.text) }),
});
const shell = (run = () => Promise.resolve({ content: 'ran' })) =>
  fakeTool({
    name: 'bash',
    permission: 'shell',
    parameters: schema({ command: TEXT }, ['command']),
    run,
  });
const writer = (fields: object = {}) =>
  fakeTool({
    name: 'write_it',
    permission: 'write',
    parameters: schema({ path: { ...TEXT, 'x-path': 'write' } }, ['path']),
    ...fields,
  });

function person(
  answer: (card: ApprovalCard) => Partial<ApprovalAnswer>,
): PermissionGate & { cards: ApprovalCard[] } {
  const cards: ApprovalCard[] = [];
  return {
    person: true,
    cards,
    ask: (card) => {
      cards.push(card);
      return Promise.resolve({ decision: 'allow', scope: 'once', by: 'user', ...answer(card) });
    },
  };
}

describe('one result for every call', () => {
  it('runs, logs start before the effect and the result, in order', async () => {
    const order: string[] = [];
    const fake = fakeExecutor({
      tools: [shell(() => (order.push('effect'), Promise.resolve({ content: 'out' })))],
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

describe('permission', () => {
  it('asks with everything on the card, then runs under a live grant that ends with the call', async () => {
    const gate = person(() => ({}));
    let grant: Grant | undefined;
    const tool = writer({
      run: (_args: unknown, ctx: ToolContext) => {
        grant = ctx.grant;
        expect(isLiveGrant(ctx.grant)).toBe(true);
        expect(ctx.allowedBy).toBe('approval');
        return Promise.resolve({ content: 'written' });
      },
    });
    const fake = fakeExecutor({ tools: [tool], gate, policy: { mode: 'ask' } });
    const [done] = await fake.run([toolCall('write_it', { path: 'a\u202eb' })]);
    expect(done?.modelText).toBe('written');
    expect(isLiveGrant(grant)).toBe(false);
    expect(gate.cards[0]?.detail).toContain('\\u{202e}');
    expect(fake.log.seen.map((event) => event.type)).toEqual([
      'approval_requested',
      'approval_resolved',
      'tool_started',
      'tool_finished',
    ]);
    expect(fake.audit.map((entry) => entry.event)).toEqual(['approval', 'permission', 'file']);
  });

  it('asks again when the file changed while the person was looking', async () => {
    const files = new Map([['/ws/a', 'one']]);
    let asked = 0;
    const gate = person(() => {
      asked += 1;
      if (asked === 1) files.set('/ws/a', 'two');
      return {};
    });
    const fake = fakeExecutor({ tools: [writer()], gate, files, policy: { mode: 'ask' } });
    const [done] = await fake.run([toolCall('write_it', { path: 'a' })]);
    expect(asked).toBe(2);
    expect(done?.modelText).toBe('ok');
  });

  it('stores a session answer as the rule shown', async () => {
    const gate = person(() => ({ scope: 'session' }));
    const fake = fakeExecutor({ tools: [shell()], gate, policy: { mode: 'ask' } });
    await fake.run([
      toolCall('bash', { command: 'npm test' }),
      toolCall('bash', { command: 'npm test' }),
    ]);
    expect(gate.cards.map((card) => card.offeredRule)).toEqual(['bash(npm test)']);
    await fake.run([toolCall('bash', { command: 'npm install' })]);
    expect(gate.cards).toHaveLength(2);
  });

  it('a note goes on, a plain refusal skips the rest, nobody is a denial', async () => {
    const noted = fakeExecutor({
      tools: [shell(), echo],
      gate: person(() => ({ decision: 'deny', note: 'use make' })),
      policy: { mode: 'ask' },
    });
    const calls = () => [
      toolCall('bash', { command: 'npm i' }),
      toolCall('echo_text', { text: 'x' }),
    ];
    const first = await noted.run(calls());
    expect(first[0]?.modelText).toContain('the user refused this call: use make');
    expect(first[0]).toMatchObject({ plainRefusal: false, denial: { rule: null } });
    expect(first[1]?.modelText).toBe('x');
    const plain = await fakeExecutor({
      tools: [shell(), echo],
      gate: person(() => ({ decision: 'deny' })),
      policy: { mode: 'ask' },
    }).run(calls());
    expect(plain.map((one) => one.result.error_kind)).toEqual(['permission_denied', 'skipped']);
    expect(plain[0]?.plainRefusal).toBe(true);
    const nobody = await fakeExecutor({ tools: [shell(), echo], policy: { mode: 'ask' } }).run(
      calls(),
    );
    expect(nobody.map((one) => one.result.error_kind)).toEqual(['permission_denied', null]);
    expect(nobody[0]?.plainRefusal).toBe(false);
  });

  it('a throwing gate and a broken audit log cause no effect; looking goes on', async () => {
    const run = vi.fn(() => Promise.resolve({ content: 'ran' }));
    const gate: PermissionGate = { person: true, ask: () => Promise.reject(new Error('gone')) };
    const [thrown] = await fakeExecutor({ tools: [shell(run)], gate, policy: { mode: 'ask' } }).run(
      [toolCall('bash', { command: 'npm i' })],
    );
    expect(thrown?.result.error_kind).toBe('permission_denied');
    const full = await fakeExecutor({ tools: [shell(run), echo], failAudit: true }).run([
      toolCall('bash', { command: 'npm i' }),
      toolCall('echo_text', { text: 'x' }),
    ]);
    expect(full.map((one) => one.result.error_kind)).toEqual(['internal_error', null]);
    expect(run).not.toHaveBeenCalled();
  });

  it('a path outside never reaches the tool, and a looking sub-command reads', async () => {
    const run = vi.fn((_args: unknown, ctx: ToolContext) =>
      Promise.resolve({ content: ctx.paths.path?.intent ?? '' }),
    );
    const tool = writer({
      run,
      classOf: (args: { path?: unknown }) => (args.path === 'v' ? 'read' : 'write'),
    });
    const fake = fakeExecutor({ tools: [tool], policy: { mode: 'read-only' } });
    const done = await fake.run([
      toolCall('write_it', { path: '../x' }),
      toolCall('write_it', { path: 'v' }),
      toolCall('write_it', { path: 'w' }),
    ]);
    expect(done.map((one) => one.result.error_kind)).toEqual([
      'path_outside',
      null,
      'permission_denied',
    ]);
    expect(done[1]).toMatchObject({ modelText: 'read', class: 'read', acting: false });
    expect(run).toHaveBeenCalledTimes(1);
  });

  it('a parent that is a link is judged by where it leads', async () => {
    const links = new Map([['/ws/link', '/ws/locked']]);
    const rules = [{ text: 'class:write(locked/**)', list: 'deny', scope: 'user' } as const];
    const fake = fakeExecutor({ tools: [writer()], links, policy: { rules } });
    const [done] = await fake.run([toolCall('write_it', { path: 'link/new' })]);
    expect(done?.result.error_kind).toBe('policy_denied');
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

describe('output', () => {
  const printing = (content: string, fields = {}) =>
    fakeTool({ name: 'print', run: () => Promise.resolve({ content, ...fields }) });

  it('cuts, marks and keeps the whole text where the marker says', async () => {
    const text = `${'line\n'.repeat(8000)}end`;
    const fake = fakeExecutor({ tools: [printing(text, { cut: 'ends' })] });
    const [done] = await fake.run([toolCall('print')]);
    const id = done?.result.call_id;
    expect(done?.modelText).toContain(
      `[... 24,010 of 40,003 characters omitted; whole text: tool-output/${id}.txt, by read_file or grep_search ...]`,
    );
    expect(done?.modelText.endsWith('end')).toBe(true);
    expect(done?.result).toMatchObject({
      spill: `tool-output/${id}.txt`,
      metadata: { truncated: { omitted_chars: 24_010, total_chars: 40_003 } },
    });
    expect(readFileSync(join(fake.folder, `tool-output/${id}.txt`), 'utf8')).toBe(text);
  });

  it('shows no secret and no escape sequence, keeps everything else exact', async () => {
    const fake = fakeExecutor({
      tools: [printing('a \u001b[31mred\u001b[0m hunter2hunter2 \u202e 中文\ud800')],
    });
    fake.session.redactor.add('PW', 'hunter2hunter2');
    const [done] = await fake.run([toolCall('print')]);
    expect(done?.modelText).toBe('a red [redacted:PW] \u202e 中文\ufffd');
  });

  it('streams characters whole, at newlines, and redacts over borders', async () => {
    const bytes = Buffer.from('héllo 😀 world\nhunter2hunter2 中文');
    const tool = fakeTool({
      name: 'drip',
      streams: true,
      run: async (_args, ctx) => {
        for (const byte of bytes) ctx.emit('stdout', Uint8Array.of(byte));
        await new Promise((resolve) => setTimeout(resolve, 5));
        return { content: 'done' };
      },
    });
    const fake = fakeExecutor({ tools: [tool] });
    fake.session.redactor.add('PW', 'hunter2hunter2');
    await fake.run([toolCall('drip')]);
    const events = fake.log.seen.filter(
      (event) => event.type === 'tool_output',
    ) as EventOf<'tool_output'>[];
    expect(events.map((event) => event.text)).toEqual(['héllo 😀 world\n', '[redacted:PW] 中文']);
    expect(events.at(-1)?.bytes_total).toBe(bytes.length);
  });

  it('spills above the cap as head, count and tail, within bounded memory', async () => {
    const tool = fakeTool({
      name: 'flood',
      run: (_args, ctx) => {
        const chunk = Buffer.alloc(64 * 1024, 'x');
        const spill = ctx.spill();
        for (let sent = 0; sent < 64; sent += 1) spill.write(chunk);
        spill.write(Buffer.from('THE END'));
        return Promise.resolve({ content: 'x', bounded: true });
      },
    });
    const fake = fakeExecutor({ tools: [tool], limits: { spillMib: 1, spillSessionMib: 1 } });
    const before = process.memoryUsage().rss;
    const [done] = await fake.run([toolCall('flood')]);
    const whole = readFileSync(join(fake.folder, done?.result.spill ?? ''), 'utf8');
    expect(whole.length).toBeLessThan(1024 * 1024 + 100);
    expect(whole).toMatch(/\[\.\.\. 3,145,735 bytes omitted \.\.\.\]/);
    expect(whole.endsWith('THE END')).toBe(true);
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
    const [again] = await fake.run([toolCall('flood')]);
    expect(existsSync(join(fake.folder, done?.result.spill ?? ''))).toBe(false);
    expect(existsSync(join(fake.folder, again?.result.spill ?? ''))).toBe(true);
    expect(fake.log.seen.some((event) => event.type === 'warning')).toBe(true);
  });

  it('costs well below a millisecond per call', async () => {
    const fake = fakeExecutor({ tools: [echo] });
    const calls = Array.from({ length: 500 }, () => toolCall('echo_text', { text: 'x' }));
    await fake.run(calls.slice(0, 100));
    const started = performance.now();
    await fake.run(calls);
    const each = (performance.now() - started) / calls.length;
    console.log(`dispatch: ${each.toFixed(3)} ms per call`);
    expect(each).toBeLessThan(1);
  });
});
