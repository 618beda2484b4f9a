import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readEnvironmentFiles } from './environment-files.ts';

it('reads .env files, no template, no folder, and follows no link', async () => {
  const root = mkdtempSync(join(tmpdir(), 'tw-envfile-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const name of ['.env', '.env.local', '.env.example', '.environment', 'outside'])
    writeFileSync(join(root, name), name);
  symlinkSync('outside', join(root, '.env.link'));
  mkdirSync(join(root, '.env.d'));
  const texts = await readEnvironmentFiles(root);
  expect(texts.filter((text) => text !== '').sort()).toEqual(['.env', '.env.local']);
  expect(await readEnvironmentFiles(join(root, 'missing'))).toEqual([]);
});
