import type { TextCallFormat } from './profile-types.ts';
import { Channel, type ChannelEnd, type Verdict } from './text-calls/channel.ts';
import { ENVELOPE_FORMATS } from './text-calls/formats.ts';
import { ThinkTags } from './text-calls/think-tags.ts';

/** Tool calls and reasoning that a model wrote into its text, taken out of it. */

export interface TextCallOptions {
  /** Formats the profile names. Give none when the request offers no tools. */
  readonly formats: readonly TextCallFormat[];
  /** Split a leading `<think>` block out of the content. */
  readonly tags: boolean;
  /** The content starts inside reasoning. */
  readonly implied: boolean;
  /** The offered tool a name stands for, or null. */
  readonly resolves: (name: string) => string | null;
  /** Does this block occur verbatim in an earlier user message or tool result? Then it is a quotation. */
  readonly quotedIn: (block: string) => boolean;
}

export interface TextDelta {
  readonly text: string;
  readonly reasoning: string;
}

export interface FoundCall {
  readonly name: string;
  readonly rawArguments: string;
  readonly source: 'text' | 'reasoning';
  /** The provider's id, for formats that carry one. */
  readonly id: string | null;
}

export interface TextCallsEnd {
  /** The whole content and reasoning without markup; authoritative over the deltas. */
  readonly text: string;
  readonly reasoning: string;
  /** What was held back until now and belongs to the text: the last delta for a reader. */
  readonly rest: TextDelta;
  readonly calls: readonly FoundCall[];
  /** Envelopes that were never closed: calls with status `cut`. Name `""` when none was readable. */
  readonly cut: readonly FoundCall[];
  /** `markup_stripped` when markup beside structured calls was removed. */
  readonly flags: readonly string[];
}

export interface TextCallSplitter {
  /** Takes a piece of content; gives what may be shown now. */
  push(text: string): TextDelta[];
  /** Takes a piece of reasoning that came in a field of its own. */
  pushReasoning(text: string): TextDelta[];
  /** `closedByStop`: the turn ended by itself. `hasStructured`: it also has calls in the protocol's own form. */
  end(finish: { readonly closedByStop: boolean; readonly hasStructured: boolean }): TextCallsEnd;
}

export function createTextCallSplitter(options: TextCallOptions): TextCallSplitter {
  const { formats, resolves, quotedIn } = options;
  const inReasoning = formats.filter((format) => format === 'kimi');
  const channelOf = (names: readonly TextCallFormat[]) =>
    new Channel({ formats: names.map((name) => ENVELOPE_FORMATS[name]), resolves, quotedIn });
  const content = channelOf(formats);
  const reasoning = channelOf(inReasoning);
  const tags = new ThinkTags(options);

  const show = (split: TextDelta): TextDelta[] => {
    const shown = {
      text: split.text === '' ? '' : content.push(split.text),
      reasoning: split.reasoning === '' ? '' : reasoning.push(split.reasoning),
    };
    return shown.text === '' && shown.reasoning === '' ? [] : [shown];
  };

  return {
    push: (text) => show(tags.push(text)),
    pushReasoning: (text) => show({ text: '', reasoning: text }),
    end({ closedByStop, hasStructured }) {
      const [last = { text: '', reasoning: '' }] = show(tags.end());
      const verdict: Verdict = hasStructured ? 'strip' : closedByStop ? 'run' : 'keep';
      return finish(content.end(verdict), reasoning.end(verdict), last, verdict);
    },
  };
}

function finish(
  content: ChannelEnd,
  reasoning: ChannelEnd,
  last: TextDelta,
  verdict: Verdict,
): TextCallsEnd {
  const calls: FoundCall[] = [];
  const cut: FoundCall[] = [];
  const collect = (end: ChannelEnd, source: FoundCall['source']) => {
    for (const envelope of verdict === 'run' ? end.envelopes : []) {
      const found = envelope.calls.map((call) => ({ ...call, source }));
      (envelope.cut ? cut : calls).push(...found);
    }
  };
  collect(reasoning, 'reasoning');
  collect(content, 'text');
  const stripped = verdict === 'strip' && content.envelopes.length + reasoning.envelopes.length > 0;
  return {
    text: content.text,
    reasoning: reasoning.text,
    rest: { text: last.text + content.rest, reasoning: last.reasoning + reasoning.rest },
    calls,
    cut,
    flags: stripped ? ['markup_stripped'] : [],
  };
}
