/**
 * Installs the dependencies when they are missing or older than the lock file. Plain JavaScript without imports from
 * packages, because on a fresh machine it runs on the system's Node before anything is installed.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stamp = join(root, 'node_modules', '.toolwright-setup');
const wanted = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex');
const found = existsSync(stamp) ? readFileSync(stamp, 'utf8') : '';

if (found !== wanted) {
  console.error('Installing dependencies (once) ...');
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status, error } = spawnSync('npm', args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) {
    console.error(`npm ci failed${error ? `: ${error.message}` : ''}; run it by hand to see why.`);
    process.exit(1);
  }
  writeFileSync(stamp, wanted);
}
