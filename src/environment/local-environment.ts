import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { ToolFailure } from '../errors.ts';
import type { FileAccess } from '../workspace/types.ts';
import { MarkIndex } from './call-marks.ts';
import { endProcesses } from './end-processes.ts';
import type { EnvironmentOptions } from './environment-options.ts';
import { isInside } from './inside.ts';
import { OwnedChild, type ProcessFinder } from './owned-child.ts';
import { type ProcessManager, processManager } from './process-manager.ts';
import { isRunning } from './process-table.ts';
import { ResourceWatcher } from './resource-watcher.ts';
import { isLiveGrant } from './system-grant.ts';
import type {
  Child,
  EnvironmentCapabilities,
  ExecutionEnvironment,
  SpawnLimits,
  SpawnRequest,
} from './types.ts';

/** What to start for one request. */
export interface LaunchPlan {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly privateArguments?: Uint8Array;
  /** The command counts as started when the wrapper inside the sandbox said so. */
  readonly awaitReady: boolean;
}

/** A request with what the environment decided for it. */
export interface LaunchRequest {
  readonly request: SpawnRequest;
  readonly mark: string;
  readonly limits: SpawnLimits;
  readonly network: boolean;
}

/** The part in which the host and a sandbox differ. */
export interface Launcher {
  readonly capabilities: EnvironmentCapabilities;
  readonly files: FileAccess;
  /** Everything that must stand before commands are planned; quick. */
  prepare(): Promise<void>;
  /** Resolves when slower preparations, begun in `prepare`, are done: before the first command runs. */
  settled(): Promise<void>;
  plan(launch: LaunchRequest): LaunchPlan;
  finder(pid: number, marked: () => readonly number[]): ProcessFinder;
  checkProtected(): Promise<readonly string[]>;
}

/** Processes on this machine: the environment over a launcher. */
export class LocalEnvironment implements ExecutionEnvironment {
  readonly capabilities: EnvironmentCapabilities;
  readonly files: FileAccess;
  readonly #options: EnvironmentOptions;
  readonly #launcher: Launcher;
  readonly #manager: ProcessManager;
  readonly #nonce = randomBytes(8).toString('hex');
  readonly #index = new MarkIndex();
  readonly #children = new Map<OwnedChild, string>();
  readonly #watcher: ResourceWatcher;
  #prepared: Promise<void> | null = null;

  constructor(options: EnvironmentOptions, launcher: Launcher) {
    this.#options = options;
    this.#launcher = launcher;
    this.capabilities = launcher.capabilities;
    this.files = launcher.files;
    this.#manager = processManager(options.home);
    this.#watcher = new ResourceWatcher(options.paths.workspace, options.limits.diskFloorMib);
  }

  start(): Promise<void> {
    this.#prepared ??= this.#launcher.prepare();
    return this.#prepared;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#children.keys()].map((child) => child.kill('cancel')));
    if (this.capabilities.sandboxed) return;
    await endProcesses({ find: () => this.#index.findPrefix(`${this.#nonce}.`) });
  }

  markOf(callId: string): string {
    return `${this.#nonce}.${callId}`;
  }

  async spawn(request: SpawnRequest): Promise<Child> {
    if (!isLiveGrant(request.grant)) {
      throw new ToolFailure('permission_denied', 'No process is started without a grant in force.');
    }
    await this.start();
    await this.#launcher.settled();
    this.#checkFolder(request);
    const launch: LaunchRequest = {
      request,
      mark: this.markOf(request.callId),
      limits: { ...this.#options.limits, ...request.limits },
      network: request.network ?? this.#options.network,
    };
    const plan = this.#launcher.plan(launch);
    const started = await this.#manager.start({
      ...plan,
      mark: launch.mark,
      kind: request.profile,
      session: this.#options.sessionId ?? null,
      call: request.callId,
      stdin: request.stdin === 'closed' ? 'closed' : 'pipe',
      extraPipes: request.extraPipes ?? 0,
    });
    const marked = () => this.#marked(new Set([launch.mark]));
    const child = new OwnedChild(started, request, this.#launcher.finder(started.pid, marked));
    if (!(await started.ready)) throw await this.#notConfined(child);
    this.#keep(child, request.callId, launch.limits);
    return child;
  }

  async killCall(callId: string): Promise<void> {
    const ends = [...this.#children].filter(([, call]) => call === callId);
    await Promise.all(ends.map(([child]) => child.kill('cancel')));
    await endProcesses({ find: () => this.#marked(new Set([this.markOf(callId)])) });
  }

  async processesOf(...callIds: readonly string[]): Promise<readonly number[]> {
    const marks = new Set(callIds.map((callId) => this.markOf(callId)));
    const found = new Set(this.#marked(marks));
    for (const [child, call] of this.#children) {
      if (callIds.includes(call)) for (const pid of child.descendants()) found.add(pid);
    }
    return [...found].filter(isRunning);
  }

  mapIn(hostPath: string): string {
    return hostPath;
  }

  mapOut(insidePath: string): string {
    return insidePath;
  }

  checkProtected(): Promise<readonly string[]> {
    return this.#launcher.checkProtected();
  }

  /** In a sandbox every process is below a child of ours; on the host one may have left its tree. */
  #marked(wanted: ReadonlySet<string>): readonly number[] {
    if (!this.capabilities.sandboxed) return this.#index.find(wanted);
    const inside = [...this.#children.keys()].flatMap((child) => child.processes());
    return this.#index.among(inside, wanted);
  }

  #keep(child: OwnedChild, callId: string, limits: SpawnLimits): void {
    this.#children.set(child, callId);
    this.#watcher.add(child, limits);
    void child.exited.then(() => {
      this.#children.delete(child);
      this.#watcher.remove(child);
    });
  }

  #checkFolder(request: SpawnRequest): void {
    const { paths, extraRoots = [], skills = [], sandboxRead = [] } = this.#options;
    const visible = [
      ...[paths.workspace, paths.scratchpad, paths.output, paths.input],
      ...extraRoots.map((root) => root.path),
      ...skills,
      ...sandboxRead,
    ];
    if (!visible.some((root) => isInside(root, request.cwd))) {
      throw new ToolFailure(
        'path_outside',
        `${request.cwd} is outside the folders of this session.`,
      );
    }
    if (statSync(request.cwd, { throwIfNoEntry: false })?.isDirectory() !== true) {
      throw new ToolFailure('not_found', `The working directory ${request.cwd} does not exist.`);
    }
  }

  async #notConfined(child: OwnedChild): Promise<ToolFailure> {
    let text = '';
    child.stderr.on('data', (bytes: Buffer) => {
      text = (text + bytes.toString('utf8')).slice(0, 1000);
    });
    child.stdout.resume();
    const exit = await child.exited;
    if (exit.ended_by === 'cancel') {
      return new ToolFailure('cancelled', 'The command was cancelled before it started.');
    }
    if (exit.ended_by === 'timeout') {
      return new ToolFailure('timeout', 'The time was over before the command started.');
    }
    const detail = text.trim() || `exit code ${exit.code ?? exit.signal}`;
    return new ToolFailure(
      'unavailable',
      `The command was not run, because the sandbox could not be set up: ${detail}`,
    );
  }
}
