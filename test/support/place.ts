import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A fresh home and workspace, removed when the test is over. */
export interface Place {
  readonly root: string;
  readonly home: string;
  readonly workspace: string;
  write(path: string, content: string | Uint8Array): string;
}

export interface PlaceOptions {
  readonly git?: boolean;
  readonly files?: Readonly<Record<string, string>>;
}

export function git(cwd: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.invalid'];
  return execFileSync('git', [...identity, ...args], { cwd, encoding: 'utf8' });
}

export function makePlace(options: PlaceOptions = {}): Place {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'tw-test-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }));
  const workspace = join(root, 'workspace');
  mkdirSync(workspace);
  const place: Place = {
    root,
    home: join(root, 'home'),
    workspace,
    write: (path, content) => {
      const file = join(workspace, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      return file;
    },
  };
  for (const [path, content] of Object.entries(options.files ?? {})) place.write(path, content);
  if (options.git) {
    git(workspace, 'init', '-q', '-b', 'main');
    git(workspace, 'add', '-A');
    git(workspace, 'commit', '-q', '--allow-empty', '-m', 'start');
  }
  return place;
}
