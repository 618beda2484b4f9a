import type { ContentBlock, LLMMessage, TextBlock } from '../../llm/types.ts';

const SUMMARY_MARK =
  '[note] Earlier messages were replaced by this summary to save context. It is not a new task.\n\n';
const KEPT_MARK = '[note] Earlier message of the user, word for word:\n';
const MOST_KEPT_CHARACTERS = 20_000;
const KEPT_ORIGINS: ReadonlySet<string> = new Set(['task', 'user', 'steer']);

/**
 * One user-role message in place of `replaced`: the summary, then what the user said in those messages, verbatim,
 * newest first until 20,000 characters are used, in their old order. A summary among them hands on what it kept.
 */
export function summaryMessage(
  messageId: string,
  summary: string,
  replaced: readonly LLMMessage[],
): LLMMessage {
  const content: TextBlock[] = [
    { type: 'text', text: SUMMARY_MARK + summary },
    ...keptUserTexts(replaced).map((text) => ({ type: 'text', text: KEPT_MARK + text }) as const),
  ];
  return { message_id: messageId, role: 'user', origin: 'summary', content };
}

/** The summary text an earlier compaction left, or null when the message is none. */
export function summaryTextOf(message: LLMMessage): string | null {
  const first = message.content[0];
  if (message.origin !== 'summary' || first?.type !== 'text') return null;
  return first.text.slice(SUMMARY_MARK.length);
}

export function keptUserTexts(messages: readonly LLMMessage[]): readonly string[] {
  const kept: string[] = [];
  let characters = 0;
  for (const text of messages.flatMap(userTextsOf).reverse()) {
    characters += text.length;
    if (characters > MOST_KEPT_CHARACTERS) break;
    kept.unshift(text);
  }
  return kept;
}

function userTextsOf(message: LLMMessage): readonly string[] {
  const texts = message.content.filter(isText).map((block) => block.text);
  if (message.origin === 'summary')
    return texts
      .filter((text) => text.startsWith(KEPT_MARK))
      .map((text) => text.slice(KEPT_MARK.length));
  return message.role === 'user' && KEPT_ORIGINS.has(message.origin) ? [texts.join('\n\n')] : [];
}

function isText(block: ContentBlock): block is TextBlock {
  return block.type === 'text';
}
