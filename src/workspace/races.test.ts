import { spawn, spawnSync } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isToolFailure } from '../errors.ts';
import { issueGrant } from './grant.ts';
import { createPathResolver } from './path-resolver.ts';
import type { PathResolver } from './types.ts';
import { cleanTempFiles, createFileAccess, type WorkspaceFiles } from './workspace-fs.ts';

const LIMITS = {
  readBytes: 32 << 20,
  writeBytes: 64 << 20,
  listEntries: 100_000,
  depth: 256,
  searchEntries: 1_000_000,
  searchSeconds: 30,
};
const grant = issueGrant({
  callId: 'c',
  tool: 'write_file',
  class: 'write',
  origin: 'gate',
  digest: '',
  protectedPaths: [],
});

let base: string;
let workspace: string;
let resolver: PathResolver;
let files: WorkspaceFiles;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'tw-race-'));
  workspace = join(base, 'ws');
  const session = {
    input: join(base, 'i'),
    output: join(base, 'o'),
    scratchpad: join(base, 's'),
    toolOutput: join(base, 't'),
  };
  for (const folder of [workspace, ...Object.values(session)]) mkdirSync(folder);
  resolver = createPathResolver({ workspace, session, prefixes: 'off', extraRoots: [] });
  files = createFileAccess({ roots: resolver.roots, limits: LIMITS });
});
afterEach(() => {
  files.close();
  rmSync(base, { recursive: true, force: true });
});

/** Swaps, as fast as it can, a folder, a parent folder and a file for links that lead outside. */
const SWAPPER = `
const { workerData, parentPort } = require('node:worker_threads');
const fs = require('node:fs');
const { ws, out, flag } = workerData;
const state = new Int32Array(flag);
const quiet = (run) => { try { run(); } catch {} };
while (Atomics.load(state, 0) === 0) {
  for (const [name, kept, to] of [['a/b', 'a/b.kept', out + '/b'], ['a', 'a.kept', out], ['f', 'f.kept', out + '/b/f']]) {
    quiet(() => fs.renameSync(ws + '/' + name, ws + '/' + kept));
    quiet(() => fs.symlinkSync(to, ws + '/' + name));
    quiet(() => fs.unlinkSync(ws + '/' + name));
    quiet(() => fs.renameSync(ws + '/' + kept, ws + '/' + name));
  }
  Atomics.add(state, 1, 1);
}
`;

function swapping(): { rounds(): number; stop(): Promise<number> } {
  const flag = new SharedArrayBuffer(8);
  const state = new Int32Array(flag);
  const worker = new Worker(SWAPPER, {
    eval: true,
    workerData: { ws: workspace, out: join(base, 'outside'), flag },
  });
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  return {
    rounds: () => Atomics.load(state, 1),
    async stop() {
      Atomics.store(state, 0, 1);
      await ended;
      return Atomics.load(state, 1);
    },
  };
}

const TRIES = 800;
/** A test that ended before the swapper was up has raced with nothing. */
const LEAST_ROUNDS = 50;
const MOST_TRIES = 100_000;

describe('B3: racing swaps of folders and links', () => {
  it.each(['read', 'list', 'write', 'append', 'mkdir', 'rename', 'remove', 'removeTree'])(
    '%s never gets outside',
    async (operation) => {
      mkdirSync(join(workspace, 'a/b'), { recursive: true });
      mkdirSync(join(base, 'outside/b/tree'), { recursive: true });
      writeFileSync(join(workspace, 'f'), 'inside');
      writeFileSync(join(workspace, 'a/b/f'), 'inside');
      writeFileSync(join(base, 'outside/b/f'), 'CANARY');
      writeFileSync(join(base, 'outside/b/tree/x'), 'CANARY');
      writeFileSync(join(base, 'outside/canary'), 'CANARY');
      const outside = (): string =>
        spawnSync('find', [
          join(base, 'outside'),
          '-type',
          'f',
          '-printf',
          '%P ',
          '-o',
          '-printf',
          '%P/ ',
        ]).stdout.toString();
      const before = outside();
      const at = (text: string) => resolver.resolve(text, 'write');
      const data = Buffer.from('written');
      const run = async (turn: number): Promise<unknown> => {
        const name = turn % 3 === 0 ? 'f' : 'a/b/f';
        switch (operation) {
          case 'read':
            return expect((await files.read(at(name))).toString()).not.toContain('CANARY');
          case 'list':
            return expect((await files.list(at('a/b'))).map((one) => one.name)).not.toContain(
              'tree',
            );
          case 'write':
            return files.writeAtomic(at(name), data, { grant, makeParents: true });
          case 'append':
            return files.append(at(name), data, { grant });
          case 'mkdir':
            return files.mkdir(at(`a/b/m${turn}`), grant);
          case 'rename':
            return turn % 2 === 0
              ? files.rename(at('a/b/f'), at('a/b/g'), grant)
              : files.rename(at('a/b/g'), at('a/b/f'), grant);
          case 'remove':
            return files
              .remove(at('a/b/f'), grant)
              .finally(() => files.writeAtomic(at('a/b/f'), data, { grant }).catch(() => {}));
          default:
            return files
              .remove(at('a/b/tree'), grant, { recursive: true })
              .finally(() => files.mkdir(at('a/b/tree/sub'), grant).catch(() => {}));
        }
      };
      const swapper = swapping();
      let done = 0;
      const tries = operation === 'read' || operation === 'list' ? TRIES * 4 : TRIES / 5;
      const enough = (turn: number) => turn >= tries && swapper.rounds() >= LEAST_ROUNDS;
      for (let turn = 0; turn < MOST_TRIES && !enough(turn); turn += 1) {
        try {
          await run(turn);
          done += 1;
        } catch (error) {
          if (!isToolFailure(error)) throw error;
        }
      }
      const rounds = await swapper.stop();
      expect(rounds).toBeGreaterThanOrEqual(LEAST_ROUNDS);
      expect(done).toBeGreaterThan(0);
      expect(outside()).toBe(before);
      for (const name of ['b/f', 'b/tree/x', 'canary'])
        expect(readFileSync(join(base, 'outside', name), 'utf8')).toBe('CANARY');
    },
    30_000,
  );
});

