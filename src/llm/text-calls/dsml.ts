import { type InvokeTags, parseInvokes } from './invoke-xml.ts';
import type { EnvelopeFormat } from './types.ts';

/** DeepSeek's marks. Servers spell the bar in several ways, but one way within a block. */
const BARS: readonly string[] = ['\uff5c', '\uff5c\uff5c', '\u2016', '||', '|'];
const ROOTS: readonly string[] = ['tool_calls', 'function_calls'];

const ALL_TAGS: readonly InvokeTags[] = BARS.flatMap((bar) =>
  ROOTS.map((root) => tagsOf(bar, root)),
);

function tagsOf(bar: string, root: string): InvokeTags {
  const mark = `${bar}DSML${bar}`;
  const pattern = mark.replaceAll('|', '\\|');
  return {
    opener: `<${mark}${root}>`,
    closer: `</${mark}${root}>`,
    invoke: new RegExp(`<${pattern}invoke name="([^"<>]{1,200})">`, 'y'),
    invokeEnd: `</${mark}invoke>`,
    parameter: new RegExp(`<${pattern}parameter name="([^"<>]{1,200})"([^<>]{0,100})>`, 'y'),
    parameterEnd: `</${mark}parameter>`,
    parameterStart: `<${mark}parameter name=`,
  };
}

/** `invoke` and `parameter` elements in DeepSeek's own marks; `string="false"` says that a value is JSON. */
export const dsml: EnvelopeFormat = {
  openers: ALL_TAGS.map((tags) => tags.opener),
  closers: ALL_TAGS.map((tags) => tags.closer),
  anywhere: true,
  parse(text) {
    const tags = ALL_TAGS.find(({ opener }) => text.startsWith(opener));
    return tags === undefined ? null : parseInvokes(text, tags);
  },
};
