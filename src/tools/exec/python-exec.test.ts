import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findProgram } from '../../environment/find-program.ts';
import { bwrapProblem, KINDS } from '../../environment/testing/environments.ts';
import { parseAnswer } from './interpreter.ts';
import { distributionOf } from './module-map.ts';
import { pythonExecTool } from './python-exec.ts';
import { makeExecSession } from './testing/exec-session.ts';

const withoutPython = findProgram('python3', process.env.PATH) === null;

describe('the arguments of python_exec', () => {
  it.each([
    {},
    { code: '1', script_path: 'a.py' },
    { code: '1', args: ['x'] },
    { script_path: 'a.sh' },
    { code: 'x', input_json: 'x'.repeat(262_145) },
    { code: 'a\0' },
  ])('refuses %#', (args) => {
    expect(() => pythonExecTool.check?.(args)).toThrow(
      expect.objectContaining({ kind: 'invalid_arguments' }),
    );
  });
});

describe('the answer of an interpreter', () => {
  it('is read behind babble and refused when it is old or none', () => {
    expect(parseAnswer('hello\n["/usr/bin/python3.11","3.11.7","/usr"]\n')).toEqual({
      executable: '/usr/bin/python3.11',
      version: '3.11.7',
      basePrefix: '/usr',
    });
    expect(parseAnswer('["/usr/bin/python3.9","3.9.1","/usr"]')).toBeNull();
    expect(parseAnswer('["python","3.12.0","/usr"]')).toBeNull();
    expect(parseAnswer('Python 3.12')).toBeNull();
    expect(parseAnswer('')).toBeNull();
  });
});

describe('the distribution of a module', () => {
  it.each([
    ['cv2', 'opencv-python-headless', true],
    ['yaml.loader', 'PyYAML', true],
    ['google.protobuf.message', 'protobuf', true],
    ['google.cloud', 'google', false],
    ['pandas', 'pandas', false],
  ])('of %s is %s', (module, name, verified) => {
    expect(distributionOf(module)).toEqual({ name, verified });
  });
});

