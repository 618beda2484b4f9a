/** A workspace with session folders and canaries outside, for tests of this room. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isToolFailure } from '../errors.ts';
import { issueGrant } from './grant.ts';
import { createPathResolver } from './path-resolver.ts';
import type { Grant, PathIntent, PathResolver, ResolvedPath } from './types.ts';
import { createFileAccess, type WorkspaceFiles } from './workspace-fs.ts';

export const LIMITS = {
  readBytes: 32 << 20,
  writeBytes: 64 << 20,
  listEntries: 100_000,
  depth: 256,
  searchEntries: 1_000_000,
  searchSeconds: 30,
};

export function grantFor(protectedPaths: readonly string[] = []): Grant {
  return issueGrant({
    callId: 'c',
    tool: 'write_file',
    class: 'write',
    origin: 'gate',
    digest: '',
    protectedPaths,
  });
}

export interface TestPlace {
  readonly base: string;
  readonly workspace: string;
  readonly resolver: PathResolver;
  readonly files: WorkspaceFiles;
  at(text: string, intent?: PathIntent): ResolvedPath;
  put(name: string, content?: string | Buffer): void;
  close(): void;
}

export function makePlace(): TestPlace {
  const base = mkdtempSync(join(tmpdir(), 'tw-fs-'));
  const workspace = join(base, 'ws');
  const session = {
    input: join(base, 's/input'),
    output: join(base, 's/output'),
    scratchpad: join(base, 's/scratchpad'),
    toolOutput: join(base, 's/.session/tool-output'),
  };
  for (const folder of [workspace, ...Object.values(session)]) {
    mkdirSync(folder, { recursive: true });
  }
  mkdirSync(join(base, 'ws-sibling'));
  writeFileSync(join(base, 'canary'), 'CANARY');
  writeFileSync(join(base, 'ws-sibling/canary'), 'CANARY');
  const resolver = createPathResolver({ workspace, session, prefixes: 'on', extraRoots: [] });
  const files = createFileAccess({ roots: resolver.roots, limits: LIMITS });
  return {
    base,
    workspace,
    resolver,
    files,
    at: (text, intent = 'read') => resolver.resolve(text, intent),
    put: (name, content = 'x') => writeFileSync(join(workspace, name), content),
    close: () => {
      files.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
}

/** The kind of the ToolFailure an operation ends in, or `ok`. */
export async function kindOf(run: () => Promise<unknown>): Promise<string> {
  try {
    await run();
  } catch (error) {
    if (isToolFailure(error)) return error.kind;
    throw error;
  }
  return 'ok';
}
