import { describe, expect, it } from 'vitest';
import type { FakeTool } from '../testing/fake-tools.ts';
import { call, done, reply } from '../testing/scripted-client.ts';
import { testRun } from '../testing/test-run.ts';

const edit: FakeTool = { permission: 'write' };
const bash: FakeTool = { permission: 'shell' };
const times = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));

describe('repeated calls', () => {
  it('the fifth identical call does not run, the next ends the run', async () => {
    const run = testRun({
      script: times(9, () => reply({ calls: [call('bash', { command: 'ls' })] })),
      tools: { bash },
    });
    expect(await run.execute()).toMatchObject({
      stopReason: 'gave_up',
      error: { kind: 'repeated_call' },
    });
    expect(run.executor.ran).toHaveLength(4);
    expect(run.client.requests).toHaveLength(6);
    expect(run.log.of('loop_guard').map(({ action }) => action)).toEqual(['note', 'refuse', 'end']);
  });

  it('the same command between edits is not stopped', async () => {
    let output = 0;
    const next = () => {
      output += 1;
      return output;
    };
    const changing: FakeTool = {
      permission: 'shell',
      run: () => ({ text: `run ${next()}` }),
    };
    const script = times(8, (n) =>
      reply({ calls: [call('edit', { n }), call('bash', { command: 'npm test' })] }),
    );
    const run = testRun({
      script: [...script, reply({ calls: [done()] })],
      tools: { edit, bash: changing },
    });
    expect(await run.execute()).toMatchObject({ success: true });
    expect(run.executor.ran).toHaveLength(16);
  });

  it('provider ids that repeat run every time', async () => {
    const script = times(7, (n) => reply({ calls: [call('bash', { n }, { id: 'call_0' })] }));
    const run = testRun({ script: [...script, reply({ calls: [done()] })], tools: { bash } });
    expect(await run.execute()).toMatchObject({ success: true });
    expect(run.executor.ran).toHaveLength(7);
  });

  it('a polling tool may be asked again and again', async () => {
    const status: FakeTool = { permission: 'read', polling: true };
    const run = testRun({
      script: [...times(12, () => reply({ calls: [call('status')] })), reply({ calls: [done()] })],
      tools: { status },
    });
    expect(await run.execute()).toMatchObject({ success: true });
  });
});

describe('no progress', () => {
  it('the same call with the same result: a note, then the end, whatever lies between', async () => {
    let clock = 0;
    const tick = () => {
      clock += 1;
      return clock;
    };
    const test: FakeTool = {
      permission: 'shell',
      run: () => ({ text: `failed in ${tick()} ms at 2026-01-01T10:00:0${clock % 10}Z` }),
    };
    const script = times(20, (n) => reply({ calls: [call('edit', { n }), call('test')] }));
    const run = testRun({ script, tools: { edit, test } });
    expect(await run.execute()).toMatchObject({ error: { kind: 'repeated_call' } });
    expect(run.client.requests).toHaveLength(10);
    expect(run.log.of('loop_guard')).toMatchObject([
      { guard: 'no_progress', count: 5, action: 'note' },
      { guard: 'no_progress', count: 10, action: 'end' },
    ]);
  });
});

describe('malformed calls', () => {
  it('the sixth of one tool ends the run, a valid one begins the count again', async () => {
    const bad = () => reply({ calls: [call('nope'), call('edit', {}, { status: 'invalid' })] });
    const mixed = (n: number) => reply({ calls: [call('edit', { n })] });
    const run = testRun({
      script: [bad(), bad(), bad(), mixed(1), bad(), bad(), bad(), bad()],
      tools: { edit },
    });
    expect(await run.execute()).toMatchObject({ error: { kind: 'malformed_calls' } });
    expect(run.client.requests).toHaveLength(7);
  });

  it('five steps with nothing else end the run', async () => {
    const run = testRun({ script: times(9, (n) => reply({ calls: [call(`tool${n}`)] })) });
    expect(await run.execute()).toMatchObject({ error: { kind: 'malformed_calls' } });
    expect(run.client.requests).toHaveLength(5);
  });
});

describe('denials', () => {
  const denied: FakeTool = {
    permission: 'write',
    run: () => ({ kind: 'permission_denied', text: 'no', denied: true }),
  };

  it('three steps of nothing but denied calls end the run as blocked', async () => {
    const run = testRun({
      script: times(9, (n) => reply({ calls: [call('edit', { n })] })),
      tools: { edit: denied },
    });
    expect(await run.execute()).toMatchObject({
      stopReason: 'blocked',
      error: { kind: 'permission_denied' },
    });
    expect(run.client.requests).toHaveLength(3);
    expect(run.state.denials).toHaveLength(3);
  });

  it('the same denied call a third time ends the run', async () => {
    const script = times(9, (n) =>
      reply({ calls: [call('edit', { path: 'x' }), call('bash', { n })] }),
    );
    const run = testRun({ script, tools: { edit: denied, bash } });
    expect(await run.execute()).toMatchObject({ stopReason: 'blocked' });
    expect(run.client.requests).toHaveLength(3);
  });

  it('a second question nobody answers ends the run', async () => {
    const ask: FakeTool = {
      permission: 'user',
      run: () => ({ kind: 'needs_user', text: 'nobody' }),
    };
    const run = testRun({
      script: times(9, (n) => reply({ calls: [call('ask', { n }), call('bash', { n })] })),
      tools: { ask, bash },
    });
    expect(await run.execute()).toMatchObject({
      stopReason: 'blocked',
      error: { kind: 'needs_user' },
    });
    expect(run.client.requests).toHaveLength(2);
  });

  it('a run that completes after a denial is a success', async () => {
    const run = testRun({
      script: [reply({ calls: [call('edit')] }), reply({ calls: [done()] })],
      tools: { edit: denied },
    });
    expect(await run.execute()).toMatchObject({ success: true });
    expect(run.state.denials).toHaveLength(1);
  });
});
