import { afterWord, matchAt, skipSpace, textArguments, withoutFrame } from './reading.ts';
import { type EnvelopeParse, openCall, type TextCall } from './types.ts';

/** The tags of a format whose envelope holds `invoke` elements with `parameter` elements in them. */
export interface InvokeTags {
  readonly opener: string;
  readonly closer: string;
  /** Sticky, name in group 1. */
  readonly invoke: RegExp;
  readonly invokeEnd: string;
  /** Sticky, name in group 1, attributes behind it in group 2. */
  readonly parameter: RegExp;
  readonly parameterEnd: string;
  /** What a value must not contain, because it would mean that a closing tag is missing. */
  readonly parameterStart: string;
}

export function parseInvokes(text: string, tags: InvokeTags): EnvelopeParse {
  const calls: TextCall[] = [];
  let at = skipSpace(text, tags.opener.length);
  for (;;) {
    const end = afterWord(text, at, tags.closer);
    if (end >= 0) return calls.length > 0 ? { state: 'complete', end, calls } : null;
    const tag = matchAt(tags.invoke, text, skipSpace(text, at));
    if (tag === null) return openCall(calls[0]?.name ?? '', text.slice(tags.opener.length));
    const name = tag[1] ?? '';
    const body = readParameters(text, tags.invoke.lastIndex, tags);
    at = body === null ? -1 : afterWord(text, body.end, tags.invokeEnd);
    if (body === null || at < 0) return openCall(name, text.slice(tags.opener.length));
    calls.push({ name, rawArguments: textArguments(body.values, body.json), id: null });
  }
}

function readParameters(
  text: string,
  from: number,
  tags: InvokeTags,
): { values: [string, string][]; json: ReadonlySet<string>; end: number } | null {
  const values: [string, string][] = [];
  const json = new Set<string>();
  for (let at = from; ; ) {
    const tag = matchAt(tags.parameter, text, skipSpace(text, at));
    if (tag === null) return { values, json, end: at };
    const name = tag[1] ?? '';
    const start = tags.parameter.lastIndex;
    const end = text.indexOf(tags.parameterEnd, start);
    const value = end < 0 ? '' : text.slice(start, end);
    if (end < 0 || value.includes(tags.parameterStart) || value.includes(tags.invokeEnd))
      return null;
    if (/string\s*=\s*"false"/.test(tag[2] ?? '')) json.add(name);
    values.push([name, withoutFrame(value)]);
    at = end + tags.parameterEnd.length;
  }
}
