/** Helpers of this room's tests: configuration in fresh folders. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { isToolwrightError } from '../errors.ts';
import { loadConfig } from './load.ts';
import { acceptTrust, folderTrust } from './trust.ts';
import type { LoadConfigOptions, LoadedConfig } from './types.ts';

export interface Place {
  readonly home: string;
  readonly cwd: string;
  readonly managed: string;
  write(
    where: 'user' | 'project' | 'managed' | (string & {}),
    content: string | object,
  ): Promise<string>;
  trust(): Promise<void>;
  load(options?: Partial<LoadConfigOptions>): Promise<LoadedConfig>;
  remove(): Promise<void>;
}

/** A home, a working directory and a managed file that nothing else uses. */
export async function makePlace(): Promise<Place> {
  const root = await mkdtemp(join(tmpdir(), 'config-test-'));
  const home = join(root, 'home');
  const cwd = join(root, 'project');
  const managed = join(root, 'policy.yaml');
  await mkdir(cwd, { recursive: true });
  const named = new Map([
    ['user', join(home, 'config.yaml')],
    ['project', join(cwd, 'toolwright.yaml')],
    ['managed', managed],
  ]);
  return {
    home,
    cwd,
    managed,
    async write(where, content) {
      const file = named.get(where) ?? join(cwd, where);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, typeof content === 'string' ? content : stringify(content));
      return file;
    },
    async trust() {
      await acceptTrust(home, cwd, (await folderTrust(home, cwd)).files);
    },
    load: (options = {}) =>
      loadConfig({
        cwd,
        managedFile: managed,
        interactive: false,
        ...options,
        env: { TOOLWRIGHT_HOME: home, ...options.env },
      }),
    remove: () => rm(root, { recursive: true, force: true }),
  };
}

/** The error a promise rejects with; fails when it resolves. */
export async function failure(
  promise: Promise<unknown>,
): Promise<{ kind: string; message: string; facts: Readonly<Record<string, unknown>> }> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (isToolwrightError(error)) return error;
  throw new Error(`expected a ConfigError, got ${String(error)}`);
}
