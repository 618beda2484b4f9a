import { sanitise } from '../session/sanitise.ts';
import type { LLMUsage } from '../session/types.ts';
import type { CallView } from './run-view.ts';
import type { Style } from './style.ts';
import { cutToWidth } from './width.ts';

const DIFF_LINES = 60;
const RESULT_LINES = 6;

/** Escape sequences gone, invisible characters shown, on one line. For names, titles, arguments, paths. */
export function oneLine(text: string): string {
  return sanitise(text, { names: true })
    .replace(/\s*\n\s*/g, ' ⏎ ')
    .trim();
}

export function formatTokens(count: number): string {
  if (count < 1000) return String(count);
  if (count < 100_000) return `${(count / 1000).toFixed(1)}k`;
  return `${Math.round(count / 1000)}k`;
}

/** `?` when a price is unknown: an unknown cost is never shown as zero. */
export function formatCost(usd: number | null): string {
  if (usd === null) return '?';
  return `$${usd.toFixed(usd !== 0 && usd < 0.01 ? 4 : 2)}`;
}

export function formatSeconds(seconds: number): string {
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  return `${minutes} min ${Math.floor(seconds % 60)} s`;
}

export function formatUsage(usage: LLMUsage, costUsd: number | null): string {
  const input =
    usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
  const cached = usage.cache_read_input_tokens;
  const part = cached > 0 ? ` (${formatTokens(cached)} cached)` : '';
  return `${formatTokens(input)} in${part}, ${formatTokens(usage.output_tokens)} out, cost ${formatCost(costUsd)}`;
}

/** The arguments as one line: the command alone for a shell, else compact JSON. */
export function formatArguments(value: unknown): string {
  if (typeof value !== 'object' || value === null) return oneLine(String(value));
  const entries = Object.entries(value);
  if (entries.length === 0) return '';
  const command = (value as { command?: unknown }).command;
  if (entries.length === 1 && typeof command === 'string') return oneLine(command);
  return oneLine(entries.map(([key, part]) => `${key}=${shortValue(part)}`).join(' '));
}

function shortValue(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}… (${text.length} characters)` : text;
}

export function formatDiff(diff: string, style: Style, columns: number): string[] {
  const lines = sanitise(diff).split('\n');
  if (lines.at(-1) === '') lines.pop();
  const cut = (line: string) => cutToWidth(line, columns);
  const shown = lines.slice(0, DIFF_LINES).map((line) => colourDiffLine(cut(line), style));
  const more = lines.length - DIFF_LINES;
  if (more > 0)
    shown.push(style.dim(cut(`… ${more} more ${more === 1 ? 'line' : 'lines'} of diff`)));
  return shown;
}

function colourDiffLine(line: string, style: Style): string {
  if (line.startsWith('+++') || line.startsWith('---')) return style.bold(line);
  if (line.startsWith('+')) return style.green(line);
  if (line.startsWith('-')) return style.red(line);
  return line.startsWith('@@') ? style.cyan(line) : line;
}

/** First lines of a result and how much there is more. */
export function formatResult(text: string, style: Style, columns: number): string[] {
  const lines = sanitise(text).split('\n');
  if (lines.at(-1) === '') lines.pop();
  const shown = lines.slice(0, RESULT_LINES).map((line) => cutToWidth(line, columns));
  const more = lines.length - shown.length;
  const rest = `… ${more} more ${more === 1 ? 'line' : 'lines'}, ${text.length} characters in all`;
  if (more > 0) shown.push(style.dim(cutToWidth(rest, columns)));
  return shown;
}

/** One finished call: mark, name, arguments, then diff or result, every line within the width. */
export function formatCall(call: CallView, style: Style, columns: number): string[] {
  const mark = call.state === 'failed' ? style.red('✗') : style.green('✓');
  const head = `${oneLine(call.name)} ${formatArguments(call.arguments)}`.trimEnd();
  const seconds = call.durationMs / 1000;
  const time = seconds >= 1 ? ` (${formatSeconds(seconds)})` : '';
  const room = columns - 4 - time.length;
  const lines = [`  ${mark} ${style.bold(cutToWidth(head, room))}${style.dim(time)}`];
  if (call.state === 'failed' && call.error !== null) {
    const fault = cutToWidth(oneLine(`${call.errorKind}: ${call.error}`), columns - 4);
    lines.push(`    ${style.red(fault)}`);
  }
  const body =
    call.diff === null
      ? formatResult(call.result, style, columns - 4)
      : formatDiff(call.diff, style, columns - 4);
  return [...lines, ...body.map((line) => `    ${line}`)];
}