for (const { kind, skipped } of KINDS) {
  const why = skipped ? `: ${bwrapProblem}` : withoutPython ? ': no python3' : '';
  describe.skipIf(skipped || withoutPython)(`python_exec in ${kind}${why}`, () => {
    let made: ReturnType<typeof makeExecSession>;
    beforeAll(() => {
      made = makeExecSession(kind);
    });
    afterAll(() => made.dispose());
    const python = (code: string, more: Record<string, unknown> = {}) =>
      made.call(pythonExecTool, { code, ...more });

    it('runs code in the scratchpad and shows what it printed', async () => {
      const result = await python(
        'import os, sys\nprint(os.getcwd())\nprint("e", file=sys.stderr)',
      );
      expect(result.content).toBe(`exit_code=0\n[stdout]\n${made.paths.scratchpad}\n[stderr]\ne`);
      expect(result.metadata).toMatchObject({ mode: 'code', exit_code: 0, timed_out: false });
      expect(String(result.metadata?.interpreter)).not.toContain('shims');
    });

    it('reaches the session folders by their links and variables', async () => {
      writeFileSync(join(made.paths.input, 'in.txt'), 'hello');
      const result = await python(
        'import os\nopen("output/a.csv","w").write(open("inputs/in.txt").read())\n' +
          'open(os.path.join(os.environ["SESSION_OUTPUT_DIR"], "b.csv"),"w").write("b")\n' +
          'open("scratch/t.txt","w").write("t")\nprint(os.environ["TMPDIR"], os.environ["WORKSPACE_DIR"])',
      );
      expect(readFileSync(join(made.paths.output, 'a.csv'), 'utf8')).toBe('hello');
      expect(result.content).toContain(`${made.paths.scratchpad}/tmp ${made.paths.workspace}\n`);
      expect(result.content).toContain(
        '[files]\ncreated output/a.csv 5 bytes sha256 2cf24dba5fb0\n' +
          'created output/b.csv 1 bytes sha256 3e23e8160039\n' +
          'created scratchpad/t.txt 1 bytes sha256 e3b98a4da31a',
      );
    });

    it('tells changed, replaced, renamed and deleted files', async () => {
      const result = await python(
        'import os\nopen("output/a.csv","w").write("HELLO")\nos.remove("output/b.csv")\nos.rename("t.txt","u.txt")',
      );
      expect(result.metadata?.artifacts).toMatchObject([
        { path: 'output/a.csv', change: 'changed', bytes: 5 },
        { path: 'output/b.csv', change: 'deleted' },
        { path: 'scratchpad/t.txt', change: 'deleted' },
        { path: 'scratchpad/u.txt', change: 'created' },
      ]);
    });

    it('counts what is beyond fifty rows', async () => {
      const result = await python('for i in range(300): open(f"output/n{i}","w").close()');
      expect(result.content).toContain('and 250 more');
      expect(result.content).toContain('warning: 300 new files');
      await python('import os\nfor i in range(300): os.remove(f"output/n{i}")');
    });

    it.each([
      ['import sys; sys.exit(3)', 3, ''],
      ['import sys; sys.exit("text")', 1, 'text'],
      ['import atexit; atexit.register(lambda: print("bye")); 1/0', 1, 'bye'],
      ['import threading; threading.Timer(0.1, lambda: print("thread")).start()', 0, 'thread'],
      ['print(__name__, __file__.endswith(".py"), "sys" in globals())', 0, '__main__ True False'],
      ['import os; os._exit(9)', 9, ''],
      ['raise MemoryError', 1, 'MemoryError'],
    ])('behaves like a script: %s', async (code, status, text) => {
      const result = await python(code);
      expect(result.metadata?.exit_code).toBe(status);
      expect(result.content).toContain(text);
    });

    it('shows a traceback that begins in the code', async () => {
      const result = await python('def f():\n    raise ValueError("no")\nf()');
      expect(result.failure).toEqual({ kind: 'command_failed', message: 'exit code 1' });
      expect(result.content).toMatch(
        /Traceback \(most recent call last\):\n {2}File ".*call_\d+\.py", line 3, in <module>\n {4}f\(\)/,
      );
      expect(result.content).not.toContain('<string>');
      expect((await python('def f(:')).content).toContain('SyntaxError');
    });

    it('keeps no state between calls', async () => {
      await python('import builtins; builtins.left = 1; x = 2');
      expect((await python('print(x)')).content).toContain('NameError');
      expect((await python('print(left)')).content).toContain('NameError');
    });

    it('feeds input_json and nothing else', async () => {
      const read = 'import sys; print(repr(sys.stdin.read()))';
      expect((await python(read, { input_json: '{"a":"é"}' })).content).toContain('{"a":"é"}');
      expect((await python(read)).content).toContain("''");
    });

    it('runs a script of the workspace with paths made absolute', async () => {
      mkdirSync(join(made.paths.workspace, 'tools'), { recursive: true });
      writeFileSync(join(made.paths.workspace, 'tools', 'helper.py'), 'NAME = "helped"');
      const script = 'import sys, helper\nprint(helper.NAME, sys.argv[1:], sys.path[0])';
      writeFileSync(join(made.paths.workspace, 'tools', 's.py'), script);
      const result = await made.call(pythonExecTool, {
        script_path: 'tools/s.py',
        args: ['output/x', '--to=workspace:y', 'plain', '--n=3'],
      });
      const { output, workspace } = made.paths;
      expect(result.content).toContain(
        `helped ['${output}/x', '--to=${workspace}/y', 'plain', '--n=3'] ${workspace}/tools`,
      );
      const missing = await made.call(pythonExecTool, { script_path: 'nope.py' });
      expect(missing.failure?.kind).toBe('not_found');
    });

    it.each([
      ['import subprocess; subprocess.run(["python", "x.py"])', 'script_path'],
      ['import os; os.system("python3 x.py")', 'script_path'],
      ['import subprocess, sys; subprocess.run([sys.executable, "-c", "1"])', 'script_path'],
      ['import os; os.system("pip install x")', 'pip'],
      ['import subprocess, sys; subprocess.run([sys.executable, "-m", "pip", "list"])', 'pip'],
    ])('refuses %s', async (code, text) => {
      const result = await python(code);
      expect(result.failure?.kind).toBe('policy_denied');
      expect(result.failure?.message).toContain(text);
    });

    it('lets code use other programs and several processes', async () => {
      const code =
        'import subprocess, multiprocessing\ndef f(x): return x * x\n' +
        'if __name__ == "__main__":\n' +
        '    print(subprocess.run(["echo", "hi"], capture_output=True, text=True).stdout)\n' +
        '    with multiprocessing.Pool(2) as pool: print(pool.map(f, [1, 2, 3]))';
      const result = await python(code);
      expect(result.content).toContain('[1, 4, 9]');
      expect(result.content).toContain('hi');
    });

    it('names the package of a missing module', async () => {
      const known = await python('import cv2_missing_name');
      expect(known.failure).toEqual({
        kind: 'needs_package',
        message: expect.stringContaining('cv2_missing_name (same name, unverified)'),
      });
      expect(known.metadata).toMatchObject({ missing_module: 'cv2_missing_name' });
      const caught = await python('try:\n  import zzz_none\nexcept ImportError: print("fine")');
      expect(caught.failure).toBeUndefined();
      writeFileSync(join(made.paths.workspace, 'mine_here.py'), '');
      const local = await python('import mine_here');
      expect(local.failure?.message).toContain('script_path');
    });

    it('ends at its time limit, with everything it started', async () => {
      const started = performance.now();
      const code =
        'import subprocess, time\nsubprocess.Popen(["sleep", "46.5"])\nprint("on")\ntime.sleep(20)';
      const result = await python(code, { timeout_seconds: 1 });
      expect(performance.now() - started).toBeLessThan(4000);
      expect(result.failure?.kind).toBe('timeout');
      expect(result.content).toContain('on');
    });

    it('ends a grandchild that was left sleeping', async () => {
      const code = 'import subprocess\nsubprocess.Popen(["sleep", "47.5"])\nprint("done")';
      const started = performance.now();
      const result = await python(code);
      expect(performance.now() - started).toBeLessThan(4000);
      expect(result.failure).toBeUndefined();
      expect(await made.environment.processesOf('call_1')).toEqual([]);
    });

    it('shows binary output', async () => {
      const result = await python('import sys; sys.stdout.buffer.write(b"a\\xff\\x00b")');
      expect(result.content).toBe('exit_code=0\n[stdout]\na\ufffd\0b');
    });
  });
}

describe.skipIf(withoutPython)('the search for an interpreter', () => {
  it('passes over one that hangs and one that babbles, and asks each once', async () => {
    const made = makeExecSession('none', {});
    const folder = join(made.root, 'fakes');
    mkdirSync(folder);
    const program = (name: string, text: string) => {
      writeFileSync(join(folder, name), `#!/bin/sh\necho x >> ${folder}/asked\n${text}\n`);
      chmodSync(join(folder, name), 0o755);
      return join(folder, name);
    };
    const settings = { 'python.interpreter': program('babble', 'echo hello') };
    const own = { ...made.session, settings };
    const first = makeExecSession('none', { ...own, slots: new Map() });
    const result = await first.call(pythonExecTool, { code: 'print(1)' });
    expect(result.content).toContain('1');
    expect(readFileSync(join(folder, 'asked'), 'utf8')).toBe('x\n');
    await first.call(pythonExecTool, { code: 'print(2)' });
    expect(readFileSync(join(folder, 'asked'), 'utf8')).toBe('x\n');
    await first.dispose();
    await made.dispose();
  });
});
