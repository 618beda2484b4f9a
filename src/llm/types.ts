/**
 * The vocabulary of the model layer. Types only: stored or sent data is snake_case, options are camelCase.
 */

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | JsonValue[]
  | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

export type Protocol = 'chat' | 'responses' | 'anthropic' | 'gemini' | 'ollama';

export type FinishReason =
  | 'stop'
  | 'tool_calls'
  | 'length'
  | 'refusal'
  | 'content_filter'
  | 'pause'
  | 'unknown';

export type CallStatus = 'ok' | 'invalid' | 'cut' | 'provider_rejected';

export interface CallFault {
  readonly kind:
    | 'invalid_json'
    | 'not_object'
    | 'too_large'
    | 'too_deep'
    | 'provider_rejected'
    | 'cut';
  /** The sentence the model gets, at most 600 characters. */
  readonly message: string;
  /** Character offset in the argument text, -1 when unknown. */
  readonly position: number;
  /** The last 200 characters that arrived. */
  readonly tail: string;
  readonly truncated: boolean;
}

/** One tool call of a turn, as decoded. `arguments` is `{}` when `status` is not `ok`. */
export interface ToolCall {
  /** Ours, unique in the session (`call_` + ULID); never on the wire. Given by `newCallId` of the client options. */
  readonly call_id: string;
  /** The resolved tool name, or `raw_name` when nothing matched. */
  readonly name: string;
  readonly arguments: JsonObject;
  /** What the provider sent, verbatim; null when none. */
  readonly id: string | null;
  readonly raw_name: string;
  /** The model's text, verbatim; absent when the wire gave an object. */
  readonly raw_arguments?: string;
  readonly index: number;
  readonly status: CallStatus;
  readonly repairs: readonly string[];
  readonly fault?: CallFault;
  readonly source: 'structured' | 'text' | 'reasoning';
  readonly wire_seed: string;
}

export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
}
export interface ImageBlock {
  readonly type: 'image';
  readonly mime: string;
  /** base64 */
  readonly data: string;
  readonly width: number;
  readonly height: number;
}
export interface DocumentBlock {
  readonly type: 'document';
  readonly mime: string;
  /** base64 */
  readonly data: string;
  readonly name: string;
}
export interface ReasoningBlock {
  readonly type: 'reasoning';
  readonly text: string;
  readonly kind: 'full' | 'summary' | 'hidden';
  readonly signature?: string;
  readonly encrypted?: string;
}
export interface RefusalBlock {
  readonly type: 'refusal';
  readonly text: string;
}
/** A block the codec does not know: kept, and sent back only under its replay key. */
export interface OpaqueBlock {
  readonly type: 'opaque';
  readonly protocol: Protocol;
  readonly value: JsonValue;
}
export interface ToolCallBlock {
  readonly type: 'tool_call';
  readonly call: ToolCall;
}
/** `text` is what the model reads, failures already rendered as `ERROR kind: message`. */
export interface ToolResultBlock {
  readonly type: 'tool_result';
  readonly call_id: string;
  readonly name: string;
  readonly success: boolean;
  readonly error_kind: string | null;
  readonly text: string;
  readonly images?: readonly ImageBlock[];
}

export type ContentBlock =
  | TextBlock
  | ImageBlock
  | DocumentBlock
  | ReasoningBlock
  | RefusalBlock
  | OpaqueBlock
  | ToolCallBlock
  | ToolResultBlock;

export type MessageOrigin =
  | 'task'
  | 'user'
  | 'steer'
  | 'reminder'
  | 'note'
  | 'tool'
  | 'model'
  | 'summary'
  | 'resume';

/** The provider's own form of an assistant turn, sent back unchanged under the same replay key. */
export interface RawTurn {
  readonly replay_key: string;
  readonly protocol: Protocol;
  /** Blocks (Anthropic), items (Responses), the message object (Chat). */
  readonly value: JsonValue;
}

