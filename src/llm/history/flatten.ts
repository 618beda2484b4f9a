import type { TextBlock } from '../types.ts';
import type { AssistantTurn, NormalisedResult, NormalisedTurn, UserTurn } from './turns.ts';

/** Tool turns as plain text, for requests that may not carry them. Names, arguments and results are kept. */

const flat = new WeakMap<NormalisedTurn, NormalisedTurn>();

export function flattenTurn(turn: NormalisedTurn): NormalisedTurn {
  const known = flat.get(turn);
  if (known !== undefined) return known;
  const made = turn.role === 'assistant' ? flattenAssistant(turn) : flattenUser(turn);
  flat.set(turn, made);
  return made;
}

function text(value: string): TextBlock {
  return { type: 'text', text: value };
}

function flattenAssistant(turn: AssistantTurn): NormalisedTurn {
  const hasCalls = turn.blocks.some((block) => block.type === 'tool_call');
  if (!hasCalls) return turn;
  const blocks = turn.blocks.flatMap((block) => {
    if (block.type === 'tool_call') {
      return [text(`[tool call ${block.wireName}]\n${block.argumentsText}`)];
    }
    return block.type === 'text' || block.type === 'refusal' ? [block] : [];
  });
  return { role: 'assistant', blocks };
}

function flattenUser(turn: UserTurn): NormalisedTurn {
  if (turn.results.length === 0) return turn;
  const results = turn.results.flatMap((result) => [textOfResult(result), ...result.images]);
  return { role: 'user', results: [], blocks: [...results, ...turn.blocks] };
}

function textOfResult(result: NormalisedResult): TextBlock {
  return text(`[tool result ${result.name}${result.success ? '' : ', failed'}]\n${result.text}`);
}
