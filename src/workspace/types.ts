/**
 * The seam of file access: logical paths, grants, and the operations every environment offers on files.
 */

/** What a tool does, for the permission decision. */
export const PERMISSION_CLASSES = [
  'read',
  'write',
  'python',
  'shell',
  'package',
  'network',
  'state',
  'user',
  'agent',
  'mcp',
  'config',
  'review',
] as const;
export type PermissionClass = (typeof PERMISSION_CLASSES)[number];

/**
 * Proof that the gate allowed one call. Made only by `issueGrant` (grant.ts), which only the permission room
 * and the runtime's own starts may import. Writing file methods and `spawn` refuse to work without a live one.
 */
export interface Grant {
  readonly callId: string;
  readonly tool: string;
  readonly class: PermissionClass;
  /** `system` for our own starts (patch, probe); else the gate's. */
  readonly origin: 'gate' | 'system';
  /** SHA-256 over tool, arguments, cwd, resolved paths, before-hashes, sandbox state. */
  readonly digest: string;
  /** Paths whose protected names the person or the mode approved for writing, as resolved absolute paths. */
  readonly protectedPaths: readonly string[];
}

export type PathIntent = 'read' | 'write' | 'list' | 'exec';

/** A directory tree tools may see. */
export type RootKind =
  | 'workspace'
  | 'input'
  | 'output'
  | 'scratchpad'
  | 'tool-output'
  | 'skill'
  | 'extra';
export interface Root {
  readonly kind: RootKind;
  /** Absolute, on the host. */
  readonly path: string;
  readonly write: boolean;
  /** Prefix of logical names: '' for the workspace, 'output', 'skills/x', the absolute path for extra roots. */
  readonly logicalPrefix: string;
}

export interface ResolvedPath {
  readonly root: Root;
  /** Components below the root, no `.` or `..`; empty for the root itself. Names are exact, never normalised. */
  readonly segments: readonly string[];
  /** What people and models see: `output/x`, `src/a.ts`, an absolute path for extra roots. */
  readonly logical: string;
  /** Root path joined with segments, links not resolved. Never open it directly; hand the ResolvedPath to FileAccess. */
  readonly absolute: string;
  readonly intent: PathIntent;
}

export type FileType = 'file' | 'dir' | 'link' | 'fifo' | 'socket' | 'char' | 'block' | 'unknown';

export interface FileStat {
  readonly type: FileType;
  readonly size: number;
  readonly mtimeNs: bigint;
  readonly mode: number;
  readonly dev: bigint;
  readonly ino: bigint;
  readonly nlink: number;
}

export interface DirEntry {
  /** Exact name; bytes that are not UTF-8 come as `nameBytes` and with U+FFFD here. */
  readonly name: string;
  readonly nameBytes?: Uint8Array;
  /** The exact name as a path component, for `PathResolver.child` (segments.ts). */
  readonly segment: string;
  readonly type: FileType;
  readonly size: number;
  readonly mtimeNs: bigint;
}

export interface WriteOptions {
  readonly grant: Grant;
  /** Compared again just before the rename; a difference is `stale_file`. Null: the file must not exist. */
  readonly expectedSha256?: string | null;
  readonly createOnly?: boolean;
  readonly makeParents?: boolean;
  readonly signal?: AbortSignal;
}
export interface WriteOutcome {
  readonly created: boolean;
  readonly beforeSha256: string | null;
  readonly afterSha256: string;
  /** The name was replaced, the shared inode kept for its other names. */
  readonly hardLinkSplit: boolean;
  /** The file now belongs to another user than before, because it could not be kept. */
  readonly ownerChanged?: boolean;
  readonly bytes: number;
}

export interface WalkEntry {
  readonly path: ResolvedPath;
  readonly type: FileType;
  readonly size: number;
  readonly mtimeNs: bigint;
}
export interface WalkOptions {
  readonly signal?: AbortSignal;
  readonly maxEntries?: number;
  readonly maxDepth?: number;
  readonly maxSeconds?: number;
  /** Return false to leave out a directory and all below it. */
  readonly enter?: (path: ResolvedPath) => boolean;
  readonly onPartial?: (reason: string) => void;
  /** Called with all names of a folder before any of its entries comes. */
  readonly onFolder?: (folder: ResolvedPath, names: readonly string[]) => void;
  /** False: sizes and times are not looked up and come as 0, which is several times faster. */
  readonly stat?: boolean;
}

/**
 * Every operation on user files, same results and error kinds in every environment. Fails with ToolFailure only:
 * `path_outside`, `path_denied`, `not_found`, `wrong_type` (within 50 ms for FIFO, socket, device), `too_large`,
 * `already_exists`, `stale_file`, `invalid_arguments`, `tool_execution_error`.
 * No link, race or odd name leads outside the roots. Reads never trust the reported size.
 */
export interface FileAccess {
  /** Follows links inside the roots unless `noFollow`. */
  stat(path: ResolvedPath, options?: { readonly noFollow?: boolean }): Promise<FileStat>;
  /** Whole file, at most `maxBytes` (default limits.files.read_mib) counted by bytes read, else `too_large`. */
  read(
    path: ResolvedPath,
    options?: { readonly maxBytes?: number; readonly signal?: AbortSignal },
  ): Promise<Buffer>;
  /** Bytes from `offset`, at most `length`; shorter at the end of file. */
  readRange(
    path: ResolvedPath,
    offset: number,
    length: number,
    signal?: AbortSignal,
  ): Promise<Buffer>;
  list(
    path: ResolvedPath,
    options?: {
      readonly maxEntries?: number;
      readonly signal?: AbortSignal;
      /** Called when the folder has more entries than the cap; the first of them are returned. */
      readonly onPartial?: (reason: string) => void;
    },
  ): Promise<DirEntry[]>;
  walk(path: ResolvedPath, options?: WalkOptions): AsyncIterable<WalkEntry>;
  /** Temporary name in the same folder, fdatasync, rename, folder sync; mode kept; old or new content, never mixed. */
  writeAtomic(
    path: ResolvedPath,
    content: Uint8Array,
    options: WriteOptions,
  ): Promise<WriteOutcome>;
  append(path: ResolvedPath, content: Uint8Array, options: WriteOptions): Promise<WriteOutcome>;
  mkdir(path: ResolvedPath, grant: Grant): Promise<void>;
  remove(
    path: ResolvedPath,
    grant: Grant,
    options?: { readonly recursive?: boolean },
  ): Promise<void>;
  rename(from: ResolvedPath, to: ResolvedPath, grant: Grant): Promise<void>;
  /** The real absolute path behind links, for lock keys and rules; still inside a root. */
  realPath(path: ResolvedPath): Promise<string>;
}

/**
 * Logical routing (spec tools.md section 3). One instance per session; roots are fixed when it is made.
 * Fails with ToolFailure: `invalid_arguments`, `path_outside`, `path_denied`.
 */
export interface PathResolver {
  readonly roots: readonly Root[];
  /** Session prefixes (`output/`, `scratchpad/`, `input/`) in force, as decided at session start. */
  readonly sessionPrefixes: readonly string[];
  resolve(text: string, intent: PathIntent): ResolvedPath;
  /** The logical name of an absolute host path, or null when it is under no root. */
  logicalOf(absolute: string): string | null;
  /** A child of an already resolved path; the name is exact. */
  child(parent: ResolvedPath, name: string): ResolvedPath;
}

export interface FileLimits {
  readonly readBytes: number;
  readonly writeBytes: number;
  readonly listEntries: number;
  readonly depth: number;
  readonly searchEntries: number;
  readonly searchSeconds: number;
}
