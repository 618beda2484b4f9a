import {
  afterWord,
  matchAt,
  mayBecome,
  skipSpace,
  textArguments,
  withoutFrame,
} from './reading.ts';
import { type EnvelopeFormat, type EnvelopeParse, openCall } from './types.ts';

const OUTER = '<tool_call>';
const OUTER_END = '</tool_call>';
const FUNCTION = '<function=';
const FUNCTION_END = '</function>';
const PARAMETER = '<parameter=';
const PARAMETER_END = '</parameter>';
const FUNCTION_TAG = /<function=([^<>\s]{1,200})>/y;
const PARAMETER_TAG = /<parameter=([^<>\n]{1,200})>/y;

/** `<function=NAME><parameter=KEY>VALUE</parameter></function>`, with or without `<tool_call>` around it. */
export const qwenXml: EnvelopeFormat = {
  openers: [OUTER, FUNCTION],
  closers: [OUTER_END, FUNCTION_END],
  anywhere: false,
  parse(text, final): EnvelopeParse {
    const wrapped = text.startsWith(OUTER);
    const start = wrapped ? skipSpace(text, OUTER.length) : 0;
    if (start >= text.length) return openCall('', '');
    const tag = matchAt(FUNCTION_TAG, text, start);
    if (tag === null) return startsFunction(text, start) ? openCall('', text.slice(start)) : null;
    const name = tag[1] ?? '';
    const body = readParameters(text, FUNCTION_TAG.lastIndex);
    if (body === null) return openCall(name, text.slice(start));
    const end = endOfEnvelope(text, body.end, wrapped, final);
    if (end < 0) return openCall(name, text.slice(start));
    return {
      state: 'complete',
      end,
      calls: [{ name, rawArguments: textArguments(body.values), id: null }],
    };
  },
};

/** The tag has begun but is not whole yet. */
function startsFunction(text: string, at: number): boolean {
  if (mayBecome(text, at, FUNCTION)) return true;
  return text.startsWith(FUNCTION, at) && /^[^<>\s]{0,200}$/.test(text.slice(at + FUNCTION.length));
}

/** Key and value pairs up to the first thing that is no parameter; null when one of them is not closed. */
function readParameters(
  text: string,
  from: number,
): { readonly values: [string, string][]; readonly end: number } | null {
  const values: [string, string][] = [];
  for (let at = from; ; ) {
    const tag = matchAt(PARAMETER_TAG, text, skipSpace(text, at));
    if (tag === null) return { values, end: at };
    const start = PARAMETER_TAG.lastIndex;
    const end = text.indexOf(PARAMETER_END, start);
    const value = end < 0 ? '' : text.slice(start, end);
    // A tag inside a value means that a closing tag is missing: where the value ends would be a guess.
    if (end < 0 || value.includes(PARAMETER) || value.includes(FUNCTION_END)) return null;
    values.push([tag[1] ?? '', withoutFrame(value)]);
    at = end + PARAMETER_END.length;
  }
}

/** Index after the closing tags; either of them alone is enough, but one that may still come is waited for. */
function endOfEnvelope(text: string, from: number, wrapped: boolean, final: boolean): number {
  const inner = afterWord(text, from, FUNCTION_END);
  const outer = afterWord(text, inner < 0 ? from : inner, OUTER_END);
  if (outer >= 0 && (wrapped || inner >= 0)) return outer;
  if (inner < 0) return -1;
  return final || !mayBecome(text, skipSpace(text, inner), OUTER_END) ? inner : -1;
}