export interface LLMMessage {
  readonly message_id: string;
  readonly role: 'user' | 'assistant';
  readonly content: readonly ContentBlock[];
  readonly origin: MessageOrigin;
  /** Assistant only. */
  readonly raw?: RawTurn;
  /** Assistant only: the turn's protocol mark of completion was seen. Absent means true. */
  readonly complete?: boolean;
}

/** Token counts. The first four are disjoint and sum to the total; reasoning is a part of output. */
export interface LLMUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly reasoning_tokens: number;
}
export interface ReportedUsage extends LLMUsage {
  readonly estimated: boolean;
  readonly raw?: JsonValue;
  /** A cost the provider itself reported, in USD. */
  readonly cost_usd?: number;
}

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** Full JSON Schema with an object root. */
  readonly schema: JsonObject;
  readonly strict?: boolean;
  /** Would this value validate with no coercion at all? Used by the `missing_closers` repair only. */
  readonly check?: (value: JsonObject) => boolean;
}

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string };
export type RequestPurpose = 'step' | 'compaction' | 'lakeview' | 'generation';
export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'max';

export interface LLMRequest {
  readonly system: readonly { readonly text: string }[];
  readonly messages: readonly LLMMessage[];
  readonly tools: readonly ToolSpec[];
  /** Maps a name a model wrote to an offered tool, or null. */
  readonly resolve: (name: string) => string | null;
  readonly toolChoice?: ToolChoice;
  readonly parallelToolCalls?: boolean;
  readonly maxOutputTokens?: number;
  readonly sampling?: {
    readonly temperature?: number;
    readonly topP?: number;
    readonly topK?: number;
    readonly seed?: number;
    readonly stop?: readonly string[];
    readonly presencePenalty?: number;
    readonly frequencyPenalty?: number;
  };
  readonly reasoning?: {
    readonly effort?: ReasoningEffort;
    readonly budgetTokens?: number;
    readonly summary?: string;
  };
  readonly responseSchema?: {
    readonly name: string;
    readonly schema: JsonObject;
    readonly strict: boolean;
  };
  readonly cache?: { readonly key: string; readonly retention: 'none' | 'short' | 'long' };
  readonly purpose: RequestPurpose;
  readonly sessionId: string;
  /** Merged last; may not touch model, messages, tools, stream. */
  readonly extraBody?: JsonObject;
}

export interface LLMResponse {
  /** All text blocks joined. */
  readonly content: string;
  readonly reasoning: string | null;
  readonly tool_calls: readonly ToolCall[];
  readonly model: string;
  readonly finish_reason: FinishReason;
  readonly raw_finish_reason: string | null;
  readonly usage: ReportedUsage;
  /** The protocol's terminal mark was seen. */
  readonly complete: boolean;
  /** In arrival order. */
  readonly blocks: readonly ContentBlock[];
  readonly raw: RawTurn | null;
  readonly served_model?: string;
  readonly response_id?: string;
  readonly request_id?: string;
  readonly flags: readonly string[];
  readonly ttft_ms: number | null;
  readonly duration_ms: number;
  readonly attempts: number;
  readonly request_sha256: string;
}

export const LLM_ERROR_KINDS = [
  'auth',
  'quota',
  'rate_limit',
  'overloaded',
  'network',
  'timeout',
  'bad_request',
  'overflow',
  'aborted',
  'protocol',
  'replay',
] as const;
export type LLMErrorKind = (typeof LLM_ERROR_KINDS)[number];

/** Plain-data form of an LLMError, safe to store: keys are masked. */
export interface LLMErrorInfo {
  readonly kind: LLMErrorKind;
  readonly message: string;
  readonly retryable: boolean;
  readonly status?: number;
  readonly detail?: string;
  readonly code?: string;
  readonly type?: string;
  readonly param?: string;
  readonly request_id?: string;
  readonly retry_after_ms?: number;
  readonly phase?: 'connect' | 'headers' | 'stream' | 'decode' | 'local';
  readonly attempt?: number;
  readonly excerpt?: string;
  readonly provider?: string;
  readonly model?: string;
  /** Read from an overflow text when present, in tokens. */
  readonly overflow?: {
    readonly window?: number;
    readonly input?: number;
    readonly output?: number;
  };
}