const WRITER = `
import { createFileAccess } from ${JSON.stringify(new URL('./workspace-fs.ts', import.meta.url).href)};
import { createPathResolver } from ${JSON.stringify(new URL('./path-resolver.ts', import.meta.url).href)};
import { issueGrant } from ${JSON.stringify(new URL('./grant.ts', import.meta.url).href)};
const [base] = process.argv.slice(2);
const session = { input: base + '/i', output: base + '/o', scratchpad: base + '/s', toolOutput: base + '/t' };
const resolver = createPathResolver({ workspace: base + '/ws', session, prefixes: 'off', extraRoots: [] });
const files = createFileAccess({ roots: resolver.roots, limits: ${JSON.stringify(LIMITS)}, pendingFolder: base + '/pending' });
const grant = issueGrant({ callId: 'c', tool: 'w', class: 'write', origin: 'gate', digest: '', protectedPaths: [] });
console.log('ready');
for (let n = 0; ; n += 1) {
  await files.writeAtomic(resolver.resolve('f', 'write'), Buffer.alloc(300000, n % 2 === 0 ? 'A' : 'B'), { grant });
}
`;

describe('R05: SIGKILL during writes', () => {
  it('leaves old or new content, the mode, other hard links, and after a restart no temporary file', async () => {
    const script = join(base, 'writer.mts');
    writeFileSync(script, WRITER);
    writeFileSync(join(workspace, 'f'), 'A'.repeat(300_000), { mode: 0o751 });
    linkSync(join(workspace, 'f'), join(workspace, 'other'));
    for (let kill = 0; kill < 6; kill += 1) {
      const child = spawn(process.execPath, [script, base], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await new Promise((resolve) => child.stdout.once('data', resolve));
      await new Promise((resolve) => setTimeout(resolve, 3 + kill * 7));
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await gone;
      const content = readFileSync(join(workspace, 'f'), 'latin1');
      expect(content.length).toBe(300_000);
      expect(/^(?:A+|B+)$/.test(content)).toBe(true);
      expect(statSync(join(workspace, 'f')).mode & 0o777).toBe(0o751);
    }
    cleanTempFiles(join(base, 'pending'));
    expect(readdirSync(workspace).sort()).toEqual(['f', 'other']);
    expect(readdirSync(join(base, 'pending'))).toEqual([]);
    expect(readFileSync(join(workspace, 'other'), 'latin1')).toBe('A'.repeat(300_000));
  }, 60_000);

  it('never takes the temporary file of a process that still runs', async () => {
    const pendingFolder = join(base, 'pending');
    const busy = createFileAccess({ roots: resolver.roots, limits: LIMITS, pendingFolder });
    const writing = busy.writeAtomic(resolver.resolve('big', 'write'), Buffer.alloc(40 << 20, 1), {
      grant,
    });
    expect(readdirSync(pendingFolder).length).toBe(1);
    expect(cleanTempFiles(pendingFolder)).toEqual([]);
    await writing;
    expect(statSync(join(workspace, 'big')).size).toBe(40 << 20);
    expect(readdirSync(pendingFolder)).toEqual([]);
    busy.close();
  });
});
