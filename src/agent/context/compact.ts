import type { LLMMessage } from '../../llm/types.ts';
import { newMessageId } from '../../session/ids.ts';
import { askModel, isPartial } from '../ask-model.ts';
import { userMessage } from '../messages.ts';
import type { RunState } from '../run-state.ts';
import { rulesDigest } from './rules-digest.ts';
import { summaryMessage } from './summary-message.ts';
import { transcriptOf } from './transcript.ts';

export type CompactionReason = 'soft_limit' | 'overflow' | 'user';

export interface CompactionPlan {
  /** Index of the first message replaced, and of the first one kept after it. */
  readonly from: number;
  readonly to: number;
}

const INSTRUCTIONS = `[note] Write a summary that lets you go on with this task after the messages above are removed. Cover: the request and its intent; decisions; files and their state; commands and their outcomes; what was tried and failed; test state; open work; the next step. Text only, no tool calls.`;

/** A summary by the model of the messages replaced, or null when it gave none. */
export async function modelSummary(
  run: RunState,
  plan: CompactionPlan,
  mostTokens: number,
  focus: string | null,
): Promise<string | null> {
  const asked = await askModel(run, {
    purpose: 'compaction',
    messages: summariserInput(run, plan, mostTokens, focus),
    toolChoice: 'none',
  });
  const text = isPartial(asked) ? '' : (asked.response?.content.trim() ?? '');
  return text === '' ? null : text;
}

/** The conversation itself when it fits, so that the prompt cache helps; else a flat transcript cut to size. */
function summariserInput(
  run: RunState,
  plan: CompactionPlan,
  mostTokens: number,
  focus: string | null,
): readonly LLMMessage[] {
  const wish =
    focus === null ? INSTRUCTIONS : `${INSTRUCTIONS}\nPay special attention to: ${focus}`;
  const { messages } = run.conversation;
  const whole = messages.slice(0, plan.to);
  if (run.context.tokens < mostTokens * 0.95) return [...whole, userMessage('note', [wish])];
  const transcript = transcriptOf(messages.slice(plan.from, plan.to), mostTokens);
  return [userMessage('note', [`The conversation so far:\n\n${transcript}`, wish])];
}

/** The conversation with the messages of the plan replaced by one summary message. */
export function withSummary(
  run: RunState,
  plan: CompactionPlan,
  summary: string,
): { readonly messages: readonly LLMMessage[]; readonly summary: LLMMessage } {
  const { messages } = run.conversation;
  const message = summaryMessage(newMessageId(), summary, messages.slice(plan.from, plan.to));
  return {
    messages: [...messages.slice(0, plan.from), message, ...messages.slice(plan.to)],
    summary: message,
  };
}

export function rulesSummary(run: RunState, plan: CompactionPlan): string {
  return rulesDigest(run.conversation.messages.slice(plan.from, plan.to), [
    ...run.progress.filesChanged,
  ]);
}
