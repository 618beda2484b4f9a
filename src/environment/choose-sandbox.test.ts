import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createBwrapEnvironment } from './bwrap.ts';
import { chooseSandbox } from './choose-sandbox.ts';
import { probeSandbox } from './probe.ts';
import { bwrapProblem, makeEnvironment } from './testing/environments.ts';

let home: string;
const path = process.env.PATH;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'tw-choose-'));
});
afterEach(() => {
  process.env.PATH = path;
  rmSync(home, { recursive: true, force: true });
});

function withFakeBwrap(text: string): void {
  const file = join(home, 'bwrap');
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
  process.env.PATH = `${home}:${path}`;
}

describe('chooseSandbox', () => {
  it('takes none without a probe and refuses docker', async () => {
    expect(await chooseSandbox({ requested: 'none', home })).toEqual({
      kind: 'none',
      reason: null,
    });
    await expect(chooseSandbox({ requested: 'docker', home })).rejects.toMatchObject({
      kind: 'config',
    });
  });

  it('ends in none with a reason when bwrap is not installed; by name it is an error', async () => {
    process.env.PATH = home;
    const chosen = await chooseSandbox({ requested: 'auto', home });
    expect(chosen).toMatchObject({ kind: 'none', reason: expect.stringContaining('install') });
    await expect(chooseSandbox({ requested: 'bwrap', home })).rejects.toMatchObject({
      kind: 'config',
      message: expect.stringContaining('install bubblewrap'),
    });
  });

  it('does not take a bwrap that confines nothing', async () => {
    withFakeBwrap('while [ "$1" != -- ]; do shift; done; [ $# -gt 1 ] || exit 0; shift; exec "$@"');
    const chosen = await chooseSandbox({ requested: 'auto', home });
    expect(chosen.kind).toBe('none');
  });

  it('names the remedy when namespaces are forbidden', async () => {
    withFakeBwrap('echo "bwrap: setting up uid map: Permission denied" >&2; exit 1');
    const fresh = join(home, 'fresh');
    const probe = await probeSandbox('bwrap', fresh);
    expect(probe.works).toBe(false);
    expect(existsSync(fresh)).toBe(false);
    expect(probe.reason).toContain('apparmor_restrict_unprivileged_userns');
  });

  it.skipIf(bwrapProblem !== null)('takes bwrap where it works', async () => {
    expect(await chooseSandbox({ requested: 'auto', home })).toEqual({
      kind: 'bwrap',
      reason: null,
    });
  });

  it.skipIf(bwrapProblem !== null)('starts twice in one process', async () => {
    const first = makeEnvironment('bwrap');
    const again = createBwrapEnvironment(first.options);
    await first.environment.start();
    const folder = join(first.home, 'run');
    const masks = () =>
      readdirSync(folder).map((name) => statSync(join(folder, name, 'empty')).mtimeMs);
    const before = masks();
    await new Promise((resolve) => setTimeout(resolve, 20));
    await again.start();
    expect(masks()).toEqual(before);
    await again.stop();
    await first.dispose();
  });

  it.skipIf(bwrapProblem !== null)('runs nothing when a working bwrap stops working', async () => {
    const made = makeEnvironment('bwrap', { bwrapPath: join(home, 'bwrap') } as never);
    withFakeBwrap('exit 1');
    await expect(made.spawn(['true'])).rejects.toMatchObject({ kind: 'unavailable' });
    await made.dispose();
  });
});
