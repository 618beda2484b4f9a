/** A workspace on disk and the context of a call in it, for tests of tools that work on files. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Child } from '../../environment/types.ts';
import { createPathResolver } from '../../workspace/path-resolver.ts';
import type { Grant, PathIntent, ResolvedPath } from '../../workspace/types.ts';
import { createFileAccess } from '../../workspace/workspace-fs.ts';
import { sha256Of } from '../../workspace/write-file.ts';
import { createFileKnowledge } from '../file/knowledge.ts';
import { classOfCall } from '../permission-class.ts';
import type { SpawnArgs, Tool, ToolContext, ToolOutput } from '../types.ts';
import { createValidator } from '../validate.ts';

export interface FileContextOptions {
  readonly grant: Grant;
  readonly spawn?: (args: SpawnArgs) => Promise<Child>;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly prefixes?: 'on' | 'auto' | 'off';
}

export function fileContext(options: FileContextOptions) {
  const base = mkdtempSync(join(tmpdir(), 'tw-tools-'));
  const workspace = join(base, 'ws');
  const session = {
    input: join(base, 's/input'),
    output: join(base, 's/output'),
    scratchpad: join(base, 's/scratchpad'),
    toolOutput: join(base, 's/.session/tool-output'),
  };
  for (const folder of [workspace, ...Object.values(session)])
    mkdirSync(folder, { recursive: true });
  const prefixes = options.prefixes ?? 'on';
  const resolver = createPathResolver({ workspace, session, prefixes, extraRoots: [] });
  const files = createFileAccess({
    roots: resolver.roots,
    limits: {
      readBytes: 32 << 20,
      writeBytes: 64 << 20,
      listEntries: 100_000,
      depth: 256,
      searchEntries: 1_000_000,
      searchSeconds: 30,
    },
  });
  const blobs = new Map<string, Buffer>();
  const knowledge = createFileKnowledge();
  const toolSession = {
    resolver,
    files,
    knowledge,
    sandbox: 'none',
    settings: options.settings ?? {},
    limits: { writeFileBytes: 16_384, toolOutputChars: 16_000 },
    storeBlob: (content: Uint8Array) => {
      const hash = sha256Of(content);
      blobs.set(hash, Buffer.from(content));
      return Promise.resolve(hash);
    },
  };
  const validator = createValidator();

  /** Runs a tool as the dispatcher does: arguments validated, paths resolved. */
  async function call(tool: Tool, args: Readonly<Record<string, unknown>>): Promise<ToolOutput> {
    const checked = await validator.validate(tool, args);
    if (!checked.ok) throw new Error(checked.message);
    tool.check?.(checked.args);
    const paths: Record<string, ResolvedPath> = {};
    const properties = tool.parameters.properties as Record<string, Record<string, unknown>>;
    for (const [name, value] of Object.entries(checked.args)) {
      const intent = properties[name]?.['x-path'];
      if (typeof value !== 'string' || typeof intent !== 'string') continue;
      const lowered =
        intent === 'write' && classOfCall(tool, checked.args) === 'read' ? 'read' : intent;
      paths[name] = resolver.resolve(value, lowered as PathIntent);
    }
    const context = {
      session: toolSession,
      callId: 'c1',
      grant: options.grant,
      files,
      resolver,
      paths,
      resolve: (text: string, intent: PathIntent) => resolver.resolve(text, intent),
      signal: new AbortController().signal,
      spawn: options.spawn,
    } as unknown as ToolContext;
    return tool.run(checked.args, context);
  }

  return {
    base,
    workspace,
    session,
    resolver,
    files,
    blobs,
    knowledge,
    call,
    close: () => {
      files.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
}
