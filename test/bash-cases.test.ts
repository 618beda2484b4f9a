import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startFakeModel } from './fake-llm/server.ts';
import { makePlace } from './support/place.ts';
import { resultOf, runProgram, UNCONFINED, wireFlags } from './support/program.ts';

function sandboxWorks(): boolean {
  try {
    execFileSync(
      'bwrap',
      ['--unshare-user', '--unshare-pid', '--ro-bind', '/', '/', '--proc', '/proc', 'true'],
      { stdio: 'ignore' },
    );
    return true;
  } catch {
    return false;
  }
}

interface ToolResult {
  readonly success: boolean;
  readonly result: string;
  readonly error_kind: string | null;
  readonly duration_ms: number;
  readonly spill: string | null;
  readonly metadata: Record<string, unknown>;
}

/** Runs each command as one call of its own step and gives the results. */
async function bash(
  sandbox: readonly string[],
  commands: readonly (string | Record<string, unknown>)[],
) {
  const calls = commands.map((one) => (typeof one === 'string' ? { command: one } : one));
  const model = await startFakeModel({
    script: [
      ...calls.map((args) => ({ calls: [{ name: 'bash', arguments: args }] })),
      { calls: [{ name: 'task_done', arguments: {} }] },
    ],
  });
  onTestFinished(() => model.close());
  const place = makePlace();
  const trajectory = join(place.root, 't.json');
  const outcome = await runProgram(place, [
    ...['run', 'x', '--session', 'b', ...wireFlags('chat', model.url), ...sandbox],
    ...['--output-format', 'json', '--trajectory-file', trajectory],
  ]);
  expect(resultOf(outcome).success, outcome.stderr).toBe(true);
  const steps = JSON.parse(readFileSync(trajectory, 'utf8')).agent_steps;
  const results = steps
    .slice(0, -1)
    .map((step: { tool_results: ToolResult[] }) => step.tool_results[0]) as ToolResult[];
  return { place, results, result: (at: number) => results[at] as ToolResult };
}

function processesWith(mark: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').includes(mark);
      } catch {
        return false;
      }
    });
}

const kinds: readonly (readonly [string, readonly string[], boolean])[] = [
  ['in bwrap', ['--sandbox', 'bwrap'], sandboxWorks()],
  ['without a sandbox', UNCONFINED, true],
];

describe.each(kinds)('bash %s', (_, sandbox, works) => {
  it('keeps directory, variables and functions between calls', async (ctx) => {
    if (!works) ctx.skip('bubblewrap does not work here');
    const { result } = await bash(sandbox, [
      'mkdir -p sub && cd sub && export KEPT=value && greet() { echo "hi $1"; }',
      'pwd; echo "$KEPT"; greet you',
      'exit 7',
      'pwd; echo "$KEPT"; greet again',
    ]);
    expect(result(1).result).toMatch(/sub\nvalue\nhi you/);
    expect(result(2)).toMatchObject({ success: false, error_kind: 'command_failed' });
    expect(result(2).metadata.exit_code).toBe(7);
    expect(result(3).result).toMatch(/sub\nvalue\nhi again/);
  });

  it('survives long lines, invalid UTF-8, stdin readers and unbalanced quotes', async (ctx) => {
    if (!works) ctx.skip('bubblewrap does not work here');
    const { result } = await bash(sandbox, [
      'head -c 300000 /dev/zero | tr "\\0" x',
      'printf "a\\xff\\xfeb\\n"',
      'cat',
      'echo "unbalanced',
      'if true',
      'echo still here',
    ]);
    expect(result(0).metadata.stdout_bytes).toBe(300_000);
    expect(result(0).result).toContain('characters omitted');
    expect(result(0).spill).toMatch(/^tool-output\//);
    expect(result(1).result).toContain('a\ufffd\ufffdb');
    expect(result(2).success).toBe(true);
    for (const at of [3, 4]) expect(result(at).metadata.exit_code).toBe(2);
    expect(result(5).result).toContain('still here');
    for (const at of [0, 1, 2, 3, 4, 5]) expect(result(at).duration_ms).toBeLessThan(3000);
  });

  it('does not wait for a background child that holds the pipe, and ends it with the run', async (ctx) => {
    if (!works) ctx.skip('bubblewrap does not work here');
    const nap = `31${process.pid}`;
    const daemon = `32${process.pid}`;
    const { result } = await bash(sandbox, [
      `sleep ${nap} & echo at once`,
      `(setsid sh -c "setsid sleep ${daemon} &" &) ; echo daemonised`,
      'echo only mine',
    ]);
    expect(result(0).result).toContain('at once');
    expect(result(0).duration_ms).toBeLessThan(2000);
    expect(result(1).duration_ms).toBeLessThan(2000);
    expect(result(2).result).toMatch(/only mine/);
    expect(result(2).result).not.toMatch(/at once|daemonised/);
    expect(processesWith(`sleep ${nap}`)).toEqual([]);
    expect(processesWith(`sleep ${daemon}`)).toEqual([]);
  });

  it('ends a command at its limit, also one that ignores TERM, and keeps the directory', async (ctx) => {
    if (!works) ctx.skip('bubblewrap does not work here');
    const { result } = await bash(sandbox, [
      'mkdir -p deep && cd deep',
      { command: "trap '' TERM; echo begun; while true; do sleep 1; done", timeout_seconds: 1 },
      'pwd',
    ]);
    expect(result(1)).toMatchObject({ success: false });
    expect(result(1).result).toContain('begun');
    expect(result(1).duration_ms).toBeLessThan(3500);
    expect(result(2).result).toContain('deep');
  });
});

describe('the sandbox', () => {
  it('has no network, no view of other homes and nothing writable outside', async (ctx) => {
    if (!sandboxWorks()) ctx.skip('bubblewrap does not work here');
    const { result, place } = await bash(
      ['--sandbox', 'bwrap'],
      [
        'cat < /dev/tcp/127.0.0.1/22',
        'ls /root /home 2>&1 | head -3; touch /usr/owned; touch /etc/owned',
        'cat /proc/1/environ | tr "\\0" "\\n"',
        'mount -o remount,rw /usr; unshare -U true; echo done',
      ],
    );
    expect(result(0).success).toBe(false);
    expect(result(1).success).toBe(false);
    expect(result(2).result).not.toContain(place.home);
    expect(result(3).result).toContain('done');
    expect(result(3).result).toMatch(/denied|permitted|must be superuser/i);
  });
});
