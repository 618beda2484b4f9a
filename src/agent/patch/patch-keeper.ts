import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { ExecutionEnvironment } from '../../environment/types.ts';
import { ToolwrightError } from '../../errors.ts';
import type { DurablePayloads, EventScope, PatchInfo } from '../../session/events.ts';
import { writeFileAtomic } from '../../session/fs-atomic.ts';
import type { EventLog } from '../../session/types.ts';
import type { PatchWatch } from '../run-state.ts';
import { type ChangedFile, changedFiles, patchBytes, type TreeRange } from './diff.ts';
import { type GitPlace, resolveCommit } from './git-runner.ts';
import { locateRepository } from './locate-repository.ts';
import { pathsBelow } from './own-files.ts';
import { isTestPath } from './patch-rules.ts';
import { type Omitted, type Snapshot, takeSnapshot } from './snapshot.ts';

export type TaskBase = DurablePayloads['base_taken'];

export interface PatchOptions {
  readonly environment: ExecutionEnvironment;
  readonly workspace: string;
  /** `.session/` of this session. */
  readonly stateDirectory: string;
  readonly log: EventLog;
  readonly scope: EventScope;
  readonly exclude: readonly string[];
  readonly testPaths: readonly string[];
  /** Absolute paths of our own files as far as they are known now; they are never part of a patch. */
  readonly ownFiles: () => readonly string[];
  readonly sizeOf: (absolute: Buffer) => Promise<number | null>;
  /** A commit to compare with instead of the start snapshot. */
  readonly baseCommit: string | null;
  /** What an earlier run of the same task began with. */
  readonly base: TaskBase | null;
}

const TIMEOUT_MS = 60_000;
const EMPTY_SHA256 = createHash('sha256').digest('hex');

/** Start snapshot, end snapshot and the patch between them, for one task. */
export class PatchKeeper implements PatchWatch {
  private readonly options: PatchOptions;
  private base: TaskBase | null;
  private taking: Promise<void> | null = null;
  private place: Promise<GitPlace | null> | null = null;
  private current: Promise<{
    readonly snapshot: Snapshot;
    readonly files: readonly ChangedFile[];
  }> | null = null;

  constructor(options: PatchOptions) {
    this.options = options;
    this.base = options.base;
  }

  beforeActing(): Promise<void> {
    if (this.base !== null) return Promise.resolve();
    this.taking ??= this.takeBase().catch((error: unknown) => {
      this.warn('patch_unavailable', `No patch can be made here: ${textOf(error)}`);
    });
    return this.taking;
  }

  stepFinished(): void {
    this.current = null;
  }

  /** Non-test paths that differ from the start. Empty while nothing acted. */
  async changedNonTestPaths(): Promise<readonly string[]> {
    const state = await this.state();
    return (state?.files ?? []).map(({ path }) => path).filter((path) => this.counts(path));
  }

  /** The patch of the task, kept as `.session/patch.diff` and copied to `patchPath`. Throws when writing fails. */
  async finish(patchPath: string | null): Promise<PatchInfo | null> {
    this.current = null;
    const state = await this.state();
    const place = state === null ? null : await this.located();
    const bytes =
      state === null || place === null || this.base === null
        ? Buffer.alloc(0)
        : await patchBytes(place, this.range(place, this.base, state.snapshot), TIMEOUT_MS);
    await this.keep(bytes, patchPath);
    const omitted = state?.snapshot.omitted ?? [];
    this.tellOmitted(omitted);
    const files = state?.files ?? [];
    return {
      base: this.base?.commit ?? this.base?.tree ?? '',
      path: patchPath,
      bytes: bytes.length,
      sha256: bytes.length === 0 ? EMPTY_SHA256 : createHash('sha256').update(bytes).digest('hex'),
      files: files.length,
      insertions: sum(files.map((file) => file.insertions)),
      deletions: sum(files.map((file) => file.deletions)),
      non_test_files: files.filter((file) => this.counts(file.path)).length,
      omitted,
    };
  }

