/** What is said: blocks, tool calls, messages, usage. Stored and sent data, so snake_case. */

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
