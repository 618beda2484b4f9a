/**
 * The trajectory of one task: a pure function of the durable events (agent.md section 5), so that the file a run
 * writes and a later export are the same bytes.
 */
import { blobName } from './blobs.ts';
import type { DurableEvent } from './events.ts';
import { RunFold } from './run-fold.ts';
import { redactPatterns } from './secret-patterns.ts';
import type { RunState } from './session-state.ts';
import { addSpent, NOTHING_SPENT, type Spent } from './session-usage.ts';
import { trajectoryTime } from './trajectory-parts.ts';
import { TrajectoryRun } from './trajectory-run.ts';

export type Trajectory = Readonly<Record<string, unknown>>;

const LONGEST_STRING = 200_000;
const KEPT_AT_EACH_END = 10_000;

/** Strings above 200,000 characters become head and tail around a mark with the length and the blob's name. */
function storedText(text: string): string {
  const redacted = redactPatterns(text);
  if (text.length <= LONGEST_STRING) return redacted;
  const head = redacted.slice(0, KEPT_AT_EACH_END).toWellFormed();
  const tail = redacted.slice(-KEPT_AT_EACH_END).toWellFormed();
  return `${head}\n[... ${text.length} characters in all, blob ${blobName(text)} ...]\n${tail}`;
}

function binaryPart(value: object): object | null {
  if (!('type' in value) || (value.type !== 'image' && value.type !== 'document')) return null;
  if (!('data' in value) || typeof value.data !== 'string' || !('mime' in value)) return null;
  const content = Buffer.from(value.data, 'base64');
  return { blob: blobName(content), bytes: content.length, media_type: value.mime };
}

/** A member as it is stored: key-shaped text hidden, long text cut, binary content named instead of included. */
function stored(_key: string, value: unknown): unknown {
  if (typeof value === 'string') return storedText(value);
  return typeof value === 'object' && value !== null ? (binaryPart(value) ?? value) : value;
}

interface EventsByRun {
  readonly events: ReadonlyMap<string, readonly DurableEvent[]>;
  readonly runs: readonly RunState[];
}

function groupByRun(events: readonly DurableEvent[]): EventsByRun & { readonly fold: RunFold } {
  const groups = new Map<string, DurableEvent[]>();
  const fold = new RunFold();
  for (const event of events) {
    fold.apply(event);
    if (event.run_id === null) continue;
    const group = groups.get(event.run_id);
    if (group === undefined) groups.set(event.run_id, [event]);
    else group.push(event);
  }
  return { events: groups, runs: fold.runs(), fold };
}

function secondsOf(runs: readonly RunState[]): number {
  return runs.reduce((sum, run) => sum + (run.finished?.duration_ms ?? 0), 0) / 1000;
}

/** The end of the task as its last run tells it; before the end the values trae-agent starts with. */
function outcome(runs: readonly RunState[]): object {
  const finished = runs.at(-1)?.finished ?? null;
  return {
    success: finished?.success ?? false,
    final_result: finished?.final_result ?? null,
    execution_time: finished === null ? 0 : secondsOf(runs),
  };
}

function ourPart(runs: readonly RunState[], first: RunState, last: RunState): object {
  const spent = runs.reduce<Spent>(addSpent, NOTHING_SPENT);
  return {
    format: 'toolwright-trajectory',
    format_version: 1,
    session_id: first.started.session_id,
    run_ids: runs.map((run) => run.run_id),
    agent_type: first.started.agent_type,
    stop_reason: last.finished?.stop_reason ?? null,
    error: last.finished?.error ?? null,
    usage: spent.usage,
    cost_usd: spent.cost_usd,
    denials: runs.flatMap((run) => run.finished?.denials ?? []),
    patch: last.finished?.patch ?? null,
    tools: last.started.tools,
  };
}

function buildTrajectory(all: EventsByRun, runIds: readonly string[]): Trajectory | null {
  const runs = all.runs.filter((run) => runIds.includes(run.run_id));
  const first = runs[0];
  const last = runs.at(-1);
  if (first === undefined || last === undefined) return null;
  const content = new TrajectoryRun();
  for (const run of runs) {
    for (const event of all.events.get(run.run_id) ?? []) content.apply(event);
  }
  content.end();
  const children = all.runs.filter((run) => runIds.includes(run.parent_run_id ?? ''));
  return {
    task: first.started.task,
    start_time: trajectoryTime(first.started.ts),
    end_time: last.finished === null ? '' : trajectoryTime(last.finished.ts),
    provider: last.started.provider,
    model: last.started.model,
    max_steps: last.started.max_steps,
    llm_interactions: content.interactions,
    agent_steps: content.steps,
    ...outcome(runs),
    ...ourPart(runs, first, last),
    retries: content.retries,
    compactions: content.compactions,
    sub_agents: children.map((child) => ({
      ...buildTrajectory(all, [child.run_id]),
      call_id: child.parent_call_id,
    })),
  };
}

/**
 * The trajectory of the task that `runId` belongs to, default the last one; null when there is no such task. A run of a
 * sub-agent gives that run alone. Secrets and long texts are still in it: `trajectoryPieces` makes it fit to be stored.
 */
export function trajectoryOf(events: readonly DurableEvent[], runId?: string): Trajectory | null {
  const all = groupByRun(events);
  const tasks = all.fold.tasks();
  const task =
    runId === undefined ? tasks.at(-1) : tasks.find(({ run_ids }) => run_ids.includes(runId));
  const runIds = task?.run_ids ?? (runId === undefined ? [] : [runId]);
  return buildTrajectory(all, runIds);
}

/** What stands around the value in the JSON of lists of one. */
const AROUND = {
  1: { start: '[\n  '.length, end: '\n]'.length },
  2: { start: '[\n  [\n    '.length, end: '\n  ]\n]'.length },
};

/** JSON of the stored form, indented as it stands so deep in the file. */
function storedJson(value: unknown, depth: 1 | 2): string {
  const text = JSON.stringify(depth === 1 ? [value] : [[value]], stored, 2);
  const { start, end } = AROUND[depth];
  return text.slice(start, text.length - end);
}

/**
 * The text of the file in pieces, so that a long task is never in memory as one more copy: as
 * `JSON.stringify(_, null, 2)` would give it, key-shaped text hidden, long text cut.
 */
export function* trajectoryPieces(trajectory: Trajectory): Generator<string> {
  let before = '{\n  ';
  for (const [key, value] of Object.entries(trajectory)) {
    if (value === undefined) continue;
    if (Array.isArray(value) && value.length > 0) {
      yield `${before}${JSON.stringify(key)}: [\n    `;
      for (const [index, item] of value.entries()) {
        if (index > 0) yield ',\n    ';
        yield storedJson(item, 2);
      }
      yield '\n  ]';
    } else {
      yield `${before}${JSON.stringify(key)}: ${storedJson(value, 1)}`;
    }
    before = ',\n  ';
  }
  yield before.startsWith('{') ? '{}\n' : '\n}\n';
}

/** The exact text of the file. */
export function renderTrajectory(trajectory: Trajectory): string {
  return [...trajectoryPieces(trajectory)].join('');
}
