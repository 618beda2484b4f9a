import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Program } from './measure.ts';

export const root = new URL('..', import.meta.url).pathname;
export const launcher = join(root, 'bin/toolwright.js');
export const base = mkdtempSync(join(tmpdir(), 'tw-bench-'));
export const home = join(base, 'home');
export const workspace = join(base, 'workspace');
/** Read step N reads `FILE.N`. */
export const file = join(workspace, 'file.txt');
export const env = { HOME: base, TOOLWRIGHT_HOME: home, OPENAI_COMPATIBLE_API_KEY: 'bench-key' };
export const UNCONFINED = ['--sandbox', 'none', '--permission-mode', 'bypass'];

mkdirSync(workspace);
for (let step = 0; step < 60; step += 1) {
  writeFileSync(`${file}.${step}`, 'one line of text\n'.repeat(40));
}

/** Our program; `command` is what follows its name, by default a run of a fixed task. */
export function ours(
  flags: readonly string[],
  options: { command?: readonly string[]; home?: string } = {},
): Program {
  const command = options.command ?? ['run', 'Do the steps.'];
  return {
    cwd: workspace,
    env: { ...env, TOOLWRIGHT_HOME: options.home ?? home },
    argv: (url) => [
      ...[process.execPath, launcher, ...command],
      ...['--provider', 'openai_compatible', '--model', 'bench', '--model-base-url', `${url}/v1`],
      ...['--max-steps', '5000', '--output-format', 'json'],
      ...['--trajectory-file', join(base, 'trajectory.json')],
      ...flags,
    ],
  };
}

export function floor(mode: 'spawn' | 'shell'): Program {
  return {
    cwd: workspace,
    env,
    argv: (url) => [process.execPath, join(root, 'bench/floor.mjs'), url, mode],
  };
}
