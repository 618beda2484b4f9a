import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHostEnvironment } from '../../environment/host.ts';
import type { ExecutionEnvironment } from '../../environment/types.ts';
import type { FileAccess } from '../../workspace/types.ts';
import { MemoryLog } from '../testing/memory-log.ts';
import { PatchKeeper, type PatchOptions } from './patch-keeper.ts';
import { DEFAULT_EXCLUDE, DEFAULT_TEST_PATHS, isTestPath } from './patch-rules.ts';

let root = '';
let workspace = '';
let environment: ExecutionEnvironment;
let log: MemoryLog;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'patch-'));
  workspace = join(root, 'work tree');
  mkdirSync(workspace);
  for (const name of ['scratchpad', 'output', 'input', 'state']) mkdirSync(join(root, name));
  environment = environmentFor(workspace);
  log = new MemoryLog();
});
afterEach(async () => {
  await environment.stop();
  rmSync(root, { recursive: true, force: true });
});

function environmentFor(place: string): ExecutionEnvironment {
  const paths = {
    workspace: place,
    scratchpad: join(root, 'scratchpad'),
    output: join(root, 'output'),
    input: join(root, 'input'),
    stateDir: join(root, 'state'),
    venv: join(root, 'venv'),
  };
  const files = {} as FileAccess;
  const home = join(root, 'home');
  return createHostEnvironment({ home, paths, files, limits: {}, network: false });
}

function keeper(over: Partial<PatchOptions> = {}): PatchKeeper {
  return new PatchKeeper({
    environment,
    workspace,
    stateDirectory: join(root, 'state'),
    log,
    scope: { run_id: 'run_test' },
    exclude: DEFAULT_EXCLUDE,
    testPaths: DEFAULT_TEST_PATHS,
    ownFiles: () => [],
    sizeOf: async (path) => (await stat(path).catch(() => null))?.size ?? null,
    baseCommit: null,
    base: null,
    ...over,
  });
}

function git(...args: string[]): string {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@t', '-c', 'init.defaultBranch=main'];
  return execFileSync('git', [...identity, ...args], { cwd: workspace, encoding: 'utf8' });
}

function write(path: string, text: string | Uint8Array): void {
  mkdirSync(join(workspace, path, '..'), { recursive: true });
  writeFileSync(join(workspace, path), text);
}

function repository(files: Readonly<Record<string, string>> = { 'a.txt': 'one\n' }): void {
  git('init', '-q');
  for (const [path, text] of Object.entries(files)) write(path, text);
  git('add', '-A');
  git('commit', '-qm', 'start');
}

/** Every file below a folder as type, mode and content. */
function tree(folder: string, below = ''): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(join(folder, below))) {
    if (name === '.git') continue;
    const path = below === '' ? name : `${below}/${name}`;
    const info = lstatSync(join(folder, path));
    if (info.isDirectory()) Object.assign(found, tree(folder, path));
    else if (info.isSymbolicLink()) found[path] = `link ${readlinkSync(join(folder, path))}`;
    else
      found[path] =
        `${info.mode & 0o100 ? 'x' : '-'} ${readFileSync(join(folder, path), 'latin1')}`;
  }
  return found;
}

function digestOfFolder(folder: string): string {
  const hash = createHash('sha256');
  const visit = (path: string) => {
    for (const name of readdirSync(path).sort()) {
      const full = join(path, name);
      if (lstatSync(full).isDirectory()) visit(full);
      else hash.update(full).update(readFileSync(full));
    }
  };
  visit(folder);
  return hash.digest('hex');
}

function applied(patch: string, start: string): Record<string, string> {
  if (readFileSync(patch).length > 0)
    execFileSync('git', ['apply', '--whitespace=nowarn', patch], { cwd: start });
  return tree(start);
}

function copyOfStart(): string {
  const start = join(root, 'start');
  cpSync(workspace, start, { recursive: true, verbatimSymlinks: true });
  return start;
}

