import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issueGrant } from '../workspace/grant.ts';
import { allPids, isRunning } from './process-table.ts';
import { KINDS, makeEnvironment } from './testing/environments.ts';

type Made = ReturnType<typeof makeEnvironment>;

/** Processes of this machine whose command line holds a text nobody else uses. */
function processesWith(text: string): number[] {
  return allPids().filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text) && isRunning(pid);
    } catch {
      return false;
    }
  });
}

for (const { kind, skipped } of KINDS) {
  describe.skipIf(skipped)(`environment ${kind}`, () => {
    let made: Made;
    beforeAll(() => {
      made = makeEnvironment(kind);
    });
    afterAll(() => made.dispose());
    const sh = (text: string, request = {}) => made.run(['sh', '-c', text], request);

    it.each([0, 1, 2, 7, 126, 255])('passes on exit code %i', async (code) => {
      const { exit } = await sh(`exit ${code}`);
      expect(exit).toMatchObject({ code, signal: null, ended_by: 'exit', leftovers: 0 });
    });

    it('keeps both streams apart and byte-exact', async () => {
      const { stdout, stderr } = await sh("printf 'a\\377\\000b'; printf err >&2");
      expect([...stdout]).toEqual([97, 255, 0, 98]);
      expect(stderr).toBe('err');
    });

    it('delivers five megabytes', async () => {
      const { stdout, exit } = await sh('head -c 5000000 /dev/zero');
      expect(stdout.length).toBe(5_000_000);
      expect(exit.code).toBe(0);
    });

    it('closes standard input by default and feeds bytes when asked', async () => {
      expect((await made.run(['cat'])).stdout.length).toBe(0);
      const { stdout } = await made.run(['cat'], { stdin: { bytes: Buffer.from('é\0x') } });
      expect(stdout.toString()).toBe('é\0x');
    });

    it.each([
      '$(touch pwned)',
      'it\'s "quoted"',
      'two\nlines',
      '-rf',
      '`id`',
      ' spaced ',
      '',
      'ünïcode',
    ])('passes the argument %j unchanged', async (text) => {
      const { stdout } = await made.run(['printf', '%s|', text, '*']);
      expect(stdout.toString()).toBe(`${text}|*|`);
    });

    it.each(['a b', "it's,x", '-dash', 'new\nline', '$(x)'])(
      'starts in folder %j',
      async (name) => {
        const cwd = join(made.paths.workspace, name);
        mkdirSync(cwd, { recursive: true });
        expect((await made.run(['pwd'], { cwd })).stdout.toString()).toBe(`${cwd}\n`);
      },
    );

    it('refuses folders outside and folders that are gone', async () => {
      await expect(made.spawn(['true'], { cwd: '/etc' })).rejects.toMatchObject({
        kind: 'path_outside',
      });
      const cwd = join(made.paths.workspace, 'gone');
      await expect(made.spawn(['true'], { cwd })).rejects.toMatchObject({ kind: 'not_found' });
    });

    it('refuses a look-alike grant', async () => {
      const grant = { ...made.grant };
      await expect(made.spawn(['true'], { grant })).rejects.toMatchObject({
        kind: 'permission_denied',
      });
    });

    it('ends a missing program with 127', async () => {
      expect((await made.run(['no-such-program-here'])).exit.code).toBe(127);
    });

    it('writes where the session may write', async () => {
      const { exit } = await sh(`echo w > w && echo o > ${made.paths.output}/o`);
      expect(exit.code).toBe(0);
      expect(readFileSync(join(made.paths.workspace, 'w'), 'utf8')).toBe('w\n');
      expect(readFileSync(join(made.paths.output, 'o'), 'utf8')).toBe('o\n');
    });

    it('ends at the time limit', async () => {
      const started = performance.now();
      const { exit } = await sh('echo before; sleep 20', { limits: { timeoutMs: 200 } });
      expect(exit.ended_by).toBe('timeout');
      expect(performance.now() - started).toBeLessThan(2500);
    });

    it('ends when its signal is aborted, also when it was before', async () => {
      const controller = new AbortController();
      const running = sh('sleep 20', { signal: controller.signal });
      await wait(100);
      controller.abort();
      expect((await running).exit.ended_by).toBe('cancel');
      const late = await sh('sleep 20', { signal: controller.signal }).catch((error) => error);
      expect(late.kind ?? late.exit.ended_by).toMatch(/^cancel/);
    });

    it('ends a double fork that ignores TERM within 3 s', async () => {
      const mark = `31.0${kind === 'bwrap' ? 1 : 2}`;
      const text = `trap '' TERM; setsid sh -c "trap '' TERM; sleep ${mark} & sleep ${mark}" & sleep ${mark}`;
      const child = await made.spawn(['bash', '-c', text], { callId: 'stubborn' });
      child.stdout.resume();
      child.stderr.resume();
      await wait(300);
      expect(processesWith(`sleep\0${mark}`).length).toBe(3);
      const started = performance.now();
      await child.kill('cancel');
      expect(performance.now() - started).toBeLessThan(3000);
      expect(performance.now() - started).toBeGreaterThan(1900);
      expect(processesWith(mark)).toEqual([]);
      expect((await child.exited).ended_by).toBe('cancel');
    });

    it('does not wait for a background child that holds the output', async () => {
      const started = performance.now();
      const { exit, stdout } = await sh('sleep 5 & echo hi');
      expect(performance.now() - started).toBeLessThan(1500);
      expect(stdout.toString()).toBe('hi\n');
      expect(exit.code).toBe(0);
    });

    it('finds and ends the processes of one call only', async () => {
      const [one, two] = await Promise.all([
        made.spawn(['sleep', '30'], { callId: 'one' }),
        made.spawn(['sleep', '30'], { callId: 'two' }),
      ]);
      for (const child of [one, two]) child.stdout.resume();
      await wait(50);
      expect(await made.environment.processesOf('one')).toHaveLength(1);
      await made.environment.killCall('one');
      expect(await made.environment.processesOf('one')).toEqual([]);
      expect(await made.environment.processesOf('two')).toHaveLength(1);
      await made.environment.killCall('two');
      expect((await two.exited).ended_by).toBe('cancel');
    });

    it('keeps the file size limit', async () => {
      const { exit } = await sh('head -c 3000000 /dev/zero > big', { limits: { fileSizeMib: 1 } });
      expect(exit.code === 0).toBe(false);
    });

    it('ends a command that takes too much memory', async () => {
      // The last `:` keeps the shell, and with it the memory: as the last command `sleep` would take its place.
      const text = 'x=$(head -c 60000000 /dev/zero | tr "\\0" x); sleep 20; :';
      const { exit } = await made.run(['bash', '-c', text], { limits: { memoryMib: 40 } });
      expect(exit.ended_by).toBe('memory');
    });

    it('ends a command with too many processes', async () => {
      const { exit } = await sh('for i in 1 2 3 4 5 6 7 8; do sleep 20 & done; wait', {
        limits: { processes: 5 },
      });
      expect(exit.ended_by).toBe('pids');
    });

    it('gives extra pipes from descriptor 3 on', async () => {
      const child = await made.spawn(['sh', '-c', 'echo three >&3; echo four >&4'], {
        extraPipes: 2,
      });
      child.stdout.resume();
      const texts = ['', ''];
      for (const [at, pipe] of child.pipes.entries()) {
        pipe.on('data', (bytes) => {
          texts[at] += String(bytes);
        });
      }
      await child.exited;
      expect(texts).toEqual(['three\n', 'four\n']);
    });

    it('shows children none of our secrets', async () => {
      const parentEnv = {
        ...process.env,
        OPENAI_API_KEY: 'canary-key',
        MY_TOKEN: 'canary-token',
        LD_PRELOAD: '/canary.so',
        NODE_OPTIONS: '--canary',
        BASH_ENV: '/canary',
        GIT_SSH_COMMAND: 'canary',
        LISTED_SECRET: 'listed',
      };
      const own = makeEnvironment(kind, { parentEnv, envNames: ['LISTED_SECRET', 'LD_PRELOAD'] });
      const { stdout } = await own.run(['env']);
      await own.dispose();
      expect(stdout.toString()).not.toContain('canary');
      expect(stdout.toString()).toContain('LISTED_SECRET=listed');
      expect(stdout.toString()).toContain('GIT_TERMINAL_PROMPT=0');
    });
  });
}

