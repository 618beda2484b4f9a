import { isToolFailure } from '../../errors.ts';
import type { FileAccess, ResolvedPath, Root } from '../../workspace/types.ts';
import { createFileAccess, type WorkspaceFiles } from '../../workspace/workspace-fs.ts';

/** What became of one file: its text, nothing there, or a reason why it is not read. */
export type TextFile =
  | { readonly kind: 'text'; readonly text: string; readonly bytes: Buffer }
  | { readonly kind: 'absent' }
  | { readonly kind: 'skipped'; readonly reason: string };

const MOST_BYTES = 1024 * 1024;

/** Reads text files below one folder for the runtime itself, with the same care as tools: no link leads outside. */
export class TextReader {
  readonly folder: string;
  private readonly root: Root;
  private readonly files: WorkspaceFiles;

  constructor(folder: string) {
    this.folder = folder;
    this.root = { kind: 'extra', path: folder, write: false, logicalPrefix: folder };
    this.files = createFileAccess({ roots: [this.root], limits: LIMITS });
  }

  /** `path` is relative to the folder, without `..`. */
  async read(path: string): Promise<TextFile> {
    try {
      const bytes = await this.access.read(this.at(path), { maxBytes: MOST_BYTES });
      return { kind: 'text', text: decode(bytes), bytes };
    } catch (error) {
      if (isToolFailure(error))
        return error.kind === 'not_found'
          ? { kind: 'absent' }
          : { kind: 'skipped', reason: error.message };
      if (error instanceof TypeError) return { kind: 'skipped', reason: 'it is not UTF-8 text' };
      throw error;
    }
  }

  close(): void {
    this.files.close();
  }

  private get access(): FileAccess {
    return this.files;
  }

  private at(path: string): ResolvedPath {
    const segments = path.split('/').filter((part) => part !== '' && part !== '.');
    const absolute = [this.folder, ...segments].join('/');
    return { root: this.root, segments, logical: absolute, absolute, intent: 'read' };
  }
}

function decode(bytes: Buffer): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

const LIMITS = {
  readBytes: MOST_BYTES,
  writeBytes: 0,
  listEntries: 1000,
  depth: 64,
  searchEntries: 1000,
  searchSeconds: 5,
};
