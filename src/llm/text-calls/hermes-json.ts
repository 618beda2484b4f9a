import { endOfBrackets } from '../json-scan.ts';
import { callsOfJson, nameInJson } from './call-json.ts';
import { afterWord, mayBecome, skipSpace } from './reading.ts';
import { type EnvelopeFormat, type EnvelopeParse, openCall } from './types.ts';

const OPENER = '<tool_call>';
const CLOSER = '</tool_call>';

/** `<tool_call>{"name": ..., "arguments": ...}</tool_call>` */
export const hermesJson: EnvelopeFormat = {
  openers: [OPENER],
  closers: [CLOSER],
  anywhere: false,
  parse(text): EnvelopeParse {
    const start = skipSpace(text, OPENER.length);
    if (start >= text.length) return openCall('', '');
    if (text[start] !== '{') return null;
    const end = endOfJson(text, start);
    if (end < 0) return openCall(nameInJson(text), text.slice(start));
    const calls = callsOfJson(text.slice(start, end));
    return calls && { state: 'complete', end: afterWord(text, end, CLOSER), calls };
  },
};

/** End of the JSON in front of the closing tag, which may also stand inside one of its strings; -1 when it lacks. */
function endOfJson(text: string, start: number): number {
  let end = endOfBrackets(text, start);
  while (end >= 0 && text[skipSpace(text, end)] === '{') {
    end = endOfBrackets(text, skipSpace(text, end));
  }
  if (end < 0 || afterWord(text, end, CLOSER) >= 0) return end;
  if (mayBecome(text, skipSpace(text, end), CLOSER)) return -1;
  return text.indexOf(CLOSER, end);
}
