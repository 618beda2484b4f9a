import type { JsonValue, Protocol } from '../../llm/types.ts';

/** What differs from one place to another and is therefore replaced by placeholders. All paths absolute. */
export interface RecordingPlace {
  readonly workspace: string;
  /** The session directory. */
  readonly session: string;
  readonly sessionId: string;
  /** The user's home directory. */
  readonly home: string;
  /** The environment block of the first user message; empty until a run has made it. */
  readonly environment: string;
}

export interface RecordingHeader {
  readonly kind: 'toolwright-recording';
  readonly v: 1;
  readonly normaliser: 1;
  readonly wire: Protocol;
  readonly profile: string;
  readonly provider: string;
  readonly model: string;
  readonly agent_type: string;
  readonly settings: {
    readonly tools: readonly string[];
    readonly limits: JsonValue;
    readonly permission_mode: string;
    readonly sandbox: string;
  };
  readonly created: string;
}

export type RecordedFault = 'reset' | 'cut' | 'timeout';

export interface RecordedResponse {
  /** 0 when no answer came. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The stream's events, fragments of one block merged. */
  readonly events?: readonly JsonValue[];
  readonly body?: string;
  readonly fault?: RecordedFault;
}

export interface RecordedExchange {
  readonly t: 'llm';
  readonly lane: string;
  /** From 1 in the lane. */
  readonly n: number;
  readonly digest: string;
  readonly request: JsonValue;
  readonly response: RecordedResponse;
  readonly timing_ms: number;
}

export interface RecordedTool {
  readonly t: 'tool';
  readonly lane: string;
  readonly step: number;
  readonly index: number;
  readonly name: string;
  readonly args_digest: string;
  readonly success: boolean;
  readonly error_kind: string | null;
  readonly result: string;
  readonly digest: string;
}

export interface RecordedInput {
  readonly t: 'input';
  readonly kind: 'task' | 'steer' | 'approval' | 'answer';
  readonly lane: string;
  /** Exchanges of the lane before it. */
  readonly after_n: number;
  readonly value: JsonValue;
  /** Approvals only. */
  readonly name?: string;
  readonly args_digest?: string;
}

export type RecordingLine = RecordedExchange | RecordedTool | RecordedInput;
