/** Environments of each kind over a fresh home and workspace, for tests. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPathResolver } from '../../workspace/path-resolver.ts';
import { createFileAccess } from '../../workspace/workspace-fs.ts';
import { createBwrapEnvironment } from '../bwrap.ts';
import type { EnvironmentOptions } from '../environment-options.ts';
import { createHostEnvironment } from '../host.ts';
import { probeSandbox } from '../probe.ts';
import { systemGrant } from '../system-grant.ts';
import type { Exit, SpawnRequest } from '../types.ts';

export type Kind = 'none' | 'bwrap';

const probeHome = mkdtempSync(join(tmpdir(), 'tw-probe-'));
process.once('exit', () => rmSync(probeHome, { recursive: true, force: true }));

/** Why bwrap tests are skipped here, or null. */
export const bwrapProblem: string | null = (await probeSandbox('bwrap', probeHome)).reason;
if (bwrapProblem !== null) console.warn(`bwrap tests are skipped: ${bwrapProblem}`);

export const KINDS: readonly { readonly kind: Kind; readonly skipped: boolean }[] = [
  { kind: 'none', skipped: false },
  { kind: 'bwrap', skipped: bwrapProblem !== null },
];

const FILE_LIMITS = {
  readBytes: 1 << 25,
  writeBytes: 1 << 26,
  listEntries: 100_000,
  depth: 256,
  searchEntries: 1_000_000,
  searchSeconds: 30,
};

export function makeFolders() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'tw-env-')));
  const home = join(root, 'home');
  const session = join(home, 'users', 'local', 'sessions', 's1');
  const paths = {
    workspace: join(root, 'workspace'),
    scratchpad: join(session, 'scratchpad'),
    output: join(session, 'output'),
    input: join(session, 'input'),
    stateDir: join(session, '.session'),
    venv: join(home, 'users', 'local', 'venv'),
  };
  for (const name of ['workspace', 'scratchpad', 'output', 'input', 'stateDir'] as const) {
    mkdirSync(paths[name], { recursive: true });
  }
  return { root, home, session, paths };
}

/** `prepare` fills the workspace before the environment looks at it. */
export function makeEnvironment(
  kind: Kind,
  more: Partial<EnvironmentOptions> = {},
  prepare: (workspace: string) => void = () => {},
) {
  const folders = makeFolders();
  const { paths, home, root } = folders;
  prepare(paths.workspace);
  const resolver = createPathResolver({
    workspace: paths.workspace,
    session: { ...paths, toolOutput: join(paths.stateDir, 'tool-output') },
    prefixes: 'on',
    extraRoots: [],
  });
  const files = createFileAccess({ roots: resolver.roots, limits: FILE_LIMITS, home });
  const options: EnvironmentOptions = {
    home,
    paths,
    files,
    limits: { cpuSeconds: 600, fileSizeMib: 512, openFiles: 1024 },
    network: false,
    ...more,
  };
  const environment =
    kind === 'bwrap' ? createBwrapEnvironment(options) : createHostEnvironment(options);
  const grant = systemGrant('test');
  let calls = 0;
  const spawn = (argv: readonly string[], request: Partial<SpawnRequest> = {}) =>
    environment.spawn({
      callId: `call_${++calls}`,
      grant,
      argv,
      cwd: paths.workspace,
      stdin: 'closed',
      profile: 'command',
      ...request,
    });
  const run = async (argv: readonly string[], request: Partial<SpawnRequest> = {}) => {
    const child = await spawn(argv, request);
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (bytes: Buffer) => out.push(bytes));
    child.stderr.on('data', (bytes: Buffer) => err.push(bytes));
    const exit: Exit = await child.exited;
    return { exit, stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString() };
  };
  const dispose = async () => {
    await environment.stop();
    files.close();
    rmSync(root, { recursive: true, force: true });
  };
  return { ...folders, options, environment, resolver, files, grant, spawn, run, dispose };
}
