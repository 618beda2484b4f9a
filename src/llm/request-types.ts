/** What is asked of a model and what comes back: requests, responses, errors, events, the client. */
import type {
  ContentBlock,
  FinishReason,
  JsonObject,
  JsonValue,
  LLMMessage,
  RawTurn,
  ReasoningBlock,
  ReportedUsage,
  ToolCall,
} from './message-types.ts';

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
