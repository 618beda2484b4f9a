import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { git, makePlace } from './support/place.ts';
import { runProgram } from './support/program.ts';

const bundled = join(import.meta.dirname, '../examples/demo-coding/project');

async function demo(env: Readonly<Record<string, string>> = {}) {
  const place = makePlace();
  const folder = join(place.root, 'demo');
  const outcome = await runProgram(place, ['demo', 'coding', '--dir', folder], { env });
  return { place, folder, outcome };
}

function expectPatchApplies(folder: string, copy: string): void {
  cpSync(bundled, copy, { recursive: true });
  git(copy, 'init', '-q');
  git(copy, 'apply', '--check', join(folder, 'patch.diff'));
  git(copy, 'apply', join(folder, 'patch.diff'));
  execFileSync('/usr/bin/python3', ['-m', 'unittest'], { cwd: copy, stdio: 'ignore' });
}

it('demo coding: failing tests, a real run, passing tests, patch and trajectory', async () => {
  const { place, folder, outcome } = await demo();
  expect(outcome.code, outcome.stderr).toBe(0);
  const shown = outcome.stdout + outcome.stderr;
  expect(shown).toContain('scripted model');
  expect(shown).toMatch(/before.*FAILED/i);
  expect(shown).toMatch(/after.*OK/i);
  expect(shown).not.toContain('warning');
  expectPatchApplies(folder, join(place.root, 'copy'));
  const trajectory = JSON.parse(readFileSync(join(folder, 'trajectory.json'), 'utf8'));
  expect(trajectory.success).toBe(true);
});

it('demo coding without bubblewrap says that the sandbox is off and why', async () => {
  const bare = execFileSync(
    '/bin/sh',
    [
      '-c',
      'd=$(mktemp -d); for p in bash sh git cat env ls rm mkdir sleep setsid rg grep mktemp; do f=$(command -v $p) && ln -s "$f" "$d/$p"; done; ln -s /usr/bin/python3 "$d/python3"; echo "$d"',
    ],
    { encoding: 'utf8' },
  ).trim();
  const { place, folder, outcome } = await demo({ PATH: bare });
  expect(outcome.code, outcome.stderr).toBe(0);
  expect(outcome.stdout + outcome.stderr).toMatch(/sandbox is off.*bubblewrap/is);
  expect(existsSync(join(folder, 'patch.diff'))).toBe(true);
  expectPatchApplies(folder, join(place.root, 'copy'));
});
