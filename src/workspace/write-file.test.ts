import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { revokeGrant } from './grant.ts';
import { grantFor, kindOf, makePlace, type TestPlace } from './testing.ts';
import type { Grant } from './types.ts';

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

describe('writing', () => {
  it('creates with parents, replaces, keeps the mode, splits hard links, follows links', async () => {
    const deep = at('n/e/w.txt', 'write');
    expect(await kindOf(() => files.writeAtomic(deep, Buffer.from('x'), { grant }))).toBe(
      'not_found',
    );
    const made = await files.writeAtomic(deep, Buffer.from('one'), { grant, makeParents: true });
    expect(made).toMatchObject({
      created: true,
      beforeSha256: null,
      bytes: 3,
      hardLinkSplit: false,
    });
    chmodSync(join(workspace, 'n/e/w.txt'), 0o4751);
    linkSync(join(workspace, 'n/e/w.txt'), join(workspace, 'other'));
    symlinkSync('n/e/w.txt', join(workspace, 'link'));
    const outcome = await files.writeAtomic(at('link', 'write'), Buffer.from('two'), { grant });
    expect(outcome).toMatchObject({ created: false, hardLinkSplit: true });
    expect(outcome.beforeSha256).toBe(made.afterSha256);
    expect(lstatSync(join(workspace, 'link')).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(workspace, 'n/e/w.txt'), 'utf8')).toBe('two');
    expect(readFileSync(join(workspace, 'other'), 'utf8')).toBe('one');
    expect(statSync(join(workspace, 'n/e/w.txt')).mode & 0o7777).toBe(0o751);
    expect(readdirSync(join(workspace, 'n/e'))).toEqual(['w.txt']);
  });

  it('refuses without a live grant, over unexpected content, over what exists, into read-only places', async () => {
    put('f', 'old');
    const path = at('f', 'write');
    const dead = grantFor();
    revokeGrant(dead);
    const data = Buffer.from('new');
    expect(await kindOf(() => files.writeAtomic(path, data, { grant: dead }))).toBe(
      'permission_denied',
    );
    expect(await kindOf(() => files.writeAtomic(path, data, { grant: { ...grant } }))).toBe(
      'permission_denied',
    );
    expect(await kindOf(() => files.remove(path, dead))).toBe('permission_denied');
    expect(await kindOf(() => files.writeAtomic(path, data, { grant, createOnly: true }))).toBe(
      'already_exists',
    );
    expect(await kindOf(() => files.writeAtomic(path, data, { grant, expectedSha256: null }))).toBe(
      'stale_file',
    );
    expect(
      await kindOf(() => files.writeAtomic(path, data, { grant, expectedSha256: '0'.repeat(64) })),
    ).toBe('stale_file');
    expect(
      await kindOf(() =>
        files.writeAtomic(at('gone', 'write'), data, { grant, expectedSha256: '0'.repeat(64) }),
      ),
    ).toBe('stale_file');
    expect(await kindOf(() => files.writeAtomic(at('input/x'), data, { grant }))).toBe(
      'path_denied',
    );
    symlinkSync(join(base, 's/input'), join(workspace, 'in'));
    expect(await kindOf(() => files.writeAtomic(at('in/x', 'write'), data, { grant }))).toBe(
      'path_denied',
    );
    symlinkSync('nowhere', join(workspace, 'dangling'));
    expect(await kindOf(() => files.writeAtomic(at('dangling', 'write'), data, { grant }))).toBe(
      'not_found',
    );
    symlinkSync(join(base, 'canary'), join(workspace, 'out'));
    expect(await kindOf(() => files.writeAtomic(at('out', 'write'), data, { grant }))).toBe(
      'path_outside',
    );
    expect(await kindOf(() => files.writeAtomic(at('.', 'write'), data, { grant }))).toBe(
      'wrong_type',
    );
    expect(readFileSync(join(workspace, 'f'), 'utf8')).toBe('old');
    expect(readFileSync(join(base, 'canary'), 'utf8')).toBe('CANARY');
    expect(readdirSync(workspace).filter((name) => name.startsWith('.tw-'))).toEqual([]);
  });

  it('asks for an approval of its own for protected paths, literal or behind links', async () => {
    mkdirSync(join(workspace, '.git/hooks'), { recursive: true });
    symlinkSync('.git/hooks', join(workspace, 'tools'));
    const data = Buffer.from('x');
    const write = (text: string, by: Grant): Promise<string> =>
      kindOf(() => files.writeAtomic(at(text, 'write'), data, { grant: by, makeParents: true }));
    for (const name of [
      '.git/hooks/pre-commit',
      'tools/pre-commit',
      '.vscode/tasks.json',
      'sub/.mcp.json',
      'toolwright.yaml',
      '.git/modules/m/config',
      '.git/worktrees/w/info/attributes',
    ]) {
      expect(await write(name, grant), name).toBe('path_denied');
    }
    expect(existsSync(join(workspace, '.vscode'))).toBe(false);
    expect(
      await write('tools/pre-commit', grantFor([join(workspace, '.git/hooks/pre-commit')])),
    ).toBe('ok');
    expect(await write('.git/info/exclude', grant)).toBe('ok');
    expect(await write('.env', grantFor([join(workspace, '.env')]))).toBe('path_denied');
    expect(await kindOf(() => files.rename(at('.git', 'write'), at('g', 'write'), grant))).toBe(
      'path_denied',
    );
    mkdirSync(join(workspace, 'pkg/.vscode'), { recursive: true });
    expect(await kindOf(() => files.remove(at('pkg', 'write'), grant, { recursive: true }))).toBe(
      'path_denied',
    );
    expect(existsSync(join(workspace, 'pkg/.vscode'))).toBe(true);
  });

  it('appends, removes trees without crossing links, renames without replacing, makes folders', async () => {
    const log = at('log', 'write');
    await files.append(log, Buffer.from('a'), { grant });
    await files.append(log, Buffer.from('b'), { grant });
    expect(readFileSync(join(workspace, 'log'), 'utf8')).toBe('ab');
    put('big', Buffer.alloc(11 << 20));
    const { ino } = statSync(join(workspace, 'big'));
    await files.append(at('big', 'write'), Buffer.from('end'), { grant });
    expect(statSync(join(workspace, 'big'))).toMatchObject({ ino, size: (11 << 20) + 3 });
    await files.mkdir(at('t/u/v', 'write'), grant);
    await files.mkdir(at('t/u/v', 'write'), grant);
    put('t/u/f');
    symlinkSync(base, join(workspace, 't/out'));
    await files.rename(at('t', 'write'), at('moved', 'write'), grant);
    await files.rename(at('log', 'write'), at('output/log', 'write'), grant);
    expect(readFileSync(join(base, 's/output/log'), 'utf8')).toBe('ab');
    put('log', 'other');
    expect(
      await kindOf(() => files.rename(at('log', 'write'), at('output/log', 'write'), grant)),
    ).toBe('already_exists');
    expect(await kindOf(() => files.remove(at('moved', 'write'), grant))).toBe('already_exists');
    await files.remove(at('moved', 'write'), grant, { recursive: true });
    expect(readdirSync(workspace).sort()).toEqual(['big', 'log']);
    expect(readFileSync(join(base, 'canary'), 'utf8')).toBe('CANARY');
  });

  it('goes on after a root was deleted and made again', async () => {
    await files.writeAtomic(at('output/a', 'write'), Buffer.from('1'), { grant });
    rmSync(join(base, 's/output'), { recursive: true });
    mkdirSync(join(base, 's/output'));
    await files.writeAtomic(at('output/a', 'write'), Buffer.from('2'), { grant });
    expect(readFileSync(join(base, 's/output/a'), 'utf8')).toBe('2');
  });
});
