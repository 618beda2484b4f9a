import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { ToolFailure } from '../../errors.ts';
import type { ResolvedPath } from '../../workspace/types.ts';
import type { ToolContext, ToolOutput } from '../types.ts';
import { artifactLines, compareArtifacts, scanArtifacts } from './artifacts.ts';
import { collect } from './beside-shell.ts';
import { type CommandEnd, commandOutput, type Failure } from './command-result.ts';
import { findInterpreter } from './interpreter.ts';
import { distributionOf } from './module-map.ts';
import { OutputCapture } from './output-capture.ts';
import { checkProtectedPaths } from './protected-check.ts';
import { absoluteArguments } from './python-arguments.ts';
import { PYTHON_BOOTSTRAP, type PythonReport } from './python-bootstrap.ts';
import { restoreSessionLinks } from './session-links.ts';

const CODE_FOLDER = '.python_exec';
const REPORT_BYTES = 4096;

export interface PythonCall {
  readonly code: string | null;
  readonly scriptPath: string | null;
  readonly args: readonly string[];
  readonly input: string | null;
  readonly timeoutMs: number;
}

/** The program to run: its file, and the folder that becomes `sys.path[0]`. */
interface Program {
  readonly mode: 'code' | 'script';
  readonly file: string;
  readonly folder: string;
}

/** Runs one program in a cold interpreter and tells what it printed and which files it made. */
export async function runPython(call: PythonCall, ctx: ToolContext): Promise<ToolOutput> {
  const interpreter = await findInterpreter(ctx);
  const links = restoreSessionLinks(ctx.session.paths);
  const program = call.code === null ? await scriptOf(ctx) : await saveCode(call.code, ctx);
  const before = await scanArtifacts(ctx);
  const capture = new OutputCapture(() => ctx.spill());
  const { end, report } = await execute(call, program, interpreter.executable, ctx, capture);
  const after = await scanArtifacts(ctx);
  const artifacts = await compareArtifacts(before, after, ctx);
  const failed = end.endedBy === 'exit' && end.code !== 0;
  const reported = failed ? ((await missingFailure(report, ctx)) ?? policyFailure(report)) : null;
  const failure = (await checkProtectedPaths(ctx, 'python_exec')) ?? reported;
  const notes = artifactLines(artifacts, before.partial || after.partial);
  if (links.length > 0) notes.push(`no link in the scratchpad for: ${links.join(', ')} (taken)`);
  return commandOutput(
    {
      end,
      capture,
      notes,
      failure,
      metadata: {
        mode: program.mode,
        script_path: call.scriptPath,
        interpreter: interpreter.executable,
        python_version: interpreter.version,
        artifacts,
        missing_module: report.missing_module ?? null,
        suggested_package:
          report.missing_module === undefined ? null : distributionOf(report.missing_module).name,
      },
    },
    ctx,
  );
}

async function execute(
  call: PythonCall,
  program: Program,
  executable: string,
  ctx: ToolContext,
  capture: OutputCapture,
): Promise<{ readonly end: CommandEnd; readonly report: PythonReport }> {
  const flags = ['-I', '-B', '-u', '-X', 'utf8', '-c', PYTHON_BOOTSTRAP];
  const child = await ctx.spawn({
    argv: [
      executable,
      ...flags,
      ...[program.mode, program.file, program.folder],
      ...absoluteArguments(call.args, ctx),
    ],
    cwd: ctx.session.paths.scratchpad,
    env: pythonVariables(ctx),
    stdin: call.input === null ? 'closed' : { bytes: Buffer.from(call.input) },
    profile: 'python',
    limits: { timeoutMs: call.timeoutMs },
    extraPipes: 1,
  });
  const report = readReport(child.pipes[0]);
  const exit = await collect(child, ctx, capture);
  if (exit.leftovers > 0) await child.kill('cancel');
  const end = {
    code: exit.code,
    signal: exit.signal,
    endedBy: exit.ended_by,
    timeoutMs: call.timeoutMs,
  };
  return { end, report: report() };
}

