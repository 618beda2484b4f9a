import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allPids, isRunning } from '../../environment/process-table.ts';
import { bwrapProblem, KINDS } from '../../environment/testing/environments.ts';
import { bashTool } from './bash.ts';
import { makeExecSession } from './testing/exec-session.ts';

function processesWith(text: string): number[] {
  return allPids().filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text) && isRunning(pid);
    } catch {
      return false;
    }
  });
}

describe('the arguments of bash', () => {
  it.each([{}, { command: '' }, { command: ' \n' }, { command: 'a\0b' }])('refuses %j', (args) => {
    expect(() => bashTool.check?.(args)).toThrow(
      expect.objectContaining({ kind: 'invalid_arguments' }),
    );
  });

  it('allows restart without a command', () => {
    expect(() => bashTool.check?.({ restart: true })).not.toThrow();
  });
});

for (const { kind, skipped } of KINDS) {
  describe.skipIf(skipped)(`bash in ${kind}${skipped ? `: ${bwrapProblem}` : ''}`, () => {
    let made: ReturnType<typeof makeExecSession>;
    beforeAll(() => {
      made = makeExecSession(kind);
    });
    afterAll(() => made.dispose());
    const bash = (command: string, more: Record<string, unknown> = {}) =>
      made.call(bashTool, { command, ...more });

    it('shows status and output', async () => {
      const result = await bash('echo out; echo err >&2');
      expect(result.content).toBe('exit_code=0\n[stdout]\nout\n[stderr]\nerr');
      expect(result.failure).toBeUndefined();
      expect(result.metadata).toMatchObject({ exit_code: 0, stdout_bytes: 4, stderr_bytes: 4 });
      expect(made.live.join('')).toContain('out\n');
    });

    it('keeps folder, variables, functions, aliases and options', async () => {
      const first = await bash(
        'mkdir -p deep; cd deep; A=1; export B=2; f() { echo "f$1"; }; alias ll="echo LL"; set -o pipefail',
      );
      expect(first.content).toContain(`cwd: ${join(made.paths.workspace, 'deep')}`);
      const second = await bash('pwd; echo $A$B; f x; ll; false | true; echo $?');
      const folder = join(made.paths.workspace, 'deep');
      expect(second.content).toBe(`exit_code=0\n[stdout]\n${folder}\n12\nfx\nLL\n1`);
    });

    it('reports the code of exit and goes on with folder, exports, functions and options', async () => {
      const ended = await bash('exit 7');
      expect(ended.failure).toEqual({ kind: 'command_failed', message: 'exit code 7' });
      const next = await bash('pwd; echo "$A$B"; f y; ll; set -o | grep pipefail');
      expect(next.content).toContain(`${join(made.paths.workspace, 'deep')}\n2\nfy\nLL\n`);
      expect(next.content).toMatch(/pipefail\s+on/);
      expect(next.content).toContain('The shell had ended');
      expect(next.metadata).toMatchObject({ shell_restarted: true });
      expect((await bash('true')).metadata).toMatchObject({ shell_restarted: false });
    });

    it.each([
      ['echo "unbalanced', 2],
      ['if true', 2],
      ["echo 'x", 2],
      ['cat', 0],
      ['read x', 1],
      ['exec false', 1],
      ['set -e; false; echo no', 1],
      ['git rebase -i', 128],
      ['no_such_command_here', 127],
      ['break; continue; true', 0],
    ])('ends %j at once with %i', async (command, code) => {
      const started = performance.now();
      const result = await bash(command);
      expect(performance.now() - started).toBeLessThan(1500);
      expect(result.metadata).toMatchObject({ exit_code: code });
    });

    it('reports a killed shell as a failure', async () => {
      const result = await bash('kill -9 $$');
      expect(result.failure?.kind).toBe('command_failed');
      expect((await bash('echo back')).content).toContain('back');
    });

    it('takes no word of the output for the end of a command', async () => {
      const text =
        'for d in 0 1 2 3 4 5 6 7 8 9 10; do printf "x\\0000\\0/\\0" >&$d; done 2>/dev/null; false';
      expect((await bash(text)).metadata).toMatchObject({ exit_code: 1 });
      expect((await bash('echo ok')).content).toBe('exit_code=0\n[stdout]\nok');
    });

    it('does not wait for a background process, names it, and keeps its output out', async () => {
      const started = performance.now();
      const result = await bash('(for i in 1 2 3 4 5 6; do sleep 0.05; echo late; done) & echo hi');
      expect(performance.now() - started).toBeLessThan(1000);
      expect(result.content).toMatch(/^exit_code=0\n\[stdout\]\nhi\njob_id=j\d+: /);
      await wait(150);
      const next = await bash('sleep 0.2; echo next');
      expect(next.content).toBe('exit_code=0\n[stdout]\nnext');
    });

    it('survives more held pipes than it has', async () => {
      for (let at = 0; at < 14; at++) {
        expect((await bash(`sleep 3 & echo ${at}`)).content).toContain(`\n${at}\n`);
      }
      expect((await bash('f z')).content).toContain('fz');
    });

    it('shows 300 KB without a newline in two ends and spills the whole', async () => {
      const result = await bash('head -c 300000 /dev/zero | tr "\\0" x');
      expect(result.metadata).toMatchObject({ exit_code: 0, stdout_bytes: 300_000 });
      expect(result.missingChars).toBe(300_000 - 2 * 65_536);
      expect(result.cut).toBe('ends');
    });

    it('shows invalid UTF-8 and binary output', async () => {
      const result = await bash("printf 'a\\377\\376b'; printf '中文🙂'");
      expect(result.content).toBe('exit_code=0\n[stdout]\na\ufffd\ufffdb中文🙂');
    });

    it('lets commands write to /dev/stdout and /dev/stderr', async () => {
      const result = await bash('echo o > /dev/stdout; echo e | tee /dev/stderr');
      expect(result.content).toBe('exit_code=0\n[stdout]\no\ne\n[stderr]\ne');
    });

    it('ends an endless writer at its time limit', async () => {
      const result = await bash('yes', { timeout_seconds: 1 });
      expect(result.failure?.kind).toBe('timeout');
      expect(Number(result.metadata?.stdout_bytes)).toBeGreaterThan(1_000_000);
      expect((await bash('echo ok')).content).toBe('exit_code=0\n[stdout]\nok');
    });

    it('ends everything of a command at its time limit; the shell goes on', async () => {
      const mark = `43.0${kind === 'bwrap' ? 1 : 2}`;
      const command = `cd ..; cd - >/dev/null; setsid bash -c "trap '' TERM; sleep ${mark} & sleep ${mark}" & trap '' TERM; sleep ${mark}`;
      const started = performance.now();
      const result = await bash(command, { timeout_seconds: 1 });
      expect(performance.now() - started).toBeLessThan(3000);
      expect(result.failure).toMatchObject({ kind: 'timeout' });
      const next = await bash('trap - TERM; echo still $B');
      expect(next.content).toContain('still 2');
      expect(processesWith(`sleep\0${mark}`)).toEqual([]);
    });

    it.each(['while :; do :; done', 'while :; do sleep 0.02; done'])(
      'replaces a shell that is lost in %j',
      async (command) => {
        const controller = new AbortController();
        setTimeout(() => controller.abort(), 200);
        const started = performance.now();
        const result = await made.call(bashTool, { command }, { signal: controller.signal });
        expect(performance.now() - started).toBeLessThan(1200);
        expect(result.failure?.kind).toBe('cancelled');
        expect((await bash('f w')).content).toContain('fw');
      },
    );

    it('starts fresh on restart and ends what the shell had started', async () => {
      const mark = `44.0${kind === 'bwrap' ? 1 : 2}`;
      await bash(`cd deep 2>/dev/null; setsid sleep ${mark} >/dev/null 2>&1 &`);
      expect((await made.call(bashTool, { restart: true })).failure).toBeUndefined();
      expect(processesWith(`sleep\0${mark}`)).toEqual([]);
      const result = await bash('pwd; echo "[$B]"; type f');
      expect(result.content).toContain(`${made.paths.workspace}\n[]\n`);
      expect(result.content).toContain('not found');
    });

    it('runs commands of one message in order', async () => {
      const results = await Promise.all([bash('sleep 0.2; N=1'), bash('echo "N=$N"')]);
      expect(results[1]?.content).toContain('N=1');
    });

    it('passes long commands and here-documents unchanged', async () => {
      const text = Array.from({ length: 800 }, (_, at) => `line ${at} 'quoted' "$x" \\n`).join(
        '\n',
      );
      await bash(`cat > long.txt <<'END'\n${text}\nEND`);
      expect(readFileSync(join(made.paths.workspace, 'long.txt'), 'utf8')).toBe(`${text}\n`);
    });

    it('leaves no process when the session closes', async () => {
      const own = makeExecSession(kind);
      const mark = `45.0${kind === 'bwrap' ? 1 : 2}`;
      await own.call(bashTool, {
        command: `setsid sh -c 'sleep ${mark} & sleep ${mark}' >/dev/null 2>&1 & sleep ${mark} & true`,
      });
      await wait(50);
      expect(processesWith(`sleep\0${mark}`).length).toBe(3);
      await own.dispose();
      expect(processesWith(mark)).toEqual([]);
    });

    it('answers an echo quickly', async () => {
      await bash('true');
      const times: number[] = [];
      for (let round = 0; round < 60; round++) {
        const started = performance.now();
        await bash('echo hi');
        times.push(performance.now() - started);
      }
      const median = times.sort((a, b) => a - b)[30] ?? 0;
      if (median > 2) console.warn(`median of echo in ${kind}: ${median.toFixed(2)} ms`);
      expect(median).toBeLessThan(50);
    });
  });
}

describe('a command nobody was asked about, without a sandbox', () => {
  it('is not touched by functions, aliases and PATH of the shell', async () => {
    const made = makeExecSession('none', {
      policy: { mode: 'ask' } as never,
    });
    await made.call(
      bashTool,
      { command: 'ls() { echo evil; }; mkdir -p d; cd d; PATH=/nowhere' },
      { allowedBy: 'approval' },
    );
    const result = await made.call(
      bashTool,
      { command: 'pwd; ls ..' },
      { allowedBy: 'mode:vetted' },
    );
    expect(result.content).toBe(`exit_code=0\n[stdout]\n${join(made.paths.workspace, 'd')}\nd`);
    await made.dispose();
  });
});

describe.skipIf(bwrapProblem !== null)('protected paths', () => {
  it('fail the command that made one', async () => {
    const made = makeExecSession('bwrap');
    const result = await made.call(bashTool, { command: 'echo x > .mcp.json' });
    expect(result.failure?.kind).toBe('path_denied');
    expect(result.failure?.message).toContain('.mcp.json');
    expect((await made.call(bashTool, { command: 'ls -A' })).content).toBe('exit_code=0');
    await made.dispose();
  });
});
