/** A tool call found in text. */
export interface TextCall {
  readonly name: string;
  /** For the argument parser; what the model wrote where the format holds JSON. */
  readonly rawArguments: string;
  /** The id the format itself carries, or null. */
  readonly id: string | null;
}

export type EnvelopeParse =
  /** A whole envelope; `end` is the index just after it. */
  | { readonly state: 'complete'; readonly end: number; readonly calls: readonly TextCall[] }
  /** It may still become one; at the end of the turn it is a call that was cut. Name `""`: not yet known. */
  | { readonly state: 'open'; readonly call: TextCall }
  /** Text that only looks like this format. */
  | null;

/** One way models write calls into text. */
export interface EnvelopeFormat {
  /** Literal texts an envelope starts with. */
  readonly openers: readonly string[];
  /** Literal texts that may complete it. */
  readonly closers: readonly string[];
  /** Its marks are tokens of their own, so it may stand inside a line. */
  readonly anywhere: boolean;
  /** Reads the envelope whose opener stands at the start of `text`. `final`: no more text will come. */
  parse(text: string, final: boolean): EnvelopeParse;
}

export function openCall(name: string, rawArguments: string): EnvelopeParse {
  return { state: 'open', call: { name, rawArguments, id: null } };
}
