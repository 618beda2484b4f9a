/** A tool session over a real environment, with calls as the dispatcher would make them, for tests. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemGrant } from '../../../environment/system-grant.ts';
import { type Kind, makeEnvironment } from '../../../environment/testing/environments.ts';
import { isToolFailure, type ToolFailure } from '../../../errors.ts';
import { createSpill } from '../../dispatch/spill.ts';
import { fakeSession } from '../../testing/fake-session.ts';
import type { Tool, ToolContext, ToolOutput, ToolSession } from '../../types.ts';

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly allowedBy?: string;
  /** Milliseconds the call may take. */
  readonly timeMs?: number;
}

export function makeExecSession(kind: Kind, fields: Partial<ToolSession> = {}) {
  const made = makeEnvironment(kind);
  const { paths, home, session: root } = made;
  const toolOutput = join(paths.stateDir, 'tool-output');
  mkdirSync(toolOutput, { recursive: true });
  const closers: (() => Promise<void>)[] = [];
  const session: ToolSession = {
    ...fakeSession().session,
    paths: {
      home,
      user: 'local',
      root,
      input: paths.input,
      output: paths.output,
      scratchpad: paths.scratchpad,
      state: paths.stateDir,
      events: join(paths.stateDir, 'events.jsonl'),
      audit: join(paths.stateDir, 'audit.jsonl'),
      blobs: join(paths.stateDir, 'blobs'),
      toolOutput,
      venv: paths.venv,
    },
    workspace: paths.workspace,
    resolver: made.resolver,
    files: made.files,
    environment: made.environment,
    sandbox: kind,
    onClose: (close) => {
      closers.push(close);
    },
    ...fields,
  };
  const live: string[] = [];
  let calls = 0;
  const call = async (
    tool: Tool,
    args: Record<string, unknown>,
    options: CallOptions = {},
  ): Promise<ToolOutput> => {
    const callId = `call_${++calls}`;
    const grant = systemGrant(callId);
    const signal = options.signal ?? new AbortController().signal;
    const scriptPath = typeof args.script_path === 'string' ? args.script_path : null;
    const ctx: ToolContext = {
      session,
      runId: 'run_1',
      step: 1,
      callId,
      grant,
      allowedBy: options.allowedBy ?? 'mode:bypass',
      files: session.files,
      resolver: session.resolver,
      paths:
        scriptPath === null ? {} : { script_path: session.resolver.resolve(scriptPath, 'exec') },
      resolve: (text, intent) => session.resolver.resolve(text, intent),
      signal,
      deadline: session.clock.now() + (options.timeMs ?? 60_000),
      emit: (_stream, bytes) => {
        if (live.length < 1000) live.push(Buffer.from(bytes).toString());
      },
      spawn: (request) =>
        session.environment.spawn({ ...request, callId, grant, network: false, signal }),
      spill: () => createSpill(session, callId),
      log: () => {},
    };
    tool.check?.(args);
    try {
      return await tool.run(args, ctx);
    } catch (error) {
      if (!isToolFailure(error)) throw error;
      const { kind: failed, message, content } = error as ToolFailure;
      return { content: content ?? '', failure: { kind: failed, message } };
    }
  };
  const dispose = async () => {
    for (const close of closers.reverse()) await close();
    await made.dispose();
  };
  return { ...made, session, call, live, dispose };
}
