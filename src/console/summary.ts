import type { RunSummary, TaskDetails } from '../session/console.ts';
import { formatCost, formatSeconds, formatTokens, oneLine } from './format.ts';
import type { Style } from './style.ts';
import { cutToWidth } from './width.ts';

/** The head of a run. Its first line states sandbox, network and mode. */
export function detailLines(details: TaskDetails, style: Style, columns: number): string[] {
  const row = (name: string, value: string) =>
    `${style.dim(name.padEnd(10))}${cutToWidth(oneLine(value), columns - 10)}`;
  return [
    style.dim(cutToWidth(oneLine(details.safety), columns)),
    row('task', details.task),
    row('agent', `${details.agentType}, at most ${details.maxSteps} steps`),
    row('model', `${details.provider} / ${details.model}`),
    row('workspace', details.workspace),
    row('session', details.sessionId),
  ];
}

/** The end of a run: what came out, where it lies, how to go on. */
export function summaryLines(summary: RunSummary, style: Style, columns: number): string[] {
  const row = (name: string, value: string) =>
    `${style.dim(name.padEnd(12))}${cutToWidth(oneLine(value), columns - 12)}`;
  const tokens = `${formatTokens(summary.inputTokens)} in (${formatTokens(summary.cacheReadTokens)} cached), ${formatTokens(summary.outputTokens)} out`;
  const state = summary.success
    ? style.green('done')
    : style.red(`not done: ${summary.stopReason}`);
  const lines = ['', `${style.bold(state)}`, row('task', summary.task)];
  if (summary.error !== null) lines.push(row('reason', summary.error));
  lines.push(row('steps', `${summary.steps} in ${formatSeconds(summary.seconds)}`));
  lines.push(row('tokens', `${tokens}, cost ${formatCost(summary.costUsd)}`));
  if (summary.patchStat !== null) {
    const where = summary.patchPath === null ? '' : `, ${summary.patchPath}`;
    lines.push(row('patch', `${summary.patchStat}${where}`));
  }
  if (summary.trajectoryFile !== null) lines.push(row('trajectory', summary.trajectoryFile));
  lines.push(row('session', summary.sessionId));
  if (summary.resumeCommand !== null) lines.push(row('go on with', summary.resumeCommand));
  return lines;
}

/** A chat turn that went well, in one line: the steps above it show the rest. */
export function turnLine(summary: RunSummary): string {
  const steps = `${summary.steps} ${summary.steps === 1 ? 'step' : 'steps'}`;
  const tokens = `${formatTokens(summary.inputTokens)} in, ${formatTokens(summary.outputTokens)} out`;
  const patch = summary.patchStat === null ? '' : `, ${summary.patchStat}`;
  return `done: ${steps} in ${formatSeconds(summary.seconds)}, ${tokens}, cost ${formatCost(summary.costUsd)}${patch}`;
}
