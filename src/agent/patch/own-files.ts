import { appendFileSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { targetOfTemporary } from '../../session/fs-atomic.ts';

/**
 * Files the session itself has written or is about to write (trajectories, recording, patches), kept in its state
 * folder, because a task that goes on in another process must leave out what the earlier one wrote.
 */
export class OwnFiles {
  readonly #list: string;
  #paths: Set<string> | null = null;

  constructor(stateDirectory: string) {
    this.#list = join(stateDirectory, 'own-files.jsonl');
  }

  /** Absolute paths. */
  get paths(): readonly string[] {
    return [...this.#known()];
  }

  add(path: string): void {
    const known = this.#known();
    if (known.has(path)) return;
    known.add(path);
    try {
      appendFileSync(this.#list, `${JSON.stringify(path)}\n`, { mode: 0o600 });
    } catch {
      // A disk that takes no more: this process still knows it.
    }
  }

  #known(): Set<string> {
    this.#paths ??= new Set(readList(this.#list));
    return this.#paths;
  }
}

function readList(file: string): string[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return [];
  }
  return text.split('\n').flatMap((line) => {
    try {
      const path: unknown = JSON.parse(line);
      return typeof path === 'string' ? [path] : [];
    } catch {
      return [];
    }
  });
}

/** Those of the files that lie below a folder, as paths from it, whatever links either was named by. */
export function pathsBelow(folder: string, files: readonly string[]): readonly string[] {
  const tops = [folder, realOrSame(folder)];
  const found = files.flatMap((file) => {
    const names = [file, join(realOrSame(dirname(file)), basename(file))];
    return names.flatMap((name) =>
      tops.filter((top) => name.startsWith(`${top}/`)).map((top) => name.slice(top.length + 1)),
    );
  });
  return [...new Set(found)];
}

/** Is this path one of our own, something below one, or the temporary file one is written through? */
export function isOwnPath(path: string, ownPaths: readonly string[]): boolean {
  const target = targetOfTemporary(path);
  return ownPaths.some((own) => path === own || path.startsWith(`${own}/`) || target === own);
}

function realOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
