/** Bytes to and from an endpoint, their record, and where a replay takes them from. */
import type { JsonValue, Protocol } from './message-types.ts';
import type { LLMErrorInfo, LLMRequest, RequestPurpose } from './request-types.ts';

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
