import { type InvokeTags, parseInvokes } from './invoke-xml.ts';
import type { EnvelopeFormat } from './types.ts';

const TAGS: InvokeTags = {
  opener: '<minimax:tool_call>',
  closer: '</minimax:tool_call>',
  invoke: /<invoke name="([^"<>]{1,200})">/y,
  invokeEnd: '</invoke>',
  parameter: /<parameter name="([^"<>]{1,200})"([^<>]{0,100})>/y,
  parameterEnd: '</parameter>',
  parameterStart: '<parameter name=',
};

/** `<minimax:tool_call><invoke name="NAME"><parameter name="KEY">VALUE</parameter></invoke></minimax:tool_call>` */
export const minimaxXml: EnvelopeFormat = {
  openers: [TAGS.opener],
  closers: [TAGS.closer],
  anywhere: false,
  parse: (text) => parseInvokes(text, TAGS),
};
