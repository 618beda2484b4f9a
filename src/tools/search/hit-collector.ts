import { compareNames } from '../../workspace/list-directory.ts';
import { isSecretName } from '../../workspace/protected-names.ts';
import { segmentOfBytes } from '../../workspace/segments.ts';
import type { PathResolver, ResolvedPath } from '../../workspace/types.ts';
import { aroundMatch, type FileHits, type GrepRequest, type GrepRow } from './grep-types.ts';

/** Rows beyond this are a flood: the search is run again in order, for the first ones only. */
const FLOOD_ROWS = 20_000;
const CHECK_BYTES = 2048;

interface OpenFile {
  readonly path: ResolvedPath;
  readonly rows: GrepRow[];
  count: number;
}

/** A line as the search program reports it. */
export interface FoundLine {
  readonly line: number;
  readonly text: Buffer;
  readonly offset: number;
  /** Byte position of the first match in the line; null for a line of context. */
  readonly matchAt: number | null;
}

/** Gathers what a search program reports, file by file. Secret-named files never get in. */
export class HitCollector {
  rows = 0;
  /** A file had more matches than were asked for. */
  capped = false;
  readonly #request: GrepRequest;
  readonly #resolver: PathResolver;
  readonly #hits: FileHits[] = [];
  #file: OpenFile | null = null;

  constructor(request: GrepRequest, resolver: PathResolver) {
    this.#request = request;
    this.#resolver = resolver;
  }

  get flooded(): boolean {
    return this.rows > FLOOD_ROWS;
  }

  /** Sorted by path. */
  hits(): readonly FileHits[] {
    return this.#hits.sort((a, b) => compareNames(a.path.logical, b.path.logical));
  }

  openFile(name: Buffer): void {
    const path = this.#pathOf(name);
    this.#file = path === null ? null : { path, rows: [], count: 0 };
  }

  addLine(found: FoundLine): void {
    const file = this.#file;
    if (file === null) return;
    const isMatch = found.matchAt !== null;
    if (isMatch) {
      file.count += 1;
      this.rows += 1;
      if (file.count > this.#request.max) this.capped = true;
    }
    const from = found.text.toString('utf8', 0, found.matchAt ?? 0).length;
    file.rows.push({
      line: found.line,
      text: aroundMatch(found.text.toString('utf8'), from),
      isMatch,
      check: { offset: found.offset, bytes: Buffer.from(found.text.subarray(0, CHECK_BYTES)) },
    });
  }

  /** A binary file is no hit, though a line before its first NUL matched. */
  closeFile(binary: boolean): void {
    const file = this.#file;
    if (file !== null && !binary && file.count > 0) this.#hits.push(file);
    this.#file = null;
  }

  addFile(name: Buffer, count: number): void {
    const path = this.#pathOf(name);
    if (path !== null) this.#hits.push({ path, rows: [], count });
  }

  /** The file below the place the search began, under the name it was asked for. */
  #pathOf(name: Buffer): ResolvedPath | null {
    const { start, place, isFile } = this.#request;
    if (isFile) return start;
    const segments = splitName(name);
    const below = segments.slice(place.segments.length);
    if (isSecretName(segments)) return null;
    return below.reduce((at, segment) => this.#resolver.child(at, segment), start);
  }
}

function splitName(name: Buffer): readonly string[] {
  const segments: string[] = [];
  let from = 0;
  for (let at = 0; at <= name.length; at += 1) {
    if (at < name.length && name[at] !== 0x2f) continue;
    const part = segmentOfBytes(name.subarray(from, at));
    if (part !== '' && part !== '.') segments.push(part);
    from = at + 1;
  }
  return segments;
}
