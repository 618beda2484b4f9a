import type { TextCallFormat } from '../profile-types.ts';
import { createTextCallSplitter, type TextCallOptions, type TextCallsEnd } from '../text-calls.ts';

export const ALL: readonly TextCallFormat[] = [
  'hermes_json',
  'tools_list',
  'qwen_xml',
  'glm_xml',
  'minimax_xml',
  'dsml',
  'kimi',
];
export const STOPPED = { closedByStop: true, hasStructured: false };

export interface SplitResult extends TextCallsEnd {
  /** Everything a reader was shown, the last piece included. */
  readonly shown: string;
  readonly shownReasoning: string;
  /** What was shown before the end. */
  readonly early: string;
}

export function split(
  pieces: readonly string[],
  options: Partial<TextCallOptions> = {},
  finish = STOPPED,
): SplitResult {
  const splitter = createTextCallSplitter({
    ...{ formats: ALL, tags: false, implied: false, quotedIn: () => false },
    resolves: (name) => (['get', 'put'].includes(name) ? name : null),
    ...options,
  });
  const deltas = pieces.flatMap((piece) => splitter.push(piece));
  const end = splitter.end(finish);
  const early = deltas.map((delta) => delta.text).join('');
  return {
    ...end,
    early,
    shown: early + end.rest.text,
    shownReasoning: deltas.map((delta) => delta.reasoning).join('') + end.rest.reasoning,
  };
}
export const calls = (result: TextCallsEnd) =>
  result.calls.map((call) => [call.name, JSON.parse(call.rawArguments || '{}')]);
