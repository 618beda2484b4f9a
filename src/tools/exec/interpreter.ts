import { join } from 'node:path';
import { findProgram } from '../../environment/find-program.ts';
import { isToolFailure, ToolFailure } from '../../errors.ts';
import type { ToolContext, ToolSession } from '../types.ts';
import { cachedInterpreter, type Interpreter, rememberInterpreter } from './interpreter-cache.ts';

export type { Interpreter };

const OLDEST_MINOR = 10;
const NEWEST_MINOR = 14;
const ASK_MS = 2000;
const ANSWER_BYTES = 4096;
const QUESTION =
  'import sys,json;print(json.dumps([sys.executable,".".join(map(str,sys.version_info[:3])),sys.base_prefix]))';
const SLOT = 'python_exec.interpreter';

/** Programs to try, in order: the user's environment, the setting, then what PATH has. */
function candidates(session: ToolSession): string[] {
  const { paths, settings, workspace } = session;
  const names = ['python3'];
  for (let minor = OLDEST_MINOR; minor <= NEWEST_MINOR; minor++) names.unshift(`python3.${minor}`);
  const found = names.map((name) => findProgram(name, process.env.PATH));
  const project = settings['python.project_venv'] === true ? join(workspace, '.venv', 'bin') : null;
  const configured = settings['python.interpreter'];
  const all = [
    project === null ? null : findProgram('python', project),
    findProgram('python', join(paths.venv, 'bin')),
    typeof configured === 'string' ? configured : null,
    ...found,
    '/usr/bin/python3',
  ];
  return [...new Set(all.filter((path): path is string => path !== null))];
}

/** The interpreter of this session. Throws ToolFailure `unavailable` when no candidate works. */
export async function findInterpreter(ctx: ToolContext): Promise<Interpreter> {
  const { session } = ctx;
  const known = session.slots.get(SLOT) as Interpreter | undefined;
  if (known !== undefined) return known;
  for (const candidate of candidates(session)) {
    const found = cachedInterpreter(session.paths.home, candidate) ?? (await ask(ctx, candidate));
    if (found === null) continue;
    session.slots.set(SLOT, found);
    return found;
  }
  throw new ToolFailure(
    'unavailable',
    `no Python 3.${OLDEST_MINOR} or newer was found; the user can install one or set python.interpreter`,
  );
}

/** Null for a program that hangs, fails, answers something else, or is too old. */
async function ask(ctx: ToolContext, candidate: string): Promise<Interpreter | null> {
  try {
    const child = await ctx.spawn({
      argv: [candidate, '-I', '-c', QUESTION],
      cwd: ctx.session.paths.scratchpad,
      stdin: 'closed',
      profile: 'python',
      limits: { timeoutMs: ASK_MS },
    });
    let answer = '';
    child.stdout.on('data', (bytes: Buffer) => {
      answer = (answer + bytes.toString('utf8')).slice(0, ANSWER_BYTES);
    });
    child.stderr.resume();
    const exit = await child.exited;
    if (exit.leftovers > 0) await child.kill('cancel');
    const found = exit.code === 0 ? parseAnswer(answer) : null;
    if (found !== null) rememberInterpreter(ctx.session.paths.home, candidate, found);
    return found;
  } catch (error) {
    if (isToolFailure(error) && error.kind === 'unavailable') return null;
    throw error;
  }
}

/** Reads the answer of a candidate; null for anything else than one of a Python that is new enough. */
export function parseAnswer(answer: string): Interpreter | null {
  try {
    const value: unknown = JSON.parse(answer.trim().split('\n').at(-1) ?? '');
    if (!Array.isArray(value)) return null;
    const [executable, version, basePrefix] = value as unknown[];
    if (typeof executable !== 'string' || typeof version !== 'string') return null;
    const [major = 0, minor = 0] = version.split('.').map(Number);
    if (!executable.startsWith('/') || major !== 3 || minor < OLDEST_MINOR) return null;
    return { executable, version, basePrefix: String(basePrefix) };
  } catch {
    return null;
  }
}
