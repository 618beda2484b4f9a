import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isToolFailure } from '../errors.ts';
import { createPathResolver, decidePrefixes, type PathResolverOptions } from './path-resolver.ts';
import { isProtectedPath, isSecretName } from './protected-names.ts';
import { bytesOfSegment, segmentOfBytes } from './segments.ts';
import type { PathIntent, PathResolver } from './types.ts';

let base: string;
let options: PathResolverOptions;

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'tw-paths-'));
  mkdirSync(join(base, 'repo/output'), { recursive: true });
  mkdirSync(join(base, 'empty'));
  mkdirSync(join(base, 'extra'));
  symlinkSync('repo', join(base, 'alias'));
  options = {
    workspace: join(base, 'repo'),
    session: {
      input: join(base, 's/input'),
      output: join(base, 's/output'),
      scratchpad: join(base, 's/scratchpad'),
      toolOutput: join(base, 's/.session/tool-output'),
    },
    prefixes: 'on',
    extraRoots: [{ path: join(base, 'extra') }],
    skills: [{ name: 'product-data', path: join(base, 'skills/product-data') }],
    userHome: join(base, 'extra'),
  };
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

function make(prefixes: PathResolverOptions['prefixes'] = 'on'): PathResolver {
  return createPathResolver({ ...options, prefixes });
}
function outcome(text: string, intent: PathIntent = 'read', resolver = make()): string {
  try {
    const path = resolver.resolve(text, intent);
    return path.absolute.replace(`${base}/`, '');
  } catch (error) {
    if (isToolFailure(error)) return error.kind;
    throw error;
  }
}

