import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CALL_VARIABLE, OWNER_VARIABLE } from './call-marks.ts';
import { childEnvironment } from './child-env.ts';
import type { EnvironmentOptions } from './environment-options.ts';
import type { Repository } from './git-directory.ts';
import { isInside } from './inside.ts';
import type { LaunchRequest } from './local-environment.ts';
import { ownerKey } from './owner.ts';
import { protectedArguments, protectedPaths } from './protected-mounts.ts';
import { resolverArguments } from './system-view.ts';
import type { VisibleToolchains } from './toolchains.ts';

/** HOME inside the sandbox; bound to `scratchpad/.home`. */
export const INNER_HOME = '/home/agent';
const TMP_BYTES = String(1024 * 1024 * 1024);

const NAMESPACES = [
  '--unshare-user',
  '--unshare-ipc',
  '--unshare-pid',
  '--unshare-uts',
  '--unshare-cgroup',
  '--disable-userns',
  '--cap-drop',
  'ALL',
  '--new-session',
  '--die-with-parent',
  '--hostname',
  'sandbox',
];

/** What stays the same for every command of a session. */
export interface SandboxView {
  readonly options: EnvironmentOptions;
  /** From `systemArguments`. */
  readonly system: readonly string[];
  readonly toolchains: VisibleToolchains;
  readonly repository: Repository | null;
}

/** The part that confines: namespaces, capabilities, environment. */
export function confinementArguments(view: SandboxView, launch: LaunchRequest): string[] {
  const network = networkOf(launch);
  return [
    ...NAMESPACES,
    ...(network ? [] : ['--unshare-net']),
    '--clearenv',
    ...Object.entries(variablesInside(view, launch, network)).flatMap(([name, value]) => [
      '--setenv',
      name,
      value,
    ]),
  ];
}

/** Devices and processes of the sandbox itself. */
export const OWN_DEVICES = ['--dev', '/dev', '--proc', '/proc'];

/** The part that decides what is seen: the system, then empty folders, then what the session may use. */
export function viewArguments(view: SandboxView, launch: LaunchRequest): string[] {
  return [...baseArguments(view, launch), ...sessionView(view, launch)];
}

/**
 * The same for a view that root makes for another user: the devices and processes are still those of the machine,
 * and folders on the way to what is shown can be passed by everybody.
 */
export function viewForOther(view: SandboxView, launch: LaunchRequest): string[] {
  const shown = sessionView(view, launch);
  const outer = ['--dev-bind', '/dev', '/dev', '--bind', '/proc', '/proc'];
  return [...outer, ...baseArguments(view, launch), ...passableParents(shown), ...shown];
}

function baseArguments(view: SandboxView, launch: LaunchRequest): string[] {
  return [
    ...view.system,
    ...['--perms', '1777', '--size', TMP_BYTES, '--tmpfs', '/tmp'],
    ...['--perms', '1777', '--tmpfs', '/var/tmp'],
    ...['/run', '/home'].flatMap((folder) => ['--tmpfs', folder]),
    ...(networkOf(launch) ? resolverArguments() : []),
  ];
}

function sessionView(view: SandboxView, launch: LaunchRequest): string[] {
  return [...readableArguments(view), ...writableArguments(view, launch)];
}

/** Folders above each bound path, made beforehand, since bubblewrap would make them for root alone. */
function passableParents(bound: readonly string[]): string[] {
  const parents = new Set<string>();
  for (const [at, word] of bound.entries()) {
    const target = word === '--bind' || word === '--ro-bind' ? bound[at + 2] : undefined;
    if (target === undefined) continue;
    const names = target.split('/').slice(1, -1);
    for (let end = 1; end <= names.length; end++) parents.add(`/${names.slice(0, end).join('/')}`);
  }
  return [...parents].flatMap((folder) => ['--perms', '0755', '--dir', folder]);
}

/** Profile `package` installs from the network; every other command has what the session has. */
function networkOf(launch: LaunchRequest): boolean {
  return launch.request.profile === 'package' || launch.network;
}

function variablesInside(
  view: SandboxView,
  launch: LaunchRequest,
  network: boolean,
): Record<string, string> {
  const { options, toolchains } = view;
  const base = childEnvironment({
    parent: options.parentEnv ?? process.env,
    allowed: options.envNames ?? [],
    network,
  });
  return {
    ...base,
    ...toolchains.variables,
    PATH: toolchains.path,
    HOME: INNER_HOME,
    TMPDIR: '/tmp',
    ...launch.request.env,
    [CALL_VARIABLE]: launch.mark,
    [OWNER_VARIABLE]: ownerKey,
  };
}

function bind(kind: '--bind' | '--ro-bind', path: string, target = path): string[] {
  return [kind, path, target];
}

function readableArguments({ options, toolchains, repository }: SandboxView): string[] {
  const { paths, skills = [], sandboxRead = [], extraRoots = [] } = options;
  const readOnlyRoots = extraRoots.filter((root) => !root.write).map((root) => root.path);
  const top = repository === null || repository.top === paths.workspace ? [] : [repository.top];
  return [...toolchains.folders, ...skills, ...sandboxRead, ...readOnlyRoots, ...top]
    .filter((path) => existsSync(path))
    .flatMap((path) => bind('--ro-bind', path));
}

function writableArguments(view: SandboxView, launch: LaunchRequest): string[] {
  const { options, repository } = view;
  const { paths } = options;
  const { profile, readOnly = false } = launch.request;
  const looksOnly = readOnly || profile === 'git' || profile === 'package' || profile === 'lsp';
  const open = looksOnly ? '--ro-bind' : '--bind';
  const gitDirectory = repository?.gitDirectory ?? null;
  const gitOutside = gitDirectory !== null && !isInside(paths.workspace, gitDirectory);
  return [
    ...bind(open, paths.workspace),
    ...(gitOutside ? bind(open, gitDirectory) : []),
    ...(options.extraRoots ?? [])
      .filter((root) => root.write && existsSync(root.path))
      .flatMap((root) => bind(open, root.path)),
    ...(looksOnly
      ? []
      : protectedArguments(
          paths.workspace,
          gitDirectory,
          protectedPaths(paths.workspace, gitDirectory),
        )),
    ...sessionArguments(options, open, profile),
    ...(launch.request.readBinds ?? []).flatMap((path) => bind('--ro-bind', path)),
    ...(launch.request.channelDirs ?? []).flatMap((folder) => bind('--bind', folder)),
  ];
}

/** The folders of the session, after a cover over the rest of TOOLWRIGHT_HOME when a visible folder holds it. */
function sessionArguments(
  options: EnvironmentOptions,
  open: '--bind' | '--ro-bind',
  profile: string,
): string[] {
  const { paths, home } = options;
  const shown = [paths.workspace, ...(options.sandboxRead ?? [])];
  const cover = shown.some((folder) => isInside(folder, home)) ? ['--tmpfs', home] : [];
  const venv = existsSync(paths.venv)
    ? bind(profile === 'package' ? '--bind' : '--ro-bind', paths.venv)
    : [];
  const scratchpad = profile === 'package' || profile === 'git' ? '--ro-bind' : '--bind';
  return [
    ...cover,
    ...bind('--ro-bind', paths.input),
    ...bind(open, paths.output),
    ...bind(scratchpad, paths.scratchpad),
    ...venv,
    ...bind(scratchpad, join(paths.scratchpad, '.home'), INNER_HOME),
  ];
}
