/** `toolwright sessions`: what is stored, as text for people and as files for programs. */
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { homeDirectory } from '../../config/files.ts';
import { sessionPaths } from '../../session/paths.ts';
import { sanitise } from '../../session/sanitise.ts';
import type { RunState, SessionState } from '../../session/session-state.ts';
import type { SessionSummary } from '../../session/session-summary.ts';
import {
  deleteSession as deleteStored,
  type ExportFormat,
  exportSession as exportStored,
  listSessions as listStored,
  showSession as showStored,
} from '../../session/store.ts';
import { verifySession as verifyStored } from '../../session/verify.ts';
import { confirm } from '../confirm.ts';
import { EXIT } from '../exit-codes.ts';
import { type FormatFlags, wantsJson } from '../format-flag.ts';
import { hasPerson, type Io } from '../io.ts';
import { jsonText } from '../json-text.ts';
import { resumeCommand } from '../run-summary.ts';
import { usageError } from '../usage-error.ts';

function pathsOf(io: Io, id: string) {
  return sessionPaths(homeDirectory(io.env), id);
}

function shown(text: string, longest: number): string {
  const line = sanitise(text, { names: true }).replace(/\s+/g, ' ').trim();
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}

export async function listSessions(io: Io, flags: FormatFlags): Promise<number> {
  const sessions = await listStored(homeDirectory(io.env));
  if (wantsJson(flags)) {
    io.stdout.write(`${jsonText(sessions, 2)}\n`);
    return EXIT.completed;
  }
  if (sessions.length === 0) io.stderr.write('There is no session yet.\n');
  for (const session of sessions) io.stdout.write(`${summaryLine(session)}\n`);
  return EXIT.completed;
}

function summaryLine(session: SessionSummary): string {
  const state = session.stop_reason ?? (session.task === null ? 'empty' : 'not finished');
  const when = session.last_at?.replace(/\.\d+Z$/, 'Z') ?? '-';
  return [session.session_id, when, state.padEnd(14), shown(session.task ?? '', 80)].join('  ');
}

export async function showSession(io: Io, id: string, flags: FormatFlags): Promise<number> {
  const shownSession = await showStored(pathsOf(io, id));
  if (wantsJson(flags)) {
    io.stdout.write(`${jsonText(shownSession, 2)}\n`);
    return EXIT.completed;
  }
  const { state, damage, holder } = shownSession;
  const lines = [
    `session ${id}`,
    `workspace ${shown(state.started?.workspace ?? '-', 400)}`,
    `agent ${state.started?.agent_type ?? '-'}, model ${shown(`${state.provider ?? '-'} / ${state.model ?? '-'}`, 200)}`,
    ...(holder === null ? [] : [`in use by process ${holder.pid} on ${shown(holder.host, 100)}`]),
    ...damage.map(({ line, reason }) => `damaged: line ${line}, ${reason}`),
    ...state.runs
      .filter((run) => run.parent_run_id === null)
      .flatMap((run) => runLines(state, run)),
  ];
  const last = state.runs.findLast((run) => run.parent_run_id === null);
  if (last !== undefined && !last.success) lines.push(`resume with: ${resumeCommand(id)}`);
  io.stdout.write(`${lines.join('\n')}\n`);
  return EXIT.completed;
}

function runLines(state: SessionState, run: RunState): string[] {
  const steps = state.steps.filter((step) => step.run_id === run.run_id);
  const cost = run.cost_usd === null ? '?' : `$${run.cost_usd.toFixed(4)}`;
  return [
    '',
    `run ${run.run_id}  ${run.stop_reason ?? run.state}  ${steps.length} steps  cost ${cost}`,
    `  task: ${shown(run.started.task, 300)}`,
    ...steps.map((step) => {
      const calls = step.results.map(
        ({ name, success }) => `${shown(name, 64)}${success ? '' : ' (failed)'}`,
      );
      return `  ${String(step.step_number).padStart(3)} ${step.state}: ${calls.join(', ') || 'text'}`;
    }),
    ...(run.error === null ? [] : [`  error: ${run.error.kind}: ${shown(run.error.message, 400)}`]),
    ...(run.finished?.final_result == null
      ? []
      : [`  result: ${shown(run.finished.final_result, 400)}`]),
  ];
}

const FORMATS: readonly string[] = ['md', 'json', 'trajectory'];

function isFormat(text: string): text is ExportFormat {
  return FORMATS.includes(text);
}

export interface ExportFlags {
  readonly format: string;
  readonly run?: string;
  readonly output?: string;
}

export async function exportSession(io: Io, id: string, flags: ExportFlags): Promise<number> {
  const { format } = flags;
  if (!isFormat(format))
    throw usageError(`Unknown format "${format}": give md, json or trajectory.`);
  const text = await exportStored(pathsOf(io, id), format, flags.run);
  if (flags.output === undefined) io.stdout.write(text);
  else await writeNew(resolve(io.cwd, flags.output), text);
  return EXIT.completed;
}

async function writeNew(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'EEXIST' ? 'exists and is not overwritten' : error.message;
    throw usageError(`--output ${file}: ${reason}.`);
  });
  try {
    await handle.writeFile(text);
  } finally {
    await handle.close();
  }
}

/** Exit 1 when the chain, the log or a blob is not what was written. */
export async function verifySession(io: Io, id: string, flags: FormatFlags): Promise<number> {
  const paths = pathsOf(io, id);
  await showStored(paths);
  const found = await verifyStored(paths);
  const good = found.status !== 'edited' && found.status !== 'truncated';
  const code = good && found.events.ok && found.blobs.ok ? EXIT.completed : EXIT.failed;
  if (wantsJson(flags)) {
    io.stdout.write(`${JSON.stringify({ session_id: id, ...found }, null, 2)}\n`);
    return code;
  }
  const bad = found.firstBadSeq === undefined ? '' : `, first bad line ${found.firstBadSeq}`;
  const lines = [
    `audit ${found.status}: ${found.seq} lines${bad}`,
    `events ${found.events.ok ? 'ok' : 'damaged'}: ${found.events.count}`,
    ...found.events.damage.map(({ line, reason }) => `  line ${line}: ${reason}`),
    `blobs ${found.blobs.ok ? 'ok' : 'damaged'}: ${found.blobs.count}`,
    ...found.blobs.damaged.map((name) => `  ${name}`),
    `final hash ${found.hash}`,
  ];
  io.stdout.write(`${lines.join('\n')}\n`);
  return code;
}

export async function deleteSession(
  io: Io,
  id: string,
  flags: { readonly yes?: boolean },
): Promise<number> {
  const paths = pathsOf(io, id);
  await showStored(paths);
  const ask = flags.yes !== true && hasPerson(io);
  if (ask && !(await confirm(io, `Delete session ${id} with all its files?`))) return EXIT.blocked;
  await deleteStored(paths);
  io.stderr.write(`Session ${id} is deleted.\n`);
  return EXIT.completed;
}
