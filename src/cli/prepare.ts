/** What every command that uses the configuration does first. */
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { loadConfig } from '../config/load.ts';
import type { ConfigOverrides, LoadedConfig } from '../config/types.ts';
import { checkRules } from './check-rules.ts';
import { hasPerson, type Io } from './io.ts';
import { usageError } from './usage-error.ts';

export interface ConfigRequest {
  readonly workingDir: string | undefined;
  readonly overrides: ConfigOverrides;
  /** May the trust question be asked; else an untrusted file is refused. */
  readonly interactive: boolean;
  /** For commands that only look. */
  readonly untrusted?: 'ignore';
}

export interface Prepared {
  readonly workspace: string;
  readonly config: LoadedConfig;
}

/** Loads the configuration of a workspace and prints its notices. Creates nothing. */
export async function prepareConfig(io: Io, request: ConfigRequest): Promise<Prepared> {
  const workspace = resolve(io.cwd, request.workingDir ?? '.');
  const found = await stat(workspace).catch(() => null);
  if (found !== null && !found.isDirectory())
    throw usageError(`--working-dir ${workspace} is not a folder: give a folder.`);
  const interactive = request.interactive && hasPerson(io);
  const config = await loadConfig({
    cwd: workspace,
    shellDirectory: io.cwd,
    env: io.env,
    overrides: request.overrides,
    interactive,
    ...(interactive ? { askTrust: askTrustOf(io, workspace) } : {}),
    ...(request.untrusted === undefined ? {} : { untrusted: request.untrusted }),
  });
  await checkRules(config);
  for (const notice of config.notices) io.stderr.write(`toolwright: ${notice}\n`);
  return { workspace, config };
}

function askTrustOf(io: Io, workspace: string) {
  return async (_file: string, ignored: readonly string[]): Promise<boolean> => {
    const { askTrust } = await import('./ask-trust.ts');
    return askTrust(io, workspace, ignored);
  };
}