  private async keep(bytes: Buffer, patchPath: string | null): Promise<void> {
    await writeFileAtomic(join(this.options.stateDirectory, 'patch.diff'), bytes);
    if (patchPath === null) return;
    try {
      await writeFileAtomic(patchPath, bytes);
    } catch (error) {
      throw new ToolwrightError(
        'patch_write_failed',
        `The patch could not be written to ${patchPath} (${textOf(error)}); it is kept in ${join(this.options.stateDirectory, 'patch.diff')}.`,
      );
    }
  }

  private counts(path: string): boolean {
    return !isTestPath(path, this.options.testPaths);
  }

  /** What differs now; null when nothing acted yet, or no patch can be made. */
  private state() {
    if (this.base === null) return Promise.resolve(null);
    this.current ??= this.compare(this.base);
    return this.current;
  }

  private async compare(base: TaskBase) {
    const place = await this.located();
    if (place === null) throw new ToolwrightError('patch_failed', 'git does not work here');
    const snapshot = await this.snapshot(place);
    const range = this.range(place, base, snapshot);
    return { snapshot, files: await changedFiles(place, range, TIMEOUT_MS) };
  }

  /** Also what the agent committed of our own files is left out. */
  private range(place: GitPlace, base: TaskBase, { tree }: Snapshot): TreeRange {
    return { from: base.tree, to: tree, ownPaths: pathsBelow(place.top, this.options.ownFiles()) };
  }

  private located(): Promise<GitPlace | null> {
    const { environment, workspace, stateDirectory } = this.options;
    const kind = this.base?.kind === 'private' ? 'private' : 'any';
    this.place ??= locateRepository(environment, workspace, join(stateDirectory, 'patch'), kind);
    return this.place;
  }

  private async takeBase(): Promise<void> {
    const place = await this.located();
    if (place === null) throw new ToolwrightError('patch_failed', 'git is not installed');
    this.base = await this.chooseBase(place);
    this.options.log.append(this.options.scope, 'base_taken', this.base);
  }

  private async chooseBase(place: GitPlace): Promise<TaskBase> {
    const { baseCommit } = this.options;
    if (baseCommit !== null) return this.commitBase(place, baseCommit);
    try {
      const { tree } = await this.snapshot(place);
      return { tree, commit: null, kind: place.objects === null ? 'private' : 'git' };
    } catch (error) {
      if (place.objects === null) throw error;
      this.warn('base_is_head', `No start snapshot (${textOf(error)}); the patch is against HEAD.`);
      return this.commitBase(place, 'HEAD');
    }
  }

  private async commitBase(place: GitPlace, name: string): Promise<TaskBase> {
    const commit = await resolveCommit(place, name);
    if (commit === null) throw new ToolwrightError('patch_failed', `there is no commit ${name}`);
    return { tree: commit, commit, kind: 'head' };
  }

  private snapshot(place: GitPlace): Promise<Snapshot> {
    const { exclude, ownFiles, sizeOf, environment } = this.options;
    const prefix = `${place.top}/`;
    return takeSnapshot(place, {
      exclude,
      ownPaths: () => pathsBelow(place.top, ownFiles()),
      sizeOf: (path) => sizeOf(Buffer.concat([Buffer.from(prefix), path])),
      filtersAllowed: environment.capabilities.sandboxed,
      timeoutMs: TIMEOUT_MS,
    });
  }

  private tellOmitted(omitted: readonly Omitted[]): void {
    if (omitted.length === 0) return;
    const names = omitted.slice(0, 5).map(({ path, reason }) => `${path} (${reason})`);
    const more = omitted.length > names.length ? ` and ${omitted.length - names.length} more` : '';
    this.warn('patch_omitted', `Not in the patch: ${names.join(', ')}${more}.`);
  }

  private warn(code: string, message: string): void {
    this.options.log.append(this.options.scope, 'warning', { code, message });
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, value) => total + value, 0);
}
