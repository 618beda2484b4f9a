import { describe, expect, it, vi } from 'vitest';
import type { PermissionGate } from '../permissions/types.ts';
import { isLiveGrant } from '../workspace/grant.ts';
import type { Grant } from '../workspace/types.ts';
import { fakeExecutor, toolCall } from './testing/fake-session.ts';
import { echo, person, shell, writer } from './testing/small-tools.ts';
import type { ToolContext } from './types.ts';

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

  it('an answer for always is stored and in force at once; without a place for it, for the session', async () => {
    const stored: string[] = [];
    const store = (storeRule: (rule: string) => Promise<void>) => {
      const gate = person(() => ({ scope: 'always' }));
      const fake = fakeExecutor({ tools: [shell(), writer()], gate, policy: { mode: 'ask' } });
      Object.assign(fake.session, { storeRule });
      return { ...fake, gate };
    };
    const test = () => toolCall('bash', { command: 'npm test' });
    const kept = store(async (rule) => {
      stored.push(rule);
    });
    await kept.run([test(), test()]);
    expect(stored).toEqual(['bash(npm test)']);
    expect(kept.gate.cards).toHaveLength(1);
    const full = store(() => Promise.reject(new Error('the disk is full')));
    const done = await full.run([test(), test()]);
    expect(done.map(({ modelText }) => modelText)).toEqual(['ran', 'ran']);
    expect(full.gate.cards).toHaveLength(1);
    expect(full.log.seen.filter(({ type }) => type === 'warning')).toMatchObject([
      { code: 'rule_not_stored', message: expect.stringContaining('the disk is full') },
    ]);
  });

  it('always where no rule may be kept holds for the session', async () => {
    const stored: string[] = [];
    const gate = person(() => ({ scope: 'always' }));
    const fake = fakeExecutor({ tools: [shell()], gate, policy: { mode: 'ask' } });
    Object.assign(fake.session, { storeRule: async (rule: string) => stored.push(rule) });
    await fake.run([1, 2].map(() => toolCall('bash', { command: 'mytool' })));
    expect(gate.cards).toHaveLength(1);
    expect(stored).toEqual([]);
    expect(fake.log.seen.find(({ type }) => type === 'approval_resolved')).toMatchObject({
      scope: 'session',
    });
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