/** Events of one client call. Exactly one `end`, always last; deltas are for display, calls run from `end` only. */
export type LLMEvent =
  | {
      readonly type: 'attempt';
      readonly attempt: number;
      readonly bytes: number;
      readonly request_sha256: string;
    }
  | {
      readonly type: 'headers';
      readonly status: number;
      readonly request_id: string | null;
      readonly ms: number;
    }
  | { readonly type: 'text_delta'; readonly text: string }
  | {
      readonly type: 'reasoning_delta';
      readonly text: string;
      readonly kind: ReasoningBlock['kind'];
    }
  | {
      readonly type: 'tool_call_delta';
      readonly index: number;
      readonly name?: string;
      readonly text: string;
    }
  | { readonly type: 'usage'; readonly usage: ReportedUsage }
  | {
      readonly type: 'warning';
      readonly code: string;
      readonly message: string;
      readonly data?: JsonValue;
    }
  | {
      readonly type: 'retry';
      readonly attempt: number;
      readonly max_attempts: number;
      readonly delay_ms: number;
      readonly error: LLMErrorInfo;
    }
  | { readonly type: 'discard'; readonly reason: string }
  | {
      readonly type: 'end';
      /** Partial unless `complete`; null when nothing usable arrived. */
      readonly response: LLMResponse | null;
      readonly error?: LLMErrorInfo;
      /** Of all attempts together. */
      readonly usage: ReportedUsage;
    };

export type ModelCapability =
  | 'tools'
  | 'images'
  | 'parallel_tools'
  | 'reasoning'
  | 'response_schema'
  | 'cache';

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Monotonic milliseconds (`performance.now()` scale) after which no wait may start. */
  readonly deadline?: number;
}

/**
 * A model behind an endpoint. Stateless: the whole history goes with each request.
 * `stream` never throws after it was created; it ends with exactly one `end`. `chat` rejects with LLMError only.
 */
export interface ModelClient {
  readonly provider: string;
  readonly model: string;
  readonly replayKey: string;
  /** In tokens; null when nobody said. `windowKnown` is false for the assumed default. */
  readonly contextWindow: number;
  readonly windowKnown: boolean;
  /** The output limit that will be sent for a request without its own, or null when none is sent. */
  readonly outputLimit: number | null;
  /** USD per million tokens, or null when unknown; local and replay models have explicit zeros. */
  readonly prices: ModelPrices | null;
  stream(request: LLMRequest, options?: CallOptions): AsyncIterable<LLMEvent>;
  chat(
    request: LLMRequest,
    options?: CallOptions & { readonly onEvent?: (event: LLMEvent) => void },
  ): Promise<LLMResponse>;
  /** Unanchored estimate of the request's input in tokens. */
  estimate(request: LLMRequest): number;
  supports(capability: ModelCapability): boolean;
  /** Closes pooled sockets. */
  close(): void;
}

export interface PriceTier {
  readonly above_input_tokens: number;
  readonly input?: number;
  readonly output?: number;
  readonly cache_read?: number;
  readonly cache_write?: number;
}
/** USD per million tokens. */
export interface ModelPrices {
  readonly input: number;
  readonly output: number;
  readonly cache_read?: number;
  readonly cache_write?: number;
  readonly cache_write_1h?: number;
  readonly tiers?: readonly PriceTier[];
}

