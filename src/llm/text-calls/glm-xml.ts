import { matchAt, skipSpace, textArguments, withoutFrame } from './reading.ts';
import { type EnvelopeFormat, type EnvelopeParse, openCall } from './types.ts';

const OPENER = '<tool_call>';
const CLOSER = '</tool_call>';
const NAME = /([A-Za-z_][\w.:/-]{0,199})\s*(?=<arg_key>|<\/tool_call>)/y;
const PARTIAL_NAME = /^[A-Za-z_][\w.:/-]{0,199}\s*(?:<[\w/]*)?$/;
const PAIR =
  /\s*<arg_key>([^<]{1,200})<\/arg_key>\s*<arg_value>((?:(?!<arg_key>|<arg_value>|<\/arg_value>)[\s\S])*)<\/arg_value>/y;

/** `<tool_call>NAME`, pairs of `<arg_key>` and `<arg_value>`, `</tool_call>`. */
export const glmXml: EnvelopeFormat = {
  openers: [OPENER],
  closers: [CLOSER],
  anywhere: false,
  parse(text): EnvelopeParse {
    const start = skipSpace(text, OPENER.length);
    if (start >= text.length) return openCall('', '');
    const name = matchAt(NAME, text, start)?.[1];
    if (name === undefined) {
      return PARTIAL_NAME.test(text.slice(start)) ? openCall('', text.slice(start)) : null;
    }
    const { values, end } = readPairs(text, NAME.lastIndex);
    if (!text.startsWith(CLOSER, end)) return openCall(name, text.slice(start));
    const call = { name, rawArguments: textArguments(values), id: null };
    return { state: 'complete', end: end + CLOSER.length, calls: [call] };
  },
};

function readPairs(text: string, from: number): { values: [string, string][]; end: number } {
  const values: [string, string][] = [];
  let at = from;
  for (let pair = matchAt(PAIR, text, at); pair !== null; pair = matchAt(PAIR, text, at)) {
    at = PAIR.lastIndex;
    values.push([pair[1]?.trim() ?? '', withoutFrame(pair[2] ?? '')]);
  }
  return { values, end: skipSpace(text, at) };
}