describe('routing', () => {
  it.each([
    ['output/a.csv', 's/output/a.csv'],
    ['./outputs/a.csv', 's/output/a.csv'],
    ['output//a.csv', 's/output/a.csv'],
    ['output/./a.csv', 's/output/a.csv'],
    ['output', 's/output'],
    ['scratch/x', 's/scratchpad/x'],
    ['inputs/x', 's/input/x'],
    ['outputs.txt', 'repo/outputs.txt'],
    ['Output/a.csv', 'repo/Output/a.csv'],
    ['src/output/a.csv', 'repo/src/output/a.csv'],
    ['output/../a.txt', 'repo/a.txt'],
    ['src/../output/a', 's/output/a'],
    ['output/../../a', 'path_outside'],
    ['..', 'path_outside'],
    ['workspace:output/a.csv', 'repo/output/a.csv'],
    ['./workspace:output/a.csv', 'repo/output/a.csv'],
    ['workspace:../x', 'path_outside'],
    ['workspace:', 'repo'],
    ['.', 'repo'],
    ['tool-output/c1.txt', 's/.session/tool-output/c1.txt'],
    ['skills/product-data/SKILL.md', 'skills/product-data/SKILL.md'],
    ['skills/other/SKILL.md', 'repo/skills/other/SKILL.md'],
    ['skills', 'repo/skills'],
    ['~/x', 'extra/x'],
    ['~root/x', 'path_outside'],
    ['./~root', 'repo/~root'],
    ['', 'invalid_arguments'],
    ['a\0b', 'invalid_arguments'],
    [`${'x'.repeat(256)}`, 'invalid_arguments'],
    [`${'x/'.repeat(2050)}`, 'invalid_arguments'],
    ['/etc/passwd', 'path_outside'],
    ['.session/events.jsonl', 'path_denied'],
    ['a/.data_agent/state.json', 'path_denied'],
    ['a%2e%2e/x', 'repo/a%2e%2e/x'],
    ['a\\b', 'repo/a\\b'],
  ])('%j goes to %s', (text, expected) => {
    expect(outcome(text)).toBe(expected);
  });

  it('compares absolute paths by component, with either spelling of a root', () => {
    const viaAlias = createPathResolver({ ...options, workspace: join(base, 'alias') });
    expect(outcome(join(base, 'repo/a'))).toBe('repo/a');
    expect(outcome(join(base, 'repo/a'), 'read', viaAlias)).toBe('alias/a');
    expect(outcome(join(base, 'alias/a'), 'read', viaAlias)).toBe('alias/a');
    expect(outcome(join(base, 'repo-sibling/a'))).toBe('path_outside');
    expect(outcome(join(base, 'repo/../extra/a'))).toBe('extra/a');
    expect(make().resolve(join(base, 's/output/a'), 'read').logical).toBe('output/a');
    expect(make().logicalOf(join(base, 'repo/output/a'))).toBe('workspace:output/a');
    expect(make().logicalOf('/etc')).toBeNull();
  });

  it('holds the intent against the place', () => {
    const cases: readonly (readonly [string, PathIntent, string])[] = [
      ['input/new.csv', 'write', 'path_denied'],
      ['tool-output/c', 'write', 'path_denied'],
      ['tool-output', 'list', 'path_denied'],
      ['skills/product-data/scripts/x.py', 'exec', 'skills/product-data/scripts/x.py'],
      ['skills/product-data/x.py', 'exec', 'path_denied'],
      ['skills/product-data/scripts/x.py', 'write', 'path_denied'],
      ['input/x.py', 'exec', 'path_denied'],
      ['scratchpad/x.py', 'exec', 's/scratchpad/x.py'],
      ['output/x', 'write', 's/output/x'],
      [join('/', 'nowhere'), 'write', 'path_outside'],
    ];
    for (const [text, intent, expected] of cases) expect(outcome(text, intent)).toBe(expected);
    expect(outcome(join(base, 'extra/x'), 'write')).toBe('path_denied');
  });

  it('does not route in auto what the workspace had at session start', () => {
    expect(decidePrefixes(join(base, 'repo'))).toEqual(['scratchpad', 'input']);
    const auto = make('auto');
    expect(outcome('output/a', 'read', auto)).toBe('repo/output/a');
    expect(outcome('outputs/a', 'read', auto)).toBe('repo/outputs/a');
    expect(outcome('scratch/a', 'read', auto)).toBe('s/scratchpad/a');
    const decided = decidePrefixes(join(base, 'empty'));
    mkdirSync(join(base, 'empty/input'));
    const later = createPathResolver({
      ...options,
      workspace: join(base, 'empty'),
      prefixes: decided,
    });
    expect(outcome('input/a', 'read', later)).toBe('s/input/a');
    expect(outcome('output/a', 'read', make('off'))).toBe('repo/output/a');
    expect(make('off').resolve(join(base, 's/output/a'), 'write').logical).toBe(
      join(base, 's/output/a'),
    );
  });

  it('shows names that lead back to the same place', () => {
    const segment = fc.oneof(
      fc.constantFrom(
        'output',
        'outputs',
        'skills',
        'product-data',
        'workspace:',
        'workspace:x',
        '~',
        '~a',
        'scratch',
        'tool-output',
        'src',
        '-x',
        'a b',
        'ü',
      ),
      fc
        .string({ minLength: 1, maxLength: 8 })
        .filter((text) => !/[/\0]/.test(text) && text !== '.' && text !== '..'),
    );
    const resolvers = [make('on'), make('auto'), make('off')];
    fc.assert(
      fc.property(
        fc.array(segment, { maxLength: 4 }),
        fc.nat(),
        fc.nat(2),
        (segments, which, kind) => {
          const resolver = resolvers[kind] ?? make();
          const root = resolver.roots[which % resolver.roots.length];
          if (root === undefined) return;
          const top = resolver.resolve(root.path, 'read');
          const path = segments.reduce((parent, name) => resolver.child(parent, name), top);
          const again = resolver.resolve(path.logical, 'read');
          expect([again.root.path, ...again.segments]).toEqual([root.path, ...segments]);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('never leaves the roots, whatever is written', () => {
    const resolver = make();
    const piece = fc.constantFrom(
      '..',
      '.',
      '/',
      '//',
      'a',
      'output',
      '~',
      'workspace:',
      '%2e%2e',
      '..;',
      '....//',
      '\\..\\',
      '..%c0%af',
      '.. ',
      base,
    );
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 10 }), (pieces) => {
        try {
          const path = resolver.resolve(pieces.join('/'), 'read');
          expect(path.segments).not.toContain('..');
          expect(
            path.absolute === path.root.path || path.absolute.startsWith(`${path.root.path}/`),
          ).toBe(true);
        } catch (error) {
          if (!isToolFailure(error)) throw error;
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('names', () => {
  it('of any bytes have one spelling that leads back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), (bytes) => {
        const buffer = Buffer.from(bytes);
        expect(bytesOfSegment(segmentOfBytes(buffer)).equals(buffer)).toBe(true);
      }),
    );
    const twice = Buffer.from('é').reduce(
      (text, byte) => text + String.fromCharCode(0xdc00 + byte),
      '',
    );
    expect(outcome(twice)).toBe('invalid_arguments');
  });

  it('with consequences are known at any depth', () => {
    const is = (test: (segments: readonly string[]) => boolean, path: string): boolean =>
      test(path.split('/'));
    for (const path of [
      '.git/config',
      'a/.git/hooks/x',
      '.git/modules/a/b/hooks/x',
      '.git',
      '.envrc',
      'x/.claude/y/z',
      'sub/toolwright.yaml',
    ]) {
      expect(is(isProtectedPath, path), path).toBe(true);
    }
    for (const path of [
      '.git/HEAD',
      '.git/refs/heads/config',
      'config',
      'hooks/x',
      '.github/workflows/ci.yml',
      '.gitignore',
      '.git/modules/a/HEAD',
    ]) {
      expect(is(isProtectedPath, path), path).toBe(false);
    }
    for (const path of [
      '.env',
      'a/.env.prod',
      'k.pem',
      '.aws/x',
      '.kube/config',
      'credentials',
      'credentials.json',
      'secrets.yaml',
      'tls.key',
      'id_ed25519',
      '.docker/config.json',
    ]) {
      expect(is(isSecretName, path), path).toBe(true);
    }
    for (const path of [
      '.env.example',
      '.env.local.sample',
      'credentials.ts',
      'secrets.py',
      'src/environment.ts',
      'kube/config',
      'credentials/a.md',
      'mysecrets.yaml',
    ]) {
      expect(is(isSecretName, path), path).toBe(false);
    }
    expect(isSecretName(['.ENV'], { fold: true })).toBe(true);
    expect(isProtectedPath(['.GIT', 'Config'], { fold: true })).toBe(true);
  });
});
