import { sanitise } from '../session/sanitise.ts';
import { formatCall, formatUsage, oneLine } from './format.ts';
import type { StepView } from './run-view.ts';
import type { Style } from './style.ts';
import { cutToWidth } from './width.ts';

/** The block of one finished step: label, text, each call with its result, notes, error, tokens. */
export function stepLines(
  step: StepView,
  maxSteps: number,
  style: Style,
  columns: number,
): string[] {
  const label = step.label === null ? '' : ` ${oneLine(step.label)}`;
  const lines = [style.bold(cutToWidth(`step ${step.number}/${maxSteps}${label}`, columns))];
  const text = sanitise(step.text).trim();
  if (text !== '') lines.push(...text.split('\n').map((line) => `  ${line}`));
  for (const call of step.calls) lines.push(...formatCall(call, style, columns));
  if (step.reflection !== null) {
    lines.push(
      ...sanitise(step.reflection.replaceAll('[note] ', ''))
        .split('\n')
        .map((line) => style.dim(`  note: ${line}`)),
    );
  }
  if (step.error !== null) lines.push(`  ${style.red(oneLine(step.error.message))}`);
  if (step.usage !== null) lines.push(style.dim(`  ${formatUsage(step.usage, step.costUsd)}`));
  return lines;
}