describe('the patch of a task', () => {
  const patchFile = () => join(root, 'state', 'patch.diff');

  it('applied to the start gives the same tree: every kind of change, also when the agent committed', async () => {
    repository({
      'a.txt': 'one\n',
      'gone.txt': 'x\n',
      'run.sh': '#!/bin/sh\n',
      'crlf.txt': 'a\r\nb\r\n',
    });
    const start = copyOfStart();
    const patch = keeper();
    await patch.beforeActing();
    write('a.txt', 'two\n');
    unlinkSync(join(workspace, 'gone.txt'));
    chmodSync(join(workspace, 'run.sh'), 0o755);
    write('crlf.txt', 'a\r\nc\r\n');
    write('neu ä/with space.txt', 'text\n');
    write('bin.dat', Uint8Array.from([0, 1, 2, 255]));
    symlinkSync('a.txt', join(workspace, 'link'));
    write('staged.txt', 'staged\n');
    git('add', 'staged.txt');
    git('commit', '-qm', 'by the agent', '-a');
    const info = await patch.finish(null);
    expect(info).toMatchObject({ files: 8, path: null, omitted: [] });
    expect(applied(patchFile(), start)).toEqual(tree(workspace));
    expect(log.of('base_taken')).toMatchObject([{ kind: 'git', commit: null }]);
  });

  it('leaves index, objects and refs of the repository as they are', async () => {
    repository();
    write('untracked.txt', 'x');
    const before = digestOfFolder(join(workspace, '.git'));
    const patch = keeper();
    await patch.beforeActing();
    write('a.txt', 'changed\n');
    await patch.finish(null);
    expect(digestOfFolder(join(workspace, '.git'))).toBe(before);
  });

  it('sees a change of the same size at the same time as the index', async () => {
    git('init', '-q');
    git('config', 'core.trustctime', 'false');
    const then = new Date(Date.now() - 60_000);
    const at = (path: string) => utimesSync(join(workspace, path), then, then);
    write('a.txt', 'one\n');
    at('a.txt');
    git('add', '-A');
    git('commit', '-qm', 'start');
    at('.git/index');
    const patch = keeper();
    await patch.beforeActing();
    write('a.txt', 'two\n');
    at('a.txt');
    expect(await patch.finish(null)).toMatchObject({ files: 1 });
  });

  it('a dirty tree stays out of the patch and does not count', async () => {
    repository();
    write('a.txt', 'dirty\n');
    write('mine.txt', 'mine\n');
    const patch = keeper();
    await patch.beforeActing();
    expect(await patch.changedNonTestPaths()).toEqual([]);
    write('b.txt', 'new\n');
    patch.stepFinished();
    expect(await patch.changedNonTestPaths()).toEqual(['b.txt']);
    expect(await patch.finish(null)).toMatchObject({ files: 1, insertions: 1, deletions: 0 });
    expect(readFileSync(patchFile(), 'utf8')).not.toContain('mine');
  });

  it('a run that never acted has an empty patch and starts no git', async () => {
    repository();
    const patch = keeper();
    const copy = join(root, 'copy.diff');
    expect(await patch.finish(copy)).toMatchObject({ bytes: 0, files: 0, path: copy });
    expect(readFileSync(copy)).toHaveLength(0);
    expect(readdirSync(join(root, 'state'))).toEqual(['patch.diff']);
  });

  it('leaves out ignored files, caches, our own files and big ones', async () => {
    repository({ '.gitignore': 'ignored/\n' });
    const own = join(workspace, 'trajectories', 't.json');
    const patch = keeper({ ownFiles: () => [own] });
    await patch.beforeActing();
    for (const path of ['ignored/x', 'node_modules/m.js', 'x.pyc', 'trajectories/t.json', 'ok.txt'])
      write(path, 'x');
    write('big.bin', Buffer.alloc(11 * 1024 * 1024));
    const info = await patch.finish(null);
    expect(info).toMatchObject({ files: 1, omitted: [{ path: 'big.bin', reason: 'size' }] });
    expect(log.of('warning')).toMatchObject([{ code: 'patch_omitted' }]);
  });

  it('nested repositories are listed, their contents stay out', async () => {
    repository();
    const patch = keeper();
    await patch.beforeActing();
    write('inner/x.txt', 'x');
    execFileSync('git', ['init', '-q'], { cwd: join(workspace, 'inner') });
    write('outer.txt', 'y');
    const info = await patch.finish(null);
    expect(info).toMatchObject({
      files: 1,
      omitted: [{ path: 'inner', reason: 'nested_repository' }],
    });
  });

  it('hostile settings of the repository start nothing', async () => {
    repository({ '.gitattributes': '* filter=evil diff=evil\n', 'a.txt': 'one\n' });
    const mark = join(root, 'mark');
    const evil = join(root, 'evil.sh');
    writeFileSync(evil, `#!/bin/sh\necho "$0 $@" >> "${mark}"\ncat\n`, { mode: 0o755 });
    for (const hook of ['post-index-change', 'pre-commit']) {
      writeFileSync(join(workspace, '.git/hooks', hook), `#!/bin/sh\ntouch "${mark}"\n`, {
        mode: 0o755,
      });
    }
    for (const key of [
      'filter.evil.clean',
      'filter.evil.process',
      'diff.evil.textconv',
      'diff.evil.command',
      'diff.external',
      'core.fsmonitor',
      'core.pager',
    ])
      git('config', key, evil);
    const patch = keeper();
    await patch.beforeActing();
    write('a.txt', 'two\n');
    write('b.txt', 'b\n');
    expect(await patch.finish(null)).toMatchObject({ files: 2 });
    expect(readdirSync(root)).not.toContain('mark');
  });

  it('works without a commit, in a sub-folder, in a linked worktree and on a detached head', async () => {
    git('init', '-q');
    const unborn = keeper();
    await unborn.beforeActing();
    write('a.txt', 'a\n');
    expect(await unborn.finish(null)).toMatchObject({ files: 1 });
    git('add', '-A');
    git('commit', '-qm', 'x');
    git('checkout', '-q', '--detach');
    git('worktree', 'add', '-q', join(root, 'linked'));
    for (const place of [join(workspace, 'sub'), join(root, 'linked')]) {
      mkdirSync(place, { recursive: true });
      rmSync(join(root, 'state', 'patch'), { recursive: true, force: true });
      const patch = keeper({ workspace: place, environment: environmentFor(place) });
      await patch.beforeActing();
      expect(log.of('warning')).toEqual([]);
      writeFileSync(join(place, 'new.txt'), 'n\n');
      writeFileSync(join(workspace, `outside-${place.length}.txt`), 'n\n');
      expect(await patch.finish(null)).toMatchObject({ files: 1 });
      const text = readFileSync(patchFile(), 'utf8');
      expect(text).toContain(place.endsWith('sub') ? 'b/sub/new.txt' : 'b/new.txt');
    }
  });

  it('without a repository a private one gives the same', async () => {
    write('a.txt', 'one\n');
    const start = copyOfStart();
    const patch = keeper();
    await patch.beforeActing();
    write('a.txt', 'two\n');
    write('b.txt', 'b\n');
    expect(await patch.finish(null)).toMatchObject({ files: 2 });
    expect(applied(patchFile(), start)).toEqual(tree(workspace));
    expect(readdirSync(workspace)).toEqual(['a.txt', 'b.txt']);
  });

  it.each([true, false])(
    'what git keeps of the workspace is private, with a repository: %s',
    async (withRepository) => {
      if (withRepository) repository();
      else write('a.txt', 'one\n');
      const made = keeper();
      await made.beforeActing();
      write('new.txt', 'new\n');
      expect(await made.finish(null)).toMatchObject({ files: 1 });
      const store = join(root, 'state', 'patch');
      const entries = readdirSync(store, { recursive: true, encoding: 'utf8' });
      const shared = entries.filter((name) => (lstatSync(join(store, name)).mode & 0o077) !== 0);
      expect(shared).toEqual([]);
      expect(entries.filter((name) => name.endsWith('.sample'))).toEqual([]);
    },
  );

  it('a base commit replaces the start snapshot', async () => {
    repository();
    const commit = git('rev-parse', 'HEAD').trim();
    write('a.txt', 'two\n');
    const patch = keeper({ baseCommit: commit });
    await patch.beforeActing();
    expect(await patch.finish(null)).toMatchObject({ base: commit, files: 1 });
  });

  it('a copy that cannot be written is an error, the patch stays', async () => {
    repository();
    const patch = keeper();
    await patch.beforeActing();
    write('a.txt', 'two\n');
    await expect(patch.finish(join(root, 'missing', 'p.diff'))).rejects.toMatchObject({
      kind: 'patch_write_failed',
    });
    expect(readFileSync(patchFile()).length).toBeGreaterThan(0);
  });
});

describe('test paths', () => {
  it.each([
    ['tests/a.py', true],
    ['src/__tests__/x.js', true],
    ['Testing/a.c', true],
    ['test_a.py', true],
    ['src/a.test.ts', true],
    ['src/a.spec.js', true],
    ['pkg/a_test.go', true],
    ['a_spec.rb', true],
    ['conftest.py', true],
    ['tox.ini', true],
    ['src/FooTest.java', true],
    ['src/FooTests.kt', true],
    ['src/footest.java', false],
    ['src/latest_thing.py', false],
    ['contest/a.py', false],
    ['spec/api.yaml', false],
    ['src/FooTest.py', false],
  ])('%s: %s', (path, expected) => {
    expect(isTestPath(path)).toBe(expected);
  });
});
