import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { segmentOfBytes } from './segments.ts';
import { grantFor, kindOf, LIMITS, makePlace, type TestPlace } from './testing.ts';
import { createFileAccess } from './workspace-fs.ts';

const grant = grantFor();

let place: TestPlace;
let base: string;
let workspace: string;
let files: TestPlace['files'];
let at: TestPlace['at'];
let put: TestPlace['put'];

beforeEach(() => {
  place = makePlace();
  ({ base, workspace, files, at, put } = place);
});
afterEach(() => place.close());

async function collect<T>(all: AsyncIterable<T>): Promise<T[]> {
  const result: T[] = [];
  for await (const one of all) result.push(one);
  return result;
}

describe('reading', () => {
  it('reads a deep file, again from the kept folder, and after the folder was replaced', async () => {
    mkdirSync(join(workspace, 'a/b/c'), { recursive: true });
    put('a/b/c/f', 'one');
    expect((await files.read(at('a/b/c/f'))).toString()).toBe('one');
    spawnSync('mv', [join(workspace, 'a/b'), join(workspace, 'a/old')]);
    mkdirSync(join(workspace, 'a/b/c'), { recursive: true });
    put('a/b/c/f', 'two');
    expect((await files.read(at('a/b/c/f'))).toString()).toBe('two');
  });

  it('follows links inside the roots, relative, absolute and into another root', async () => {
    mkdirSync(join(workspace, 'd/e'), { recursive: true });
    put('d/e/f', 'content');
    writeFileSync(join(base, 's/output/o'), 'out');
    symlinkSync('d/e', join(workspace, 'rel'));
    symlinkSync(join(workspace, 'd'), join(workspace, 'abs'));
    symlinkSync('../rel/f', join(workspace, 'd/back'));
    symlinkSync(join(base, 's/output'), join(workspace, 'other'));
    symlinkSync('../../ws/d/e/f', join(workspace, 'd/over'));
    for (const name of ['rel/f', 'abs/e/f', 'd/back', 'd/over']) {
      expect((await files.read(at(name))).toString()).toBe('content');
    }
    expect((await files.read(at('other/o'))).toString()).toBe('out');
    expect(await files.realPath(at('abs/e/f'))).toBe(join(workspace, 'd/e/f'));
    expect(await files.realPath(at('abs/new/deep/x'))).toBe(join(workspace, 'd/new/deep/x'));
  });

  it('refuses links that leave, loops, chains of 41 and siblings with the same beginning', async () => {
    symlinkSync(join(base, 'canary'), join(workspace, 'out'));
    symlinkSync('../canary', join(workspace, 'up'));
    symlinkSync(base, join(workspace, 'dir'));
    symlinkSync('../ws-sibling', join(workspace, 'sibling'));
    symlinkSync('loop', join(workspace, 'loop'));
    put('end', 'end');
    symlinkSync('end', join(workspace, 'l0'));
    for (let i = 1; i < 41; i += 1) symlinkSync(`l${i - 1}`, join(workspace, `l${i}`));
    for (const name of ['out', 'up', 'dir/canary', 'sibling/canary', 'loop', 'l40']) {
      expect(await kindOf(() => files.read(at(name))), name).toBe('path_outside');
    }
    expect((await files.read(at('l39'))).toString()).toBe('end');
    symlinkSync('nowhere', join(workspace, 'dangling'));
    expect(await kindOf(() => files.read(at('dangling')))).toBe('not_found');
    expect(await kindOf(() => files.list(at('dir')))).toBe('path_outside');
    expect(await kindOf(() => files.stat(at('out')))).toBe('path_outside');
    expect((await files.stat(at('out'), { noFollow: true })).type).toBe('link');
  });

  it('R20: answers for pipes, devices, sparse giants and folders within 50 ms each', async () => {
    for (let i = 0; i < 8; i += 1) spawnSync('mkfifo', [join(workspace, `fifo${i}`)]);
    symlinkSync('/dev/zero', join(workspace, 'zero'));
    put('sparse', '');
    truncateSync(join(workspace, 'sparse'), 1024 ** 4);
    put('plain', 'fine');
    const timed = async (name: string): Promise<string> => {
      const start = performance.now();
      const kind = await kindOf(() => files.read(at(name)));
      expect(performance.now() - start).toBeLessThan(50);
      return kind;
    };
    await timed('plain');
    for (let i = 0; i < 8; i += 1) expect(await timed(`fifo${i}`)).toBe('wrong_type');
    expect(await timed('zero')).toBe('path_outside');
    expect(await timed('sparse')).toBe('too_large');
    expect(await timed('.')).toBe('wrong_type');
    expect(await timed('plain')).toBe('ok');
    expect(await kindOf(() => files.read(at('plain/below')))).toBe('wrong_type');
  });

  it('R21: counts bytes read, not the size a file claims', async () => {
    const proc = createFileAccess({
      roots: [{ kind: 'extra', path: '/proc/self', write: false, logicalPrefix: '/proc/self' }],
      limits: LIMITS,
    });
    const root = {
      kind: 'extra',
      path: '/proc/self',
      write: false,
      logicalPrefix: '/proc/self',
    } as const;
    const path = {
      root,
      segments: ['status'],
      logical: '/proc/self/status',
      absolute: '/proc/self/status',
      intent: 'read',
    } as const;
    expect((await proc.read(path)).toString()).toContain('Pid:');
    expect(await kindOf(() => proc.read(path, { maxBytes: 100 }))).toBe('too_large');
    proc.close();
    put('big', Buffer.alloc(3 << 20, 7));
    expect((await files.read(at('big'))).length).toBe(3 << 20);
    expect(await kindOf(() => files.read(at('big'), { maxBytes: 1000 }))).toBe('too_large');
    expect((await files.readRange(at('big'), (3 << 20) - 5, 100)).length).toBe(5);
  });

  it('keeps secrets, also behind links and when absent, and lets code of such names be read', async () => {
    for (const name of [
      'credentials',
      'credentials.json',
      'secrets.yaml',
      'tls.key',
      '.env',
      '.env.local',
      'id_rsa.pub',
    ]) {
      put(name, 'SECRET');
      expect(await kindOf(() => files.read(at(name))), name).toBe('path_denied');
    }
    for (const name of ['credentials.ts', 'secrets.py', '.env.example']) {
      put(name, 'code');
      expect(await kindOf(() => files.read(at(name))), name).toBe('ok');
    }
    symlinkSync('.env', join(workspace, 'notes.txt'));
    expect(await kindOf(() => files.read(at('notes.txt')))).toBe('path_denied');
    expect(await kindOf(() => files.read(at('absent.pem')))).toBe('path_denied');
    expect(await kindOf(() => files.stat(at('absent.pem')))).toBe('path_denied');
    mkdirSync(join(workspace, 'credentials.d'));
    put('credentials.d/a.md');
    expect((await files.list(at('credentials.d'))).map((one) => one.name)).toEqual(['a.md']);
  });

  it('closes the home of the runtime below the workspace and its record folders', async () => {
    mkdirSync(join(workspace, 'home/x'), { recursive: true });
    put('home/x/key', 'K');
    const closed = createFileAccess({
      roots: place.resolver.roots,
      limits: LIMITS,
      home: join(workspace, 'home'),
    });
    symlinkSync('home', join(workspace, 'alias'));
    expect(await kindOf(() => closed.read(at('home/x/key')))).toBe('path_denied');
    expect(await kindOf(() => closed.read(at('alias/x/key')))).toBe('path_denied');
    expect((await collect(closed.walk(at('.')))).map((one) => one.path.logical)).toEqual(['alias']);
    closed.close();
    mkdirSync(join(workspace, 'y/.session'), { recursive: true });
    symlinkSync('y/.session', join(workspace, 'innocent'));
    expect(await kindOf(() => files.list(at('innocent')))).toBe('path_denied');
    expect(await files.list(at('y'))).toEqual([]);
  });
});

