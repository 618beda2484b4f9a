import type { ResolvedPath } from '../../workspace/types.ts';

export type GrepMode = 'content' | 'files' | 'count';

export interface GrepRequest {
  /** As written; results are named below it. */
  readonly start: ResolvedPath;
  /** The same place with links followed. */
  readonly place: ResolvedPath;
  readonly isFile: boolean;
  readonly pattern: string;
  readonly literal: boolean;
  readonly ignoreCase: boolean;
  /** Hidden entries are searched too. */
  readonly includeHidden: boolean;
  /** Ignore files do not count. */
  readonly includeIgnored: boolean;
  readonly glob: string | null;
  readonly mode: GrepMode;
  readonly context: number;
  readonly max: number;
}

export interface GrepRow {
  readonly line: number;
  /** The line, or 500 characters around the first match. */
  readonly text: string;
  readonly isMatch: boolean;
  /** Where the line begins in the file, and its first bytes; only from ripgrep. */
  readonly check: { readonly offset: number; readonly bytes: Buffer } | null;
}

export interface FileHits {
  readonly path: ResolvedPath;
  readonly rows: readonly GrepRow[];
  /** Matching lines; at most one more than was asked for, in mode content. */
  readonly count: number;
}

export interface GrepResult {
  readonly hits: readonly FileHits[];
  readonly partial: readonly string[];
  /** There are more matches than were counted. */
  readonly atLeast: boolean;
}

export const MAX_FILE_BYTES = 50 * 1024 * 1024;
const AROUND_CHARS = 500;

/** A line without its break, cut to the characters around a match that begins at `from` (in UTF-16 units). */
export function aroundMatch(line: string, from: number): string {
  const bare = line.replace(/\r?\n$|\r$/, '');
  if (bare.length <= AROUND_CHARS) return bare;
  const start = Math.max(0, Math.min(from - AROUND_CHARS / 2, bare.length - AROUND_CHARS));
  const end = Math.min(bare.length, start + AROUND_CHARS);
  const text = bare.slice(start, end).toWellFormed();
  return `${start > 0 ? '...' : ''}${text}${end < bare.length ? '...' : ''}`;
}
