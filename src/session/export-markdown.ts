/**
 * A stored session as a document to read.
 */
import type { ContentBlock, LLMMessage } from '../llm/types.ts';
import type { DurableEvent, EventOf } from './events.ts';
import { resultText } from './result-text.ts';
import { sanitise } from './sanitise.ts';

/** A fence longer than any run of backticks in the text. */
function fenced(text: string, language = ''): string {
  const runs = text.match(/`{3,}/g) ?? [];
  const fence = '`'.repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}`;
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
    case 'refusal':
      return block.text;
    case 'reasoning':
      return block.text === '' ? '' : `*Reasoning*\n\n${fenced(block.text)}`;
    case 'tool_call':
      return `**${sanitise(block.call.name, { names: true })}**\n\n${fenced(JSON.stringify(block.call.arguments, null, 2), 'json')}`;
    case 'image':
    case 'document':
      return `*(${block.type}, ${block.mime})*`;
    case 'tool_result':
      return fenced(block.text);
    case 'opaque':
      return '';
  }
}

function contentText(content: readonly ContentBlock[]): string {
  return content
    .map(blockText)
    .filter((text) => text !== '')
    .join('\n\n');
}

const USER_TITLES: Readonly<Partial<Record<LLMMessage['origin'], string>>> = {
  summary: 'Summary',
  note: 'Note',
  reminder: 'Note',
  resume: 'Note',
};

function runText(event: EventOf<'run_started'>): string {
  const where = `${event.agent_type}, ${event.provider} ${event.model}, ${event.ts}`;
  return `## Task\n\n*${where}*`;
}

function endText(event: EventOf<'run_finished'>): string {
  const cost = event.cost_usd === null ? 'cost unknown' : `${event.cost_usd} USD`;
  const end = `## End: ${event.stop_reason}, ${event.steps} steps, ${cost}`;
  const error = event.error === null ? '' : `\n\n${event.error.kind}: ${event.error.message}`;
  return `${end}${error}`;
}

function eventText(event: DurableEvent): string | null {
  switch (event.type) {
    case 'run_started':
      return runText(event);
    case 'step_started':
      return `### Step ${event.step_number}`;
    case 'message_added': {
      const title = USER_TITLES[event.message.origin] ?? 'User';
      return `#### ${title}\n\n${contentText(event.message.content)}`;
    }
    case 'llm_response':
      return event.purpose === 'step' ? `#### Model\n\n${contentText(event.content)}` : null;
    case 'tool_finished': {
      const name = sanitise(event.name, { names: true });
      return `#### Result of ${name}\n\n${fenced(resultText(event))}`;
    }
    case 'warning':
      return `> ${event.code}: ${event.message}`;
    case 'run_finished':
      return endText(event);
    default:
      return null;
  }
}

/** Sub-agents are left out: their results stand where they were called. */
export function exportMarkdown(sessionId: string, events: readonly DurableEvent[]): string {
  const parts = events
    .filter((event) => event.parent_run_id === undefined)
    .flatMap((event) => eventText(event) ?? []);
  return `${[`# Session ${sessionId}`, ...parts].map((part) => sanitise(part)).join('\n\n')}\n`;
}
