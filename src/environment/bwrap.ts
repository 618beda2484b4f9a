import { chownSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ToolFailure } from '../errors.ts';
import {
  confinementArguments,
  OWN_DEVICES,
  type SandboxView,
  viewArguments,
  viewForOther,
} from './bwrap-arguments.ts';
import type { EnvironmentOptions } from './environment-options.ts';
import { findProgram } from './find-program.ts';
import { findRepository } from './git-directory.ts';
import { withLimits } from './limit-wrapper.ts';
import {
  type Launcher,
  type LaunchPlan,
  type LaunchRequest,
  LocalEnvironment,
} from './local-environment.ts';
import { ARGUMENTS_DESCRIPTOR, processManager } from './process-manager.ts';
import { childrenOf, processTree } from './process-table.ts';
import { ProtectedWatch } from './protected-watch.ts';
import { systemArguments } from './system-view.ts';
import { visibleToolchains } from './toolchains.ts';
import type { ExecutionEnvironment } from './types.ts';
import { watchedFileAccess } from './watched-file-access.ts';

export interface BwrapOptions extends EnvironmentOptions {
  /** The program; default: the first `bwrap` on PATH. */
  readonly bwrapPath?: string;
}

const SETPRIV = '/usr/bin/setpriv';

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** Commands run in namespaces of bubblewrap, with an allow-list of what they see. */
export function createBwrapEnvironment(options: BwrapOptions): ExecutionEnvironment {
  return new LocalEnvironment(options, new BwrapLauncher(options));
}

class BwrapLauncher implements Launcher {
  readonly capabilities: Launcher['capabilities'];
  readonly files: Launcher['files'];
  readonly #options: BwrapOptions;
  readonly #watch: ProtectedWatch;
  /** Whom commands run as when we are root and the workspace is not root's. */
  readonly #owner: Owner | null;
  #view: SandboxView | null = null;
  #program = '';

  constructor(options: BwrapOptions) {
    this.#options = options;
    const { workspace, stateDir } = options.paths;
    this.#watch = new ProtectedWatch({
      workspace,
      quarantine: join(stateDir, 'quarantine'),
      repository: findRepository(workspace),
    });
    this.files = watchedFileAccess(options.files, (paths) => this.#watch.approve(paths));
    this.#owner = ownerToBecome(workspace);
    this.capabilities = {
      kind: 'bwrap',
      sandboxed: true,
      network: options.network,
      memory: 'watcher',
      uid: this.#owner?.uid ?? process.getuid?.() ?? -1,
    };
  }

  async prepare(): Promise<void> {
    const options = this.#options;
    const program = options.bwrapPath ?? findProgram('bwrap', process.env.PATH);
    if (program === null) throw new ToolFailure('unavailable', 'bwrap is not installed.');
    this.#program = program;
    this.#makeSessionFolders();
    const folder = processManager(options.home).registry.folder();
    const emptyFile = join(folder, 'empty');
    if (!existsSync(emptyFile)) writeFileSync(emptyFile, '', { mode: 0o444 });
    const shown = [options.paths.workspace, options.paths.venv, ...(options.sandboxRead ?? [])];
    this.#view = {
      options,
      system: systemArguments(emptyFile),
      toolchains: visibleToolchains(options.parentEnv ?? process.env, shown),
      repository: findRepository(options.paths.workspace),
    };
    this.#watch.start();
  }

  plan(launch: LaunchRequest): LaunchPlan {
    const view = this.#view;
    if (view === null) throw new ToolFailure('unavailable', 'The sandbox is not prepared.');
    const { request } = launch;
    for (const channel of request.channelDirs ?? []) this.#giveAway(channel);
    const command = withLimits(request.argv, launch.limits, true);
    const confine = [...confinementArguments(view, launch), '--chdir', request.cwd];
    const start =
      this.#owner === null
        ? direct([...confine, ...OWN_DEVICES, ...viewArguments(view, launch)], command)
        : this.#asOwner(this.#owner, viewForOther(view, launch), confine, command);
    return { ...start, file: this.#program, cwd: '/', env: {}, awaitReady: true };
  }

  /** bwrap, its init and what runs below them. The setpriv form has one process more above the init. */
  finder(pid: number): ReturnType<Launcher['finder']> {
    const levels = this.#owner === null ? 2 : 3;
    const holders = () => {
      const result = [pid];
      for (let at = pid, level = 1; level < levels; level++) {
        const child = childrenOf(at)[0];
        if (child === undefined) break;
        result.push(child);
        at = child;
      }
      return result;
    };
    const inside = () => {
      const above = new Set(holders());
      return processTree(pid).filter((each) => !above.has(each));
    };
    return { inside, tree: inside, holders };
  }

  settled(): Promise<void> {
    return this.#watch.settled();
  }

  checkProtected(): Promise<readonly string[]> {
    return this.#watch.check();
  }

  #makeSessionFolders(): void {
    const { scratchpad, output, input } = this.#options.paths;
    const inner = ['.home', 'tmp'].map((name) => join(scratchpad, name));
    for (const folder of [input, output, scratchpad, ...inner]) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    }
    for (const folder of [output, scratchpad, ...inner]) this.#giveAway(folder);
  }

  #giveAway(folder: string): void {
    if (this.#owner !== null) chownSync(folder, this.#owner.uid, this.#owner.gid);
  }

  /**
   * As root: one bwrap makes the view with root's rights, since the other user may not reach all of it by name;
   * inside it setpriv becomes that user, and a second bwrap without any right of root confines.
   */
  #asOwner(
    owner: Owner,
    see: readonly string[],
    confine: readonly string[],
    command: readonly string[],
  ): Pick<LaunchPlan, 'args' | 'privateArguments'> {
    const become = ['--reuid', String(owner.uid), '--regid', String(owner.gid), '--clear-groups'];
    const inner = ['--bind', '/', '/', ...OWN_DEVICES, ...confine];
    const program = [this.#program, ...inner, '--', ...command];
    return direct(['--die-with-parent', ...see], [SETPRIV, ...become, ...program]);
  }
}

/** bubblewrap with its arguments out of sight of process lists. */
function direct(
  see: readonly string[],
  command: readonly string[],
): Pick<LaunchPlan, 'args' | 'privateArguments'> {
  return {
    args: ['--args', String(ARGUMENTS_DESCRIPTOR), '--', ...command],
    privateArguments: packed(see),
  };
}

function packed(values: readonly string[]): Uint8Array {
  return Buffer.from(values.map((value) => `${value}\0`).join(''));
}

function ownerToBecome(workspace: string): Owner | null {
  if (process.getuid?.() !== 0) return null;
  const { uid, gid } = statSync(workspace);
  return uid === 0 ? null : { uid, gid };
}
