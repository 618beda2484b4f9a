/**
 * The seam of one wire protocol. A codec is pure: no input or output, no clock, no randomness.
 * Every codec passes the suite in `codec-conformance.test.ts`.
 */
import type { NormalisedHistory } from '../normalise.ts';
import type { Profile } from '../profile-types.ts';
import type { TextCallSplitter } from '../text-calls.ts';
import type {
  ContentBlock,
  FinishReason,
  JsonObject,
  JsonValue,
  LLMEvent,
  LLMRequest,
  ReportedUsage,
} from '../types.ts';

export interface EncodeInput {
  readonly request: LLMRequest;
  readonly history: NormalisedHistory;
  readonly profile: Profile;
  readonly model: string;
  /** The output limit to send; null sends none. */
  readonly outputLimit: number | null;
  readonly modelFacts: ModelWireFacts;
}

/** What the model table says about how a model wants to be asked. */
export interface ModelWireFacts {
  /** False: the model refuses temperature, top_p and the like. */
  readonly sampling: boolean;
  /** The model takes `output_config.format`. */
  readonly outputConfig: boolean;
  /** The model reasons also when it is not asked to. */
  readonly reasons: boolean;
}

export interface WireWarning {
  readonly code: string;
  readonly message: string;
}

export interface EncodedRequest {
  readonly body: Uint8Array;
  readonly warnings: readonly WireWarning[];
}

/** A call as the wire gave it, before arguments are parsed. */
export interface DecodedCall {
  readonly type: 'call';
  readonly id: string | null;
  readonly name: string;
  /** Text as sent, an object where the wire gave one, undefined when nothing came. */
  readonly argumentsValue: string | JsonValue | undefined;
  readonly index: number;
  /** `structured` unless the model wrote the call into its text. */
  readonly source?: 'text' | 'reasoning';
  /** It was never finished, although the turn was. */
  readonly cut?: boolean;
}

export type DecodedBlock =
  | Exclude<ContentBlock, { type: 'tool_call' | 'tool_result' }>
  | DecodedCall;

/** What the wire said about the end of the turn. */
export type DecodedStop =
  | { readonly kind: 'reason'; readonly finish: FinishReason; readonly raw: string | null }
  /** The context window was full: an overflow error. */
  | { readonly kind: 'overflow'; readonly raw: string }
  /** The model wrote a call the vendor could not read. */
  | { readonly kind: 'malformed_call'; readonly raw: string }
  /** An error value in the vendor's form. */
  | { readonly kind: 'error'; readonly raw: string | null; readonly body: JsonValue };

export interface DecodedTurn {
  readonly blocks: readonly DecodedBlock[];
  /** The protocol's terminal mark was seen. */
  readonly closed: boolean;
  /** Null: the stream ended without saying why. */
  readonly stop: DecodedStop | null;
  /** The last report, or null. */
  readonly usage: ReportedUsage | null;
  /** Usage of messages that were started over; counts for the bill only. */
  readonly discardedUsage: ReportedUsage | null;
  /** The turn in the provider's own form, for sending back; null when it cannot be. */
  readonly raw: JsonValue | null;
  readonly servedModel?: string;
  readonly responseId?: string;
  readonly flags: readonly string[];
  /** Every call was confirmed whole, so that frames lost on the way did not damage it. */
  readonly callsConfirmed: boolean;
}

export type DeltaEvent = Extract<
  LLMEvent,
  { type: 'text_delta' | 'reasoning_delta' | 'tool_call_delta' | 'warning' | 'discard' }
>;

/** An error that came although the reply had already ended at its length limit: told, but not fatal. */
export function errorAfterFinish(data: JsonValue): DeltaEvent {
  return {
    type: 'warning',
    code: 'error_after_finish',
    message: 'the endpoint sent an error after the reply had ended at its length limit',
    data,
  };
}

export interface DecodeInput {
  readonly profile: Profile;
  readonly resolve: (name: string) => string | null;
  /** Takes calls and reasoning out of text; null where the profile asks for neither. */
  readonly splitter: TextCallSplitter | null;
  readonly emit: (event: DeltaEvent) => void;
}

/** Takes the wire events of one attempt in order; state is read when the stream ended. */
export interface Decoder {
  push(event: JsonValue): void;
  /** The stream's own end mark that is not JSON (`[DONE]`). */
  done(): void;
  /** A whole response that came as one document instead of a stream. */
  whole(document: JsonObject): void;
  /** True once the terminal mark was seen; only trailing reports may follow. */
  readonly closed: boolean;
  /** True once nothing more is expected at all. */
  readonly finished: boolean;
  /** Something the reader would call content has come. */
  readonly contentCount: number;
  /** Asked once, when the stream is over; may emit what was held back. */
  turn(): DecodedTurn;
}

export interface Codec {
  encode(input: EncodeInput): EncodedRequest;
  createDecoder(input: DecodeInput): Decoder;
}
