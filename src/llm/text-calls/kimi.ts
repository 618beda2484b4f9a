import { afterWord, matchAt, skipSpace } from './reading.ts';
import { type EnvelopeFormat, type EnvelopeParse, openCall, type TextCall } from './types.ts';

const SECTION = '<|tool_calls_section_begin|>';
const SECTION_END = '<|tool_calls_section_end|>';
const CALL_END = '<|tool_call_end|>';
const CALL =
  /<\|tool_call_begin\|>\s*(?:functions\.)?([^\s<>|:]{1,200})(:\d{1,9})?\s*<\|tool_call_argument_begin\|>/y;
const ID = /functions\.[^\s<>|:]{1,200}:\d{1,9}/;

/** Between section marks one or more calls; `functions.NAME:N` is the provider's id too. */
export const kimi: EnvelopeFormat = {
  openers: [SECTION],
  closers: [SECTION_END],
  anywhere: true,
  parse(text): EnvelopeParse {
    const calls: TextCall[] = [];
    let at = skipSpace(text, SECTION.length);
    for (;;) {
      const end = afterWord(text, at, SECTION_END);
      if (end >= 0) return calls.length > 0 ? { state: 'complete', end, calls } : null;
      const mark = matchAt(CALL, text, skipSpace(text, at));
      const start = CALL.lastIndex;
      const close = mark === null ? -1 : text.indexOf(CALL_END, start);
      const name = mark?.[1] ?? calls[0]?.name ?? '';
      if (mark === null || close < 0) return openCall(name, text.slice(SECTION.length));
      const id = ID.exec(mark[0])?.[0] ?? null;
      calls.push({ name, rawArguments: text.slice(start, close).trim(), id });
      at = close + CALL_END.length;
    }
  },
};