/** Collects the report; what is no report counts as none. */
function readReport(pipe: Readable | undefined): () => PythonReport {
  let text = '';
  pipe?.on('data', (bytes: Buffer) => {
    text = (text + bytes.toString('utf8')).slice(0, REPORT_BYTES);
  });
  return () => {
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value !== 'object' || value === null) return {};
      const { missing_module, policy } = value as Record<string, unknown>;
      return {
        ...(typeof missing_module === 'string' ? { missing_module } : {}),
        ...(typeof policy === 'string' ? { policy } : {}),
      };
    } catch {
      return {};
    }
  };
}

function pythonVariables({ session, callId }: ToolContext): Record<string, string> {
  const { paths, workspace, environment, sessionId } = session;
  const scratchpad = environment.mapIn(paths.scratchpad);
  return {
    PYTHON_EXEC_SCRATCHPAD: scratchpad,
    SESSION_INPUT_DIR: environment.mapIn(paths.input),
    SESSION_OUTPUT_DIR: environment.mapIn(paths.output),
    WORKSPACE_DIR: environment.mapIn(workspace),
    TOOLWRIGHT_SESSION_ID: sessionId,
    TOOLWRIGHT_CALL_ID: callId,
    PYTHONUTF8: '1',
    PYTHONIOENCODING: 'utf-8',
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONNOUSERSITE: '1',
    MPLBACKEND: 'Agg',
    TMPDIR: join(scratchpad, 'tmp'),
  };
}

async function scriptOf(ctx: ToolContext): Promise<Program> {
  const path = ctx.paths.script_path;
  if (path === undefined) throw new ToolFailure('invalid_arguments', 'script_path is missing');
  const stat = await ctx.files.stat(path);
  if (stat.type !== 'file') throw new ToolFailure('wrong_type', `${path.logical} is no file`);
  const file = ctx.session.environment.mapIn(path.absolute);
  return { mode: 'script', file, folder: dirname(file) };
}

/** Keeps the code as a file, so that tracebacks have lines. */
async function saveCode(code: string, ctx: ToolContext): Promise<Program> {
  const { paths, environment } = ctx.session;
  const file = `${ctx.callId}.py`;
  await ctx.files.writeAtomic(inScratchpad([CODE_FOLDER, file], ctx), Buffer.from(code), {
    grant: ctx.grant,
    makeParents: true,
  });
  const folder = environment.mapIn(paths.scratchpad);
  return { mode: 'code', file: join(folder, CODE_FOLDER, file), folder };
}

function inScratchpad(segments: readonly string[], ctx: ToolContext): ResolvedPath {
  const root = ctx.resolver.roots.find(({ kind }) => kind === 'scratchpad');
  if (root === undefined) throw new ToolFailure('unavailable', 'this session has no scratchpad');
  return {
    root,
    segments,
    logical: [root.logicalPrefix, ...segments].join('/'),
    absolute: join(root.path, ...segments),
    intent: 'write',
  };
}

async function missingFailure(report: PythonReport, ctx: ToolContext): Promise<Failure | null> {
  const name = report.missing_module;
  if (name === undefined) return null;
  const local = `${name.split('.')[0]}.py`;
  if (await existsInWorkspace(local, ctx)) {
    const message = `the module ${name} is no installed package but ${local} in the workspace; run that file's folder with script_path`;
    return { kind: 'needs_package', message };
  }
  const { name: distribution, verified } = distributionOf(name);
  const from = verified ? distribution : `${distribution} (same name, unverified)`;
  return {
    kind: 'needs_package',
    message: `the module ${name} is not installed; it comes with the package ${from}`,
  };
}

async function existsInWorkspace(name: string, ctx: ToolContext): Promise<boolean> {
  try {
    await ctx.files.stat(ctx.resolve(`workspace:${name}`, 'read'));
    return true;
  } catch {
    return false;
  }
}

function policyFailure({ policy }: PythonReport): Failure | null {
  return policy === undefined ? null : { kind: 'policy_denied', message: policy };
}