describe.skipIf(KINDS[1]?.skipped)('bwrap confines', () => {
  let made: Made;
  beforeAll(() => {
    made = makeEnvironment('bwrap', {}, (workspace) => {
      mkdirSync(join(workspace, '.git', 'hooks'), { recursive: true });
      writeFileSync(join(workspace, '.git', 'config'), '[core]\n\tbare = false\n');
      mkdirSync(join(workspace, '.vscode'));
      writeFileSync(join(workspace, '.vscode', 'settings.json'), '{}');
      mkdirSync(join(workspace, 'sub', '.vscode'), { recursive: true });
      writeFileSync(join(workspace, 'sub', '.vscode', 'tasks.json'), '{"old":1}');
      symlinkSync('nowhere', join(workspace, '.envrc'));
    });
    writeFileSync(join(made.session, '.session', 'events.jsonl'), 'canary');
  });
  afterAll(() => made.dispose());
  const sh = (text: string) => made.run(['sh', '-c', text]);
  const check = () => made.environment.checkProtected();

  it.each([
    ['write the system', 'touch /usr/x'],
    ['write /etc', 'touch /etc/x'],
    ['mount', 'mount -t tmpfs none /mnt'],
    ['remount', 'mount -o remount,rw /usr'],
    ['unmount', 'umount /etc'],
    ['make a user namespace', 'unshare -U true'],
    ['make a device', 'mknod dev c 1 3'],
    ['read password hashes', 'grep . /etc/shadow'],
    ['write git hooks', 'echo x > .git/hooks/pre-commit'],
    ['write the git configuration', 'echo x >> .git/config'],
    ['replace the git folder', 'mv .git other'],
    ['write editor settings', 'echo x > .vscode/settings.json'],
    ['rename editor settings', 'mv .vscode v'],
    ['open a connection', 'exec 3<>/dev/tcp/127.0.0.1/1'],
    ['see a host interface', 'grep -v -e "|" -e " lo:" /proc/net/dev | grep .'],
    ['see the session records', 'cat "$1"/events.jsonl'],
    ['see the home of the user', 'ls /root/.ssh /root/.claude /root/.config'],
    ['reach the docker socket', 'ls /run/docker.sock /var/run/docker.sock'],
  ])('cannot %s', async (_name, text) => {
    const { exit } = await made.run(['bash', '-c', text, 'bash', made.paths.stateDir]);
    expect(exit.code).not.toBe(0);
    expect(await check()).toEqual([]);
  });

  it('sees no process and no environment of the host', async () => {
    const { stdout } = await sh('cat /proc/[0-9]*/environ | tr "\\0" "\\n"; ls -d /proc/[0-9]*');
    expect(stdout.toString()).not.toContain(`/proc/${process.pid}\n`);
    expect(stdout.toString().match(/^\/proc\/\d+$/gm)?.length).toBeLessThan(8);
  });

  it('has a home of its own that stays in the scratchpad', async () => {
    await sh('echo x > ~/f');
    expect(readFileSync(join(made.paths.scratchpad, '.home', 'f'), 'utf8')).toBe('x\n');
  });

  it('moves a new protected name to quarantine', async () => {
    await sh('echo x > .mcp.json; mkdir -p .cursor; echo y > .cursor/rules');
    expect([...(await check())].sort()).toEqual(['.cursor', '.mcp.json']);
    expect((await sh('ls .mcp.json .cursor')).exit.code).not.toBe(0);
    expect(await check()).toEqual([]);
  });

  it('restores a link and a deeper protected file', async () => {
    await sh('ln -sfn /etc/passwd .envrc; echo evil > sub/.vscode/tasks.json');
    expect([...(await check())].sort()).toEqual(['.envrc', 'sub/.vscode']);
    const { stdout } = await sh('readlink .envrc; cat sub/.vscode/tasks.json');
    expect(stdout.toString()).toBe('nowhere\n{"old":1}');
  });

  it('does not follow a replaced parent of a watched path', async () => {
    await sh('mv sub gone; ln -s /etc sub');
    expect(await check()).toEqual([]);
    await sh('rm sub; mv gone sub');
  });

  it('leaves alone what a person approved', async () => {
    const path = made.resolver.resolve('toolwright.yaml', 'write');
    const grant = issueGrant({ ...made.grant, protectedPaths: [path.absolute] });
    await made.environment.files.writeAtomic(path, Buffer.from('a: 1'), { grant });
    expect(await check()).toEqual([]);
  });

  it('lets a new repository stay and watches it from then on', async () => {
    const own = makeEnvironment('bwrap');
    const { exit, stderr } = await own.run(['git', 'init', '-q', '.']);
    expect(stderr).toBe('');
    expect(exit.code).toBe(0);
    expect(await own.environment.checkProtected()).toEqual([]);
    await own.run(['git', 'config', 'user.name', 'A']);
    expect(await own.environment.checkProtected()).toEqual([]);
    await own.run(['git', 'config', 'core.fsmonitor', './evil']);
    expect(await own.environment.checkProtected()).toEqual(['.git/config']);
    await own.run(['sh', '-c', 'echo x > .git/hooks/post-checkout']);
    expect(await own.environment.checkProtected()).toEqual(['.git/hooks']);
    await own.dispose();
  });

  it('throws unavailable when the sandbox cannot be set up', async () => {
    const own = makeEnvironment('bwrap', { sandboxRead: [] });
    const inner = { channelDirs: [join(own.root, 'missing')] };
    await expect(own.spawn(['true'], inner)).rejects.toMatchObject({ kind: 'unavailable' });
    await own.dispose();
  });
});
