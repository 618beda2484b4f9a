import type { LLMMessage, ToolCall, ToolResultBlock } from '../../llm/types.ts';
import { summaryTextOf } from './summary-message.ts';

const MOST_CALLS = 120;
const ARGUMENT_CHARACTERS = 120;
const MOST_CHARACTERS = 12_000;

/**
 * A summary made without a model: what an earlier summary said, the files changed, and one line for each call with
 * its outcome. The same messages always give the same text.
 */
export function rulesDigest(
  replaced: readonly LLMMessage[],
  filesChanged: readonly string[],
): string {
  const earlier = replaced.map(summaryTextOf).filter((text) => text !== null);
  const lines = callLines(replaced);
  const leftOut = lines.length - MOST_CALLS;
  const parts = [
    ...earlier.map((text) => text.slice(0, MOST_CHARACTERS / 2).toWellFormed()),
    `Files changed: ${filesChanged.length === 0 ? 'none' : filesChanged.join(', ')}.`,
    leftOut > 0 ? `Calls (${leftOut} earlier ones left out):` : 'Calls:',
    ...lines.slice(-MOST_CALLS),
  ];
  return parts.join('\n').slice(0, MOST_CHARACTERS).toWellFormed();
}

function callLines(messages: readonly LLMMessage[]): string[] {
  const results = new Map<string, ToolResultBlock>();
  const calls: ToolCall[] = [];
  for (const block of messages.flatMap((message) => message.content)) {
    if (block.type === 'tool_result') results.set(block.call_id, block);
    if (block.type === 'tool_call') calls.push(block.call);
  }
  return calls.map(
    (call) => `- ${call.name} ${argumentText(call)}: ${outcome(results.get(call.call_id))}`,
  );
}

function argumentText(call: ToolCall): string {
  const text = JSON.stringify(call.arguments).replaceAll('\n', ' ');
  return text.length > ARGUMENT_CHARACTERS
    ? `${text.slice(0, ARGUMENT_CHARACTERS).toWellFormed()}...`
    : text;
}

function outcome(result: ToolResultBlock | undefined): string {
  if (result === undefined) return 'no result';
  return result.success ? 'ok' : (result.error_kind ?? 'failed');
}