describe('R22: odd names', () => {
  const names = [
    Buffer.from('new\nline'),
    Buffer.from('-rf'),
    Buffer.from('caf\u00e9'),
    Buffer.from('cafe\u0301'),
    Buffer.from('a\u202eb'),
    Buffer.from([0x61, 0xff, 0xfe, 0xc3]),
    Buffer.from('x'.repeat(255)),
    Buffer.from('back\\slash'),
    Buffer.from(' lead and trail '),
    Buffer.from('$(touch x)`;\'"'),
    Buffer.from('~home'),
    Buffer.from('*?[a]{b}'),
    Buffer.from('\u{1f600}'),
  ];

  it('are listed, read, edited and deleted exactly', async () => {
    for (const [index, name] of names.entries()) {
      writeFileSync(Buffer.concat([Buffer.from(`${workspace}/`), name]), `content ${index}`);
    }
    const listed = await files.list(at('.', 'list'));
    expect(listed.length).toBe(names.length);
    for (const [index, name] of names.entries()) {
      const path = place.resolver.child(at('.', 'write'), segmentOfBytes(name));
      expect((await files.read(path)).toString()).toBe(`content ${index}`);
      await files.writeAtomic(path, Buffer.from('edited'), { grant });
      expect(readFileSync(Buffer.concat([Buffer.from(`${workspace}/`), name]), 'utf8')).toBe(
        'edited',
      );
      if (name.toString().isWellFormed() && name.equals(Buffer.from(name.toString()))) {
        expect(place.resolver.resolve(path.logical, 'read').segments).toEqual(path.segments);
      }
      await files.remove(path, grant);
    }
    expect(readdirSync(workspace)).toEqual([]);
  });

  it('are refused for new files when nobody could type them back', async () => {
    for (const name of ['a\nb', 'a\\b', 'a\u0085']) {
      const path = place.resolver.child(at('.', 'write'), name);
      expect(await kindOf(() => files.writeAtomic(path, Buffer.from('x'), { grant }))).toBe(
        'invalid_arguments',
      );
    }
    const deep = at('new\\dir/file', 'write');
    expect(
      await kindOf(() => files.writeAtomic(deep, Buffer.from('x'), { grant, makeParents: true })),
    ).toBe('invalid_arguments');
    expect(readdirSync(workspace)).toEqual([]);
  });
});