/** Everything needed to reach one model; `agent` makes it from the configuration. */
export interface ModelConfig {
  /** A provider name: openai, anthropic, openai_compatible, replay ... */
  readonly provider: string;
  readonly model: string;
  readonly baseUrl?: string;
  readonly apiKey?: string;
  readonly api?: 'chat' | 'responses';
  readonly apiVersion?: string;
  readonly profile?: string;
  /** Overrides of any profile field. */
  readonly quirks?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
  readonly extraBody?: JsonObject;
  readonly sampling?: NonNullable<LLMRequest['sampling']>;
  readonly maxTokens?: number;
  readonly maxCompletionTokens?: number;
  readonly parallelToolCalls?: boolean;
  readonly maxRetries?: number;
  readonly contextWindow?: number;
  readonly outputLimit?: number;
  readonly reasoning?: NonNullable<LLMRequest['reasoning']>;
  readonly cache?: 'none' | 'short' | 'long';
  readonly images?: boolean;
  readonly textToolCalls?: readonly string[];
  /** Seconds; 0 = off. */
  readonly timeouts?: {
    readonly connect?: number;
    readonly first_byte?: number;
    readonly idle?: number;
    readonly progress?: number;
    readonly total?: number;
  };
  readonly retry?: { readonly max_wait?: number; readonly max_total?: number };
  readonly prices?: ModelPrices;
  readonly proxy?: string;
  readonly caFile?: string;
}

/** One HTTP attempt as bytes, headers and URL already masked. */
export interface Exchange {
  readonly seq: number;
  readonly attempt: number;
  readonly purpose: RequestPurpose;
  readonly method: string;
  readonly url: string;
  readonly request_headers: Readonly<Record<string, string>>;
  readonly request_body: Uint8Array;
  readonly request_sha256: string;
  readonly status: number | null;
  readonly response_headers: Readonly<Record<string, string>>;
  readonly chunks: readonly { readonly ms: number; readonly bytes: Uint8Array }[];
  readonly error?: LLMErrorInfo;
  readonly timing: {
    readonly started: string;
    readonly headers_ms: number | null;
    readonly end_ms: number;
  };
  /** The request this attempt carried, before encoding. */
  readonly request: LLMRequest;
}

export interface TransportRequest {
  readonly method: 'POST' | 'GET';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly signal: AbortSignal;
  readonly limits: {
    readonly connectMs: number;
    readonly firstByteMs: number;
    readonly headerBytes: number;
  };
  /** What is being asked; a replay transport matches on it. */
  readonly request: LLMRequest;
}
export interface TransportResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
  readonly reusedSocket: boolean;
}
/** Bytes to and from an endpoint: node:http(s), any `fetch`, replay. */
export interface Transport {
  send(request: TransportRequest): Promise<TransportResponse>;
  close?(): void;
  /** Set by a replay: the wire the recording was made with. The client then encodes for it and never waits. */
  readonly recorded?: {
    readonly protocol: Protocol;
    readonly profile: string;
    readonly provider: string;
    readonly model: string;
  };
}

export interface ModelClientOptions {
  readonly transport?: Transport;
  /** Monotonic milliseconds. */
  readonly clock?: { now(): number; sleep(ms: number, signal: AbortSignal): Promise<void> };
  /** Uniform in [0, 1). */
  readonly random?: () => number;
  readonly newCallId?: () => string;
  /** One record per attempt; a hook that throws is removed with a warning. */
  readonly onExchange?: (exchange: Exchange) => void;
}

/** A recorded exchange as a replay plays it: decoded stream events, or one body for a plain answer or an error. */
export interface ReplayedExchange {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Wire events with real values back in; text fragments already split. Framed again by the transport. */
  readonly events?: readonly JsonValue[];
  readonly body?: string;
  /** Milliseconds before each event; empty = no waits. */
  readonly waits?: readonly number[];
  /** The recorded attempt ended with this fault instead of an answer. */
  readonly fault?: 'reset' | 'cut' | 'timeout';
}

/** Where a replay takes its exchanges from. Throws LLMError-shaped info through the returned `error`. */
export interface ReplaySource {
  /** The wire and profile the recording was made with. */
  readonly protocol: Protocol;
  readonly profile: string;
  readonly provider: string;
  readonly model: string;
  next(request: LLMRequest): { readonly exchange: ReplayedExchange } | { readonly error: string };
}