describe('walking', () => {
  it('is sorted, follows no link, prunes, and tells when a cap was reached', async () => {
    mkdirSync(join(workspace, 'b/c'), { recursive: true });
    for (const name of ['z', 'a', 'b/y', 'b/c/d']) put(name);
    symlinkSync('..', join(workspace, 'b/up'));
    const all = await collect(files.walk(at('.', 'list')));
    expect(all.map((one) => one.path.logical)).toEqual([
      'a',
      'b',
      'b/c',
      'b/c/d',
      'b/up',
      'b/y',
      'z',
    ]);
    const pruned = files.walk(at('.', 'list'), {
      enter: (path) => path.logical !== 'b/c',
      stat: false,
    });
    expect((await collect(pruned)).map((one) => one.path.logical)).toEqual([
      'a',
      'b',
      'b/c',
      'b/up',
      'b/y',
      'z',
    ]);
    const reasons: string[] = [];
    const onPartial = (reason: string): void => void reasons.push(reason);
    expect(await collect(files.walk(at('.', 'list'), { maxEntries: 2, onPartial }))).toHaveLength(
      2,
    );
    expect(await collect(files.walk(at('.', 'list'), { maxDepth: 1, onPartial }))).toHaveLength(3);
    expect(reasons.length).toBe(2);
  });

  it('R24: reaches folders deeper than PATH_MAX and cleans up after being left early', async () => {
    const script =
      'import os,sys\nos.chdir(sys.argv[1])\nfor i in range(60):\n os.mkdir("d"*200); os.chdir("d"*200)\nopen("f","w").write("deep")';
    spawnSync('python3', ['-c', script, workspace]);
    const all = await collect(files.walk(at('.', 'list')));
    expect(all.length).toBe(61);
    const before = readdirSync('/proc/self/fd').length;
    for await (const one of files.walk(at('.', 'list'))) if (one.path.segments.length > 5) break;
    expect(readdirSync('/proc/self/fd').length).toBe(before);
  });
});
